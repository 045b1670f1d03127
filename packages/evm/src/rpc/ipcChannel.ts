import { connect } from 'node:net';
import type { OpenChannel } from './channel.ts';

/** The longest answer that is accepted: a longer text without an end is not JSON-RPC. */
const LONGEST_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Opens a node's IPC socket, on which JSON texts follow each other with or without white space between. */
export function openIpc(path: string): OpenChannel {
  return ({ onMessage, onEnd }) => {
    const socket = connect(path);
    const split = createJsonSplitter(onMessage);
    return {
      opened: new Promise((resolve, reject) => {
        socket.once('connect', () => resolve());
        socket.once('close', () => {
          reject(new Error('closed'));
          onEnd();
        });
        // A close follows every error.
        socket.on('error', () => undefined);
        socket.on('data', (chunk: Buffer) => {
          if (!split(chunk)) socket.destroy();
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
 * Cuts a stream of bytes into JSON objects and arrays, looking at every byte once. The function returned gives false
 * for a stream that holds anything else. Bytes of multi-byte characters cannot be mistaken for syntax: in UTF-8 they
 * are all above 127.
 */
function createJsonSplitter(onText: (text: string) => void): (chunk: Buffer) => boolean {
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
        if (byte > 0x20 || inString) return false;
        start = at + 1;
      } else if (depth === 0) {
        onText(Buffer.concat([...parts, chunk.subarray(start, at + 1)]).toString('utf8'));
        parts = [];
        bytes = 0;
        start = at + 1;
      }
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    return depth >= 0 && bytes <= LONGEST_MESSAGE_BYTES;
  };
}
