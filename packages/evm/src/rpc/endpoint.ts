/**
 * A JSON-RPC request port in the shape of EIP-1193. Rejects with RpcAnswerError or RpcUnreachableError; where several nodes
 * are asked, also with NodesDisagreeError or NodeNonsenseError.
 */
export type RpcRequest = (call: RpcCall) => Promise<unknown>;

/** One request. `isBackground`: it can wait for others, and for a node that limits how often it may be asked. */
export type RpcCall = {
  readonly method: string;
  readonly params?: readonly unknown[];
  readonly isBackground?: boolean;
};

/** Asks the same, but leaves the way to requests that somebody waits for: for the reading of whole markets. */
export function inBackground(request: RpcRequest): RpcRequest {
  return (call) => request({ ...call, isBackground: true });
}

/** The result of asking for pushed heads. UNAVAILABLE: ask again later; IMPOSSIBLE: no URL can push. */
export type HeadSubscription =
  | { readonly state: 'SUBSCRIBED'; stop(): void }
  | { readonly state: 'UNAVAILABLE' }
  | { readonly state: 'IMPOSSIBLE' };

/** Subscribes to heads; `onEnd` is called once when an established subscription stops. */
export type SubscribeHeads = (
  onHead: (header: unknown) => void,
  onEnd: () => void,
) => Promise<HeadSubscription>;

/** One URL of a node. Where the node limits how often it may be asked, requests are rejected with RpcBusyError. */
export type Endpoint = {
  readonly request: RpcRequest;
  readonly subscribeHeads?: SubscribeHeads;
  close(): void;
};
