import { eip55 } from '@fairway/api';
import { toAddress } from '@fairway/engine';
import { type Hex, isBound } from '@fairway/relay';
import { defined } from '@fairway/values';
import type { RelayerView } from '@fairway/wire';
import { NoResultError } from 'kysely';
import { areNodesAway } from '../../platform/chains/connectChain.ts';
import { readTroubles } from '../../platform/database/relayers.ts';
import { createRelayStore } from '../../platform/database/relayStore.ts';
import type { Database } from '../../platform/database/schema.ts';
import { readTopUps } from '../../platform/database/topUps.ts';
import type { Relayers } from '../executions/index.ts';
import { type Relayer, relayerIdOf } from '../../platform/relaying/relayer.ts';

/** All relayers, in the order of the configuration. */
export function relayerViews(database: Database, relayers: Relayers): Promise<readonly RelayerView[]> {
  const nowMs = Date.now();
  return Promise.all([...relayers.values()].map((each) => relayerView(database, each, nowMs, relayers)));
}

/** A relayer as the database and the chain have it now, without what is not known. */
export async function relayerView(
  database: Database,
  site: Relayer,
  nowMs: number,
  relayers: Relayers,
): Promise<RelayerView> {
  const { relayerId, chainId, address, signerKind } = site;
  const known = await createRelayStore(database)
    .read(relayerId)
    .catch((error: unknown) => {
      if (!(error instanceof NoResultError)) throw error;
      return undefined;
    });
  const [seen, troubles, oldest, topUp] = await Promise.all([
    known === undefined ? {} : seenOf(site),
    known === undefined ? {} : readTroubles(database, relayerId),
    oldestOf(database, relayerId),
    topUpOf(database, site, relayers),
  ]);
  return defined({
    ...{ relayerId, chainId, address: eip55(toAddress(address)), signer: signerKind, state: site.state() },
    ...seen,
    nextNonce: known?.relayer.nextNonce,
    pending: known?.open.filter(isBound).length,
    waiting: known?.open.filter((each) => !isBound(each)).length,
    oldestPendingSec: oldest && Math.max(0, Math.floor((nowMs - oldest.getTime()) / 1000)),
    paused: known?.relayer.isPaused,
    disabledReason: known?.relayer.disabled,
    ...troubles,
    topUp,
  });
}

/** Who fills it up, and whether that is under way; undefined where the policy says nothing of it. */
async function topUpOf(
  database: Database,
  { address, chainId, chainPolicy }: Relayer,
  relayers: Relayers,
): Promise<RelayerView['topUp'] | undefined> {
  const entry = chainPolicy.topUps.find(({ to }) => to === address);
  if (entry === undefined) return undefined;
  const from = relayers.get(relayerIdOf(chainId, entry.from as Hex));
  const { open } = from === undefined ? {} : await readTopUps(database, from.relayerId, address);
  return defined({
    from: eip55(toAddress(entry.from)),
    below: String(entry.belowWei),
    amount: String(entry.amountWei),
    relayTransactionId: open,
    failure: from?.topUpRefusalOf(address),
  });
}

/** What the chain has of it; nothing while its nodes do not answer alike. Nobody waits for them then. */
async function seenOf({ look, state }: Relayer) {
  if (state() === 'STARTING' || state() === 'NODES_AWAY') return {};
  try {
    const { nonceLatest, nonceFinal, balanceWei } = await look();
    return { balance: String(balanceWei), nonceLatest, nonceFinal };
  } catch (error) {
    if (!areNodesAway(error)) throw error;
    return {};
  }
}

/** When the oldest execution was accepted of which something has not ended. */
async function oldestOf(database: Database, relayerId: string): Promise<Date | undefined> {
  const row = await database
    .selectFrom('instructions')
    .innerJoin('executions', 'executions.execution_id', 'instructions.execution_id')
    .where('relayer_id', '=', relayerId)
    .where('outcome', 'is', null)
    .select('accepted_at')
    .orderBy('accepted_at')
    .limit(1)
    .executeTakeFirst();
  return row?.accepted_at;
}
