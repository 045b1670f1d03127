import type { ChainRpc } from '../rpc/chainRpc.ts';

/** How long to wait before a refused subscription is asked for again. */
const RETRY_MS = 5000;
const NEXT_STATE = { SUBSCRIBED: 'ACTIVE', UNAVAILABLE: 'IDLE', IMPOSSIBLE: 'IMPOSSIBLE' } as const;

/** Keeps one subscription to pushed heads alive: `ensure` renews a subscription that ended or was refused. */
export function listenForHeads(rpc: ChainRpc, monotonicMs: () => number, onHead: (header: unknown) => void) {
  let state: 'IDLE' | 'ASKING' | 'ACTIVE' | 'IMPOSSIBLE' = 'IDLE';
  let stopped = false;
  let notBeforeMs = 0;
  let unsubscribe: (() => void) | undefined;
  const isAsking = () => state === 'ASKING';

  function onEnd(): void {
    state = 'IDLE';
  }

  return {
    async ensure(): Promise<void> {
      if (stopped || state !== 'IDLE' || monotonicMs() < notBeforeMs) return;
      state = 'ASKING';
      const subscription = await rpc.subscribeHeads(onHead, onEnd);
      if (subscription.state === 'SUBSCRIBED') unsubscribe = subscription.stop;
      if (stopped) unsubscribe?.();
      if (subscription.state === 'UNAVAILABLE') notBeforeMs = monotonicMs() + RETRY_MS;
      // The subscription may have ended while it was asked for; then the next call asks again.
      if (!isAsking()) return;
      state = NEXT_STATE[subscription.state];
    },
    stop(): void {
      stopped = true;
      unsubscribe?.();
    },
  };
}
