/** Why a channel is given up whose texts cannot be read. */
export const NO_JSON = 'the node says something that is no JSON-RPC';

/** A connection that carries JSON-RPC messages both ways. */
export type Channel = {
  /** Rejects when it cannot be opened. */
  readonly opened: Promise<void>;
  send(text: string): void;
  close(): void;
};

/**
 * Starts to open a channel. `onEnd` is called when the channel is closed by either side or has failed, with the reason
 * where more is known than that.
 */
export type OpenChannel = (handlers: {
  onMessage(text: string): void;
  onEnd(reason: string | undefined): void;
}) => Channel;
