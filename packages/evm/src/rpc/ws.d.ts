/** The part of `ws` that is used here; the package brings no types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';

  export class WebSocket extends EventEmitter<{
    open: [];
    close: [];
    error: [Error];
    /** All of a message, whatever the number of its frames. */
    message: [data: Buffer, isBinary: boolean];
  }> {
    constructor(url: string, options: { readonly maxPayload: number });
    send(text: string | Buffer): void;
    /** Ends the connection at once, also while it is being opened. */
    terminate(): void;
  }

  export class WebSocketServer extends EventEmitter<{ connection: [WebSocket]; listening: [] }> {
    constructor(options: { readonly port: number; readonly host: string });
    address(): { readonly port: number };
    readonly clients: ReadonlySet<WebSocket>;
    close(onClosed: () => void): void;
  }
}
