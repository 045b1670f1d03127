import { MOST_BYTES } from '../connection/reading.ts';
import { AnswerError } from '../errors/transport.ts';

/** One message of a stream of server-sent events. */
export type Message = {
  /** The place after this message; undefined where it has none. */
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  /** How long to wait before the stream is opened again. */
  readonly retryMs?: number;
};

/**
 * Reads text/event-stream (WHATWG HTML, 9.2.6) as it comes in pieces, and gives each message once it is whole. A message
 * that was cut off is never given, so that its id is not taken for a place. One without an end is an error.
 */
export function createReader(): (piece: string) => Message[] {
  let rest = '';
  let fields: string[] = [];
  let held = 0;
  let endsInReturn = false;
  return (piece) => {
    const messages: Message[] = [];
    rest += piece;
    held += piece.length;
    // A long line is not looked through again with each of its pieces.
    if (endsInReturn || /[\r\n]/.test(piece)) {
      // A line feed may still follow a carriage return at the end.
      for (let line = LINE.exec(rest); line !== null; line = LINE.exec(rest)) {
        rest = rest.slice(line[0].length);
        if (line[1] !== '') fields.push(line[1] ?? '');
        else if (fields.length > 0) {
          messages.push(messageOf(fields));
          fields = [];
          held = rest.length;
        }
      }
      endsInReturn = rest.endsWith('\r');
    }
    if (held > MOST_BYTES) throw new AnswerError('An event stream', 200, fields[0] ?? rest, true);
    return messages;
  };
}

const LINE = /^([^\r\n]*)(?:\r\n|\n|\r(?!$))/;

function messageOf(fields: readonly string[]): Message {
  let message: Message = {};
  for (const field of fields) {
    const [, name, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(field) ?? [];
    if (name === 'id' && !value.includes('\0')) message = { ...message, id: value };
    else if (name === 'event') message = { ...message, event: value };
    else if (name === 'retry' && /^\d+$/.test(value)) message = { ...message, retryMs: Number(value) };
    else if (name === 'data')
      message = { ...message, data: message.data === undefined ? value : `${message.data}\n${value}` };
  }
  return message;
}
