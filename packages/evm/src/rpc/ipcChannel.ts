import { connect } from 'node:net';
import { NO_JSON, type OpenChannel } from './channel.ts';
import { LONGEST_ANSWER_BYTES, TOO_LONG } from './longestAnswer.ts';

/** Opens a node's IPC socket, on which JSON texts follow each other with or without white space between. */
export function openIpc(path: string): OpenChannel {
  return ({ onMessage, onEnd }) => {
    const socket = connect(path);
    const split = createJsonSplitter(onMessage);
    let reason: string | undefined;
    return {
      opened: new Promise((resolve, reject) => {
        socket.once('connect', () => resolve());
        socket.once('close', () => {
          reject(new Error('closed'));
          onEnd(reason);
        });
        // A close follows every error.
        socket.on('error', () => undefined);
        socket.on('data', (chunk: Buffer) => {
          const fault = split(chunk);
          if (fault === undefined) return;
          reason = fault;
          socket.destroy();
        });
      }),
      send: (text) => {
        socket.write(text);
      },
      close: () => {
        socket.destroy();
      },
    };
  };
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('"\\{}[]')];

/**
 * Cuts a stream of bytes into JSON objects and arrays, looking at every byte once. The function returned gives a
 * fault if the stream holds anything else, or a text above the size limit. Bytes of multi-byte characters cannot be
 * mistaken for syntax: in UTF-8 they are all above 127.
 */
function createJsonSplitter(onText: (text: string) => void): (chunk: Buffer) => string | undefined {
  let parts: Buffer[] = [];
  let bytes = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;

  function see(byte: number): void {
    if (inString) {
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
  }

  return (chunk) => {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const outside = depth === 0;
      see(byte);
      if (outside && depth === 0) {
        if (byte > 0x20 || inString) return NO_JSON;
        start = at + 1;
      } else if (depth === 0) {
        if (bytes + at + 1 - start > LONGEST_ANSWER_BYTES) return TOO_LONG;
        onText(Buffer.concat([...parts, chunk.subarray(start, at + 1)]).toString('utf8'));
        parts = [];
        bytes = 0;
        start = at + 1;
      }
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (depth < 0) return NO_JSON;
    return bytes > LONGEST_ANSWER_BYTES ? TOO_LONG : undefined;
  };
}
