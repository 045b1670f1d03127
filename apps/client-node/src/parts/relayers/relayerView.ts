import { eip55 } from '@fairway/api';
import { toAddress } from '@fairway/engine';
import { isBound } from '@fairway/relay';
import { defined } from '@fairway/values';
import type { RelayerView } from '@fairway/wire';
import { readTroubles } from '../../platform/database/relayers.ts';
import { createRelayStore } from '../../platform/database/relayStore.ts';
import type { Database } from '../../platform/database/schema.ts';
import { balanceOf } from '../../platform/relaying/callFacts.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';

/** A relayer as the database and the chain have it now. */
export async function relayerView(database: Database, site: Relayer, nowMs: number): Promise<RelayerView> {
  const [kept, { nonceLatest, nonceFinal }, balanceWei] = await Promise.all([
    keptRelayer(database, site, nowMs),
    site.look(),
    balanceOf(site.request, site.address),
  ]);
  return { ...kept, balance: String(balanceWei), nonceLatest, nonceFinal };
}

/** A relayer as the database has it. */
export async function keptRelayer(
  database: Database,
  { relayerId, chainId, address }: Relayer,
  nowMs: number,
): Promise<Omit<RelayerView, 'balance' | 'nonceLatest' | 'nonceFinal'>> {
  const [{ relayer, open }, troubles, oldest] = await Promise.all([
    createRelayStore(database).read(relayerId),
    readTroubles(database, relayerId),
    oldestOf(database, relayerId),
  ]);
  return defined({
    ...{ relayerId, chainId, address: eip55(toAddress(address)), signer: 'KEYSTORE' },
    nextNonce: relayer.nextNonce,
    pending: open.filter(isBound).length,
    oldestPendingSec: oldest && Math.max(0, Math.floor((nowMs - oldest.getTime()) / 1000)),
    paused: relayer.isPaused,
    disabledReason: relayer.disabled,
    ...troubles,
  });
}

/** When the oldest execution was accepted of which something is bound and has not ended. */
async function oldestOf(database: Database, relayerId: string): Promise<Date | undefined> {
  const row = await database
    .selectFrom('instructions')
    .innerJoin('executions', 'executions.execution_id', 'instructions.execution_id')
    .where('relayer_id', '=', relayerId)
    .where('outcome', 'is', null)
    .where('nonce', 'is not', null)
    .select('accepted_at')
    .orderBy('accepted_at')
    .limit(1)
    .executeTakeFirst();
  return row?.accepted_at;
}
