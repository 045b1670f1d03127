import { createHash } from 'node:crypto';
import type { ChainRpc } from '@fairway/evm';
import type { Asked, Refusal, TopUpPolicy } from '@fairway/policies';
import type { Hex, Look } from '@fairway/relay';
import { type GivenCall, NATIVE } from '@fairway/sdk/checks';
import type { Logger } from 'pino';
import { acceptExecution, executionIdOf } from '../database/executions.ts';
import type { Database } from '../database/schema.ts';
import { nextTopUpKey, readTopUps } from '../database/topUps.ts';
import { readSender } from './callFacts.ts';
import type { Judged, ProposalJudge } from './judgeProposal.ts';

/** What a relayer tops others up with. */
export type TopUpOptions = {
  readonly database: Database;
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  readonly request: ChainRpc['request'];
  /** What the policy says of its top-ups. */
  readonly entries: readonly TopUpPolicy[];
  judgeNew(proposal: Parameters<ProposalJudge>[0], executionId: string): Promise<Judged>;
  /** The newest look at the chain; undefined before the first. */
  newest(): Look | undefined;
  /** Says that there is something to sign. */
  wake(): void;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** Fills others up. */
export type TopUps = {
  /** Looks at each new block who has too little, and takes on what fills them up. */
  look(): Promise<void>;
  /** Why the last try for an account was refused. */
  refusalOf(to: string): Refusal | undefined;
};

/** How long a top-up may wait to be signed. Then it ends, and it is seen anew whether one is needed. */
const LIFE_MS = 10 * 60_000;

/** Makes what tops others up out of a relayer's own balance. */
export function createTopUps(options: TopUpOptions): TopUps {
  const { database, relayerId, entries, newest } = options;
  const refusals = new Map<string, Refusal>();
  let watched: number | undefined;
  return {
    refusalOf: (to) => refusals.get(to),
    async look() {
      const look = newest();
      if (entries.length === 0 || look === undefined || look.head.number === watched) return;
      const kept = await database
        .selectFrom('relayers')
        .where('relayer_id', '=', relayerId)
        .select(['is_paused', 'disabled'])
        .executeTakeFirstOrThrow();
      if (kept.is_paused || kept.disabled !== null) return;
      const validUntilMs = look.head.timestampMs + LIFE_MS;
      for (const entry of entries) await topUp(options, entry, refusals, validUntilMs);
      watched = look.head.number;
    },
  };
}

/**
 * Takes one top-up on where an account has too little. The key is chosen first, then it is seen that none is under way,
 * then the balance is read. So two processes, or one that was killed, take the same key: it is taken once, and the
 * balance has all that came before.
 */
async function topUp(
  options: TopUpOptions,
  entry: TopUpPolicy,
  refusals: Map<string, Refusal>,
  validUntilMs: number,
): Promise<void> {
  const { database, relayerId, request, log } = options;
  const { to, belowWei, amountWei } = entry;
  const isLow = async (lastBlock: number) => {
    const { head, balanceWei } = await readSender(request, to as Hex);
    return balanceWei < belowWei && head.number >= BigInt(lastBlock);
  };
  if (!(await isLow(0))) {
    refusals.delete(to);
    return;
  }
  const key = await nextTopUpKey(database, relayerId, to);
  const { open, lastBlock } = await readTopUps(database, relayerId, to);
  if (open !== undefined || !(await isLow(lastBlock))) return;
  const { asked, call } = proposalOf(options, entry);
  const judged = await options.judgeNew({ asked, said: {}, calls: [call] }, executionIdOf(key));
  if (!judged.allowed) {
    const [refusal] = judged.refusals;
    if (refusal === undefined) return;
    if (refusals.get(to)?.code !== refusal.code) log.warn({ to, ...refusal }, 'A top-up is refused');
    refusals.set(to, refusal);
    return;
  }
  refusals.delete(to);
  const { state, executionId } = await acceptExecution(database, {
    ...{ key, relayerId, bodyFingerprint: createHash('sha256').update(key).digest() },
    ...{ grounds: { asked, said: {} }, takes: judged.takes, validUntilMs },
    calls: [
      { chainId: asked.chainId, sender: options.address, to: to as Hex, data: '0x', valueWei: amountWei },
    ],
  });
  if (state !== 'ACCEPTED') return;
  log.info({ to, executionId, amountWei: String(amountWei) }, 'A top-up is taken on');
  options.wake();
}

function proposalOf(
  { chainId, address }: TopUpOptions,
  { to, amountWei }: TopUpPolicy,
): { readonly asked: Asked; readonly call: GivenCall } {
  return {
    asked: {
      ...{ chainId, tradeType: 'EXACT_IN', tokenIn: NATIVE, tokenOut: NATIVE, amount: amountWei },
      ...{ limit: { minAmountOut: amountWei }, sender: address, recipient: to },
    },
    call: { kind: 'EVM_CALL', chainId, to, data: '0x', value: String(amountWei) },
  };
}
