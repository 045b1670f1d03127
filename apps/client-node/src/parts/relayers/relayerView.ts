import { eip55 } from '@fairway/api';
import { toAddress } from '@fairway/engine';
import { isBound } from '@fairway/relay';
import { defined } from '@fairway/values';
import type { RelayerView } from '@fairway/wire';
import { NoResultError } from 'kysely';
import { areNodesAway } from '../../platform/chains/connectChain.ts';
import { readTroubles } from '../../platform/database/relayers.ts';
import { createRelayStore } from '../../platform/database/relayStore.ts';
import type { Database } from '../../platform/database/schema.ts';
import { readSender } from '../../platform/relaying/callFacts.ts';
import type { Relayers } from '../executions/index.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';

/** All relayers, in the order of the configuration. */
export function relayerViews(database: Database, relayers: Relayers): Promise<readonly RelayerView[]> {
  const nowMs = Date.now();
  return Promise.all([...relayers.values()].map((each) => relayerView(database, each, nowMs)));
}

/** A relayer as the database and the chain have it now, without what is not known. */
export async function relayerView(database: Database, site: Relayer, nowMs: number): Promise<RelayerView> {
  const { relayerId, chainId, address, signerKind } = site;
  const known = await createRelayStore(database)
    .read(relayerId)
    .catch((error: unknown) => {
      if (!(error instanceof NoResultError)) throw error;
      return undefined;
    });
  const [seen, troubles, oldest] = await Promise.all([
    known === undefined ? {} : seenOf(site),
    known === undefined ? {} : readTroubles(database, relayerId),
    oldestOf(database, relayerId),
  ]);
  return defined({
    ...{ relayerId, chainId, address: eip55(toAddress(address)), signer: signerKind, state: site.state() },
    ...seen,
    nextNonce: known?.relayer.nextNonce,
    pending: known?.open.filter(isBound).length,
    oldestPendingSec: oldest && Math.max(0, Math.floor((nowMs - oldest.getTime()) / 1000)),
    paused: known?.relayer.isPaused,
    disabledReason: known?.relayer.disabled,
    ...troubles,
  });
}

/** What the chain has of it; nothing while its nodes do not answer alike. Nobody waits for them then. */
async function seenOf({ address, request, look, state }: Relayer) {
  if (state() === 'STARTING' || state() === 'NODES_AWAY') return {};
  try {
    const [{ nonceLatest, nonceFinal }, { balanceWei }] = await Promise.all([
      look(),
      readSender(request, address),
    ]);
    return { balance: String(balanceWei), nonceLatest, nonceFinal };
  } catch (error) {
    if (!areNodesAway(error)) throw error;
    return {};
  }
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
