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
 * that was cut off is never given, so that its id is not taken for a place.
 */
export function createReader(): (piece: string) => Message[] {
  let rest = '';
  let fields: string[] = [];
  return (piece) => {
    const messages: Message[] = [];
    rest += piece;
    for (;;) {
      // A line feed may still follow a carriage return at the end.
      const line = /^([^\r\n]*)(?:\r\n|\n|\r(?!$))/.exec(rest);
      if (line === null) return messages;
      rest = rest.slice(line[0].length);
      if (line[1] !== '') fields.push(line[1] ?? '');
      else if (fields.length > 0) {
        messages.push(messageOf(fields));
        fields = [];
      }
    }
  };
}

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
