/** A connection that carries JSON-RPC messages both ways. */
export type Channel = {
  /** Rejects when it cannot be opened. */
  readonly opened: Promise<void>;
  send(text: string): void;
  close(): void;
};

/** Starts to open a channel. `onEnd` is called when the channel is closed by either side or has failed. */
export type OpenChannel = (handlers: { onMessage(text: string): void; onEnd(): void }) => Channel;
