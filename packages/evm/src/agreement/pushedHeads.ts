import type { ChainRpc } from '../rpc/chainRpc.ts';
import type { HeadSubscription } from '../rpc/endpoint.ts';

/** A node whose subscription ended or was refused is asked for another after this time. */
const RENEW_MS = 1_000;
/** The pushes of one node bring about one look in this time. */
const LOOK_PAUSE_MS = 150;

/**
 * Subscribes to the heads of all nodes and passes on what `head` finds. A pushed head is one node's word: it only says
 * when to look. The subscription stands until it is stopped: where one node's ends, it is renewed at this node alone.
 */
export async function subscribeToAll(
  nodes: readonly { readonly rpc: ChainRpc }[],
  head: () => Promise<unknown>,
  onHead: (header: unknown) => void,
): Promise<HeadSubscription> {
  let looking = false;
  let lookAgain = false;
  let stopped = false;

  async function look(): Promise<void> {
    lookAgain = true;
    if (looking) return;
    looking = true;
    while (lookAgain && !stopped) {
      lookAgain = false;
      const header = await head().catch(() => undefined);
      if (header !== undefined && !stopped) onHead(header);
    }
    looking = false;
  }

  const kept = nodes.map(({ rpc }) =>
    keepSubscribed(
      rpc,
      atMostEvery(LOOK_PAUSE_MS, () => void look()),
    ),
  );
  function stop(): void {
    stopped = true;
    for (const each of kept) each.stop();
  }

  const states = await Promise.all(kept.map(({ firstState }) => firstState));
  if (states.includes('SUBSCRIBED')) return { state: 'SUBSCRIBED', stop };
  stop();
  return { state: states.every((state) => state === 'IMPOSSIBLE') ? 'IMPOSSIBLE' : 'UNAVAILABLE' };
}

/** Keeps one node's subscription until it is stopped. */
function keepSubscribed(rpc: ChainRpc, onPush: () => void) {
  let stopped = false;
  let stopCurrent: (() => void) | undefined;
  let renewal: NodeJS.Timeout | undefined;

  async function subscribe(): Promise<HeadSubscription['state']> {
    const subscription = await rpc.subscribeHeads(onPush, renew);
    if (subscription.state === 'UNAVAILABLE') renew();
    if (subscription.state === 'SUBSCRIBED') {
      stopCurrent = () => subscription.stop();
      if (stopped) stopCurrent();
    }
    return subscription.state;
  }

  function renew(): void {
    if (stopped) return;
    clearTimeout(renewal);
    renewal = setTimeout(() => void subscribe(), RENEW_MS).unref();
  }

  return {
    firstState: subscribe(),
    stop(): void {
      stopped = true;
      clearTimeout(renewal);
      stopCurrent?.();
    },
  };
}

/** Acts at once. Calls during the pause are answered by one act at its end. */
function atMostEvery(pauseMs: number, act: () => void): () => void {
  let isPausing = false;
  let isDue = false;
  return function call() {
    isDue = isPausing;
    if (isPausing) return;
    isPausing = true;
    act();
    setTimeout(() => {
      isPausing = false;
      if (isDue) call();
    }, pauseMs).unref();
  };
}
