import type { Channel, OpenChannel } from './channel.ts';

/** Opens a WebSocket, with one JSON-RPC message in each frame. */
export function openWebSocket(url: string): OpenChannel {
  return ({ onMessage, onEnd }) => {
    if (!URL.canParse(url)) return unusable;
    const socket = new WebSocket(url);
    return {
      opened: new Promise((resolve, reject) => {
        socket.addEventListener('open', () => resolve());
        socket.addEventListener('close', () => {
          reject(new Error('closed'));
          onEnd();
        });
        // A close follows every error.
        socket.addEventListener('error', () => undefined);
        socket.addEventListener('message', ({ data }) => onMessage(String(data)));
      }),
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
  };
}

const unusable: Channel = {
  get opened() {
    return Promise.reject(new Error('the URL cannot be read'));
  },
  send() {},
  close() {},
};
