import { WebSocket } from 'ws';
import type { Channel, OpenChannel } from './channel.ts';
import { LONGEST_ANSWER_BYTES, TOO_LONG } from './longestAnswer.ts';
import { urlAndHeaders } from './urlLogin.ts';

/** Opens a WebSocket, with one JSON-RPC text in each message. A message that is too long ends it and is not read. */
export function openWebSocket(url: string): OpenChannel {
  return ({ onMessage, onEnd }) => {
    const socket = createSocket(url);
    if (socket === undefined) return UNUSABLE;
    let reason: string | undefined;
    return {
      opened: new Promise((resolve, reject) => {
        socket.on('open', () => resolve());
        socket.on('close', () => {
          reject(new Error('closed'));
          onEnd(reason);
        });
        // A close follows every error.
        socket.on('error', (error) => {
          if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') reason = TOO_LONG;
        });
        socket.on('message', (data) => onMessage((data as Buffer).toString('utf8')));
      }),
      send: (text) => socket.send(text),
      close: () => socket.terminate(),
    };
  };
}

/** Undefined for a URL that cannot be read. */
function createSocket(url: string): WebSocket | undefined {
  try {
    // The WebSocket that Node has built in reads up to 128 MiB and takes no other limit.
    const { url: bare, headers } = urlAndHeaders(url);
    return new WebSocket(bare, { maxPayload: LONGEST_ANSWER_BYTES, headers });
  } catch {
    return undefined;
  }
}

const UNUSABLE: Channel = {
  get opened() {
    return Promise.reject(new Error('the URL cannot be read'));
  },
  send() {},
  close() {},
};
