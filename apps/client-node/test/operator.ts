// What an operator does about a relayer that is disabled.
import { createChainRpc } from '@fairway/evm';
import { createRelayChain } from '../src/platform/chains/relayChain.ts';
import { openJournal } from '../src/platform/journal/journal.ts';
import { reconcile, type Reconciled } from '../src/platform/relaying/reconcile.ts';
import { type Ground, mine, until } from './ground.ts';

/** In a process of its own, whose journal says nothing. */
export async function reconciled({ database, node, order, another }: Ground): Promise<Reconciled> {
  const nodes = [{ name: 'node', rpc: createChainRpc([node.url], 2000) }];
  const [{ rpc }] = nodes as [(typeof nodes)[0]];
  const chain = createRelayChain({ request: rpc.request, nodes, confirmations: order.confirmations });
  const journal = openJournal(another('operator').journalPath);
  try {
    return await reconcile({ database, chain, rules: order.rules, journal }, 'r');
  } finally {
    journal.close();
    rpc.close();
  }
}

/** Reconciles again and again, until nothing is open. */
export async function untilReconciled(ground: Ground): Promise<void> {
  await until(
    // The nodes may be away for a moment, as for everybody.
    async () => (await reconciled(ground).catch(() => undefined))?.open === 0,
    'all cancellations are final',
    () => mine(ground),
  );
}
