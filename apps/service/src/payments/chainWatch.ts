import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import { readBlockHash, readReplacement, touchedAddresses } from '@fairway/evm';
import {
  type Evidence,
  evidenceOf,
  judgePayout,
  judgeSwap,
  type Plan,
  type PlanEvent,
  type Step,
  stepOf,
  swapTransactions,
  type TransactionFacts,
} from '@fairway/plan';
import type { Unavailable } from '@fairway/postgres';
import type { Environment, PlanScope, ScopedPlanId, WatchedPlan } from '@fairway/store';
import type { Logger } from 'pino';
import type { ChainService } from '../chains/chainService.ts';
import { createReminder } from '../time/reminder.ts';
import { reached, readTransactionFacts, readSwapFacts } from './chainFacts.ts';
import type { PaymentParts } from './paymentParts.ts';
import { payoutAddressesOf } from './payoutAddresses.ts';
import { carriedOn, recordDeposit, SERVICE_ACTOR } from './planWork.ts';

/**
 * How many blocks a recorded transaction or deposit is compared with the chain after its block. A reorganisation deeper
 * than this is not noticed. 64 blocks are two epochs of Ethereum, after which a block is normally final. The market
 * follows deeper reorganisations, of up to 128 blocks.
 */
const WATCHED_BLOCKS = 64;
/** How often the watch looks for a new head. */
const TICK_MS = 200;
/** How often every plan is compared, even when no new head has come. */
const EVERYTHING_MS = 30_000;
/**
 * How many plans are compared at once, for deposits and for evidence separately. Small, so that enough database
 * connections are left for requests: a comparison mostly waits for the node.
 */
const PLANS_AT_ONCE = 4;

/** A running watch of one chain. */
export type ChainWatch = { close(): Promise<void> };

/**
 * Watches a chain for deposits and for the transactions that are evidence of a step: it records confirmations,
 * reorganisations and transactions that were mined again. Each new head of the market starts a comparison of the
 * recorded state with the chain's state, so changes that happen while the chain or the database is away are found
 * later.
 */
export function startChainWatch(
  parts: PaymentParts,
  chain: ChainService,
  environment: Environment,
  log: Logger,
): ChainWatch {
  const closing = new AbortController();
  const { signal } = closing;
  const view: View = { parts, chain, environment, log: log.child({ chainId: chain.chainId }), signal };

  async function watch(pass: Pass): Promise<void> {
    let seenHash = '';
    let everythingAtMs = 0;
    const reminder = createReminder(() => performance.now());
    while (!signal.aborted) {
      const head = chain.follower.head();
      const isDue = performance.now() >= everythingAtMs;
      if (head !== undefined && (head.hash !== seenHash || isDue)) {
        try {
          await pass(head.number, isDue);
          seenHash = head.hash;
          if (isDue) everythingAtMs = performance.now() + EVERYTHING_MS;
          reminder.forget();
        } catch (error) {
          if (reminder.isDue(String(error)))
            view.log.warn({ err: error }, 'Payment plans cannot be compared with the chain for now');
        }
      }
      await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  // Two separate loops, so that many deposits cannot delay the comparison of evidence.
  const watching = Promise.all([watch(createDepositPass(view)), watch(createEvidencePass(view))]);
  return {
    async close() {
      closing.abort();
      await watching;
    },
  };
}

/** What a comparison works with. */
type View = {
  readonly parts: PaymentParts;
  readonly chain: ChainService;
  readonly environment: Environment;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** Compares the plans of a kind with the chain once. Throws when the database or the node cannot answer. */
type Pass = (headNumber: bigint, everything: boolean) => Promise<void>;

function createDepositPass(view: View): Pass {
  const { parts, chain, environment } = view;
  /** By plan id: the block up to which the transfers to its deposit address are recorded. */
  const lookedAt = new Map<string, bigint>();

  return async (headNumber, everything) => {
    const watched = found(await parts.store.payments.watchedPlans(environment, chain.chainId));
    const known = new Set(watched.map(({ planId }) => planId));
    for (const planId of lookedAt.keys()) if (!known.has(planId)) lookedAt.delete(planId);
    const touched = await touchedAddressesOf(chain, watched, lookedAt, headNumber);
    const due: WatchedPlan[] = [];
    for (const plan of watched) {
      const { planId, depositAddress } = plan;
      const isDue = everything || !lookedAt.has(planId) || isYoung(plan, headNumber);
      if (isDue || touched.has(depositAddress)) due.push(plan);
      else lookedAt.set(planId, headNumber);
    }
    await forEachPlan(view, due, async (scope, plan) => {
      // Deleted until this plan is recorded again: an old block of one plan would make the search for touched addresses
      // start that far back for all plans.
      lookedAt.delete(plan.planId);
      const observed = await recordDeposit(parts, scope, plan);
      if (!observed.ok) return;
      lookedAt.set(plan.planId, headNumber);
      await carriedOn(parts, scope, observed.value);
    });
  };
}

function createEvidencePass(view: View): Pass {
  const { parts, chain, environment } = view;
  return async (headNumber) => {
    const since = Number(headNumber) - WATCHED_BLOCKS;
    const resting = found(await parts.store.payments.plansWithEvidence(environment, chain.chainId, since));
    const canonical = rememberedHashes(chain);
    await forEachPlan(view, resting, (scope, plan) => compareEvidence(parts, chain, scope, plan, canonical));
  };
}

function found<Plans>(answer: { readonly ok: true; readonly plans: Plans } | Unavailable): Plans {
  if (!answer.ok) throw new Error(answer.detail);
  return answer.plans;
}

/**
 * Compares plans, `PLANS_AT_ONCE` at a time; each plan is loaded right before its comparison. An error of one plan is
 * logged and does not stop the others; the next pass tries this plan again. Throws when the database cannot answer, and
 * ends early when the watch closes.
 */
async function forEachPlan(
  { parts, log, signal }: View,
  plans: readonly ScopedPlanId[],
  compare: (scope: PlanScope, plan: Plan) => Promise<void>,
): Promise<void> {
  let away: string | undefined;
  async function compareOne({ scope, planId }: ScopedPlanId): Promise<void> {
    try {
      const loaded = await parts.store.payments.loadPlan(scope, planId);
      if (!loaded.ok) away = loaded.detail;
      else if (loaded.plan !== undefined) await compare(scope, loaded.plan);
    } catch (error) {
      log.warn({ err: error, planId }, 'A payment plan cannot be compared with the chain for now');
    }
  }
  // All workers share this iterator, so each plan is compared once.
  const waiting = plans.values();
  async function compareNext(): Promise<void> {
    for (const plan of waiting) {
      if (signal.aborted || away !== undefined) return;
      await compareOne(plan);
    }
  }
  await Promise.all(Array.from({ length: PLANS_AT_ONCE }, compareNext));
  if (away !== undefined) throw new Error(away);
}

/** Whether a deposit has too few confirmations, or is so recent that a reorganisation may remove it. */
function isYoung({ isConfirming, lastBlockNumber }: WatchedPlan, headNumber: bigint): boolean {
  return (
    isConfirming || (lastBlockNumber !== undefined && lastBlockNumber + BigInt(WATCHED_BLOCKS) > headNumber)
  );
}

/** The deposit addresses that received a transfer in a block since the last comparison. */
async function touchedAddressesOf(
  chain: ChainService,
  plans: readonly WatchedPlan[],
  lookedAt: ReadonlyMap<string, bigint>,
  headNumber: bigint,
): Promise<ReadonlySet<string>> {
  const known = plans.filter(({ planId }) => lookedAt.has(planId));
  const least = known.reduce((lowest, { planId }) => {
    const seen = lookedAt.get(planId) ?? 0n;
    return seen < lowest ? seen : lowest;
  }, headNumber);
  // Blocks that were searched before are searched again: a reorganisation can put deposits into them.
  const fromBlock = least > BigInt(WATCHED_BLOCKS) ? least - BigInt(WATCHED_BLOCKS) : 0n;
  const tokens = [...new Set(known.map(({ token }) => toAddress(token)))];
  const addresses = [...new Set(known.map(({ depositAddress }) => toAddress(depositAddress)))];
  const touched = await reached(() =>
    touchedAddresses(chain.request, { tokens, addresses, fromBlock, toBlock: headNumber }),
  );
  if (touched === undefined) throw new Error('The node of the chain does not answer.');
  return new Set([...touched].map(String));
}

type CanonicalHash = (blockNumber: number) => Promise<string | undefined>;

function rememberedHashes(chain: ChainService): CanonicalHash {
  const known = new Map<number, Promise<string | undefined>>();
  return (blockNumber) => {
    const asked = known.get(blockNumber) ?? reached(() => readBlockHash(chain.request, BigInt(blockNumber)));
    known.set(blockNumber, asked);
    return asked;
  };
}

/**
 * One recorded event can make another event possible, so a plan is compared again after a change, this often at most.
 */
const ROUNDS = 3;

/** Compares the transactions that are evidence of a plan's steps with the chain, and records what has changed. */
async function compareEvidence(
  parts: PaymentParts,
  chain: ChainService,
  scope: PlanScope,
  plan: Plan,
  canonical: CanonicalHash,
): Promise<void> {
  let now = plan;
  // Repeated here instead of at the next head, which may come much later.
  for (let round = 1; round <= ROUNDS; round++) {
    const { revision } = now;
    for (const { stepId } of plan.steps) {
      const step = stepOf(now, stepId);
      const event = step && (await eventOf(parts, chain, now, step, canonical));
      if (event === undefined) continue;
      const deed = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
      const changed = await parts.store.payments.changePlan(scope, plan.planId, event, deed);
      if (changed.ok || changed.reason === 'REFUSED') now = changed.plan;
      // Thrown so that it is logged with each block: the plan shows a transaction that the chain no longer has, and an
      // operator must know.
      else if (changed.reason === 'DEPOSIT_ADDRESS_IN_USE')
        throw new Error(
          `${event.type} would open the plan again, and another open plan has its deposit address.`,
        );
    }
    if (now.revision === revision) return;
  }
}

/** The event that brings a step up to date with the chain; undefined when there is nothing to record. */
async function eventOf(
  parts: PaymentParts,
  chain: ChainService,
  plan: Plan,
  step: Step,
  canonical: CanonicalHash,
): Promise<PlanEvent | undefined> {
  const evidence = evidenceOf(step);
  const isCanonical =
    evidence !== undefined && (await canonical(evidence.blockNumber)) === evidence.blockHash;
  if (isCanonical && evidence.status === 'FINAL') return undefined;
  const hashes = step.type === 'EXECUTE_SWAP' ? swapTransactions(plan) : [evidence?.txHash ?? []].flat();
  for (const txHash of hashes) {
    const isSwap = step.type === 'EXECUTE_SWAP';
    const reading = await (isSwap ? readSwapFacts(chain, plan, txHash) : readTransactionFacts(chain, txHash));
    const found = reading.outcome === 'MINED' ? foundEvent(parts, plan, step, reading.facts) : undefined;
    if (found !== undefined) return found;
    if (txHash !== evidence?.txHash || evidence.status === 'LOST' || isCanonical) continue;
    // The evidence is lost only when the node has another block at its height. A node that lags behind has none there.
    // The hash is read again, because the evidence may be newer than the remembered hash.
    const hashNow = await reached(() => readBlockHash(chain.request, BigInt(evidence.blockNumber)));
    const isUnsure = hashNow === undefined || hashNow === evidence.blockHash;
    const isAway = reading.outcome === 'UNREACHABLE' || reading.outcome === 'CONTRADICTED';
    if (isAway || isUnsure) continue;
    const cause = await causeOf(chain, evidence, reading.outcome);
    return { type: 'EVIDENCE_LOST', stepId: step.stepId, txHash, cause };
  }
  return undefined;
}

/** The event that a mined transaction proves for a step; undefined when it proves none. */
function foundEvent(
  { corridors }: PaymentParts,
  plan: Plan,
  { type, stepId }: Step,
  facts: TransactionFacts,
): PlanEvent | undefined {
  if (type === 'EXECUTE_SWAP') {
    const judged = judgeSwap(plan, facts);
    if (!judged.ok) return undefined;
    const { attemptIndex, evidence } = judged;
    return { type: 'SWAP_EVIDENCED', stepId, attemptIndex, evidence };
  }
  if (type === 'AWAIT_DEPOSIT') return undefined;
  const judged = judgePayout(plan, facts, { payoutAddresses: payoutAddressesOf(corridors, plan) });
  if (!judged.ok) return undefined;
  const { verification, evidence } = judged;
  if (type === 'CUSTODIAN_PAYOUT') return { type: 'PAYOUT_DONE', stepId, verification, evidence };
  return { type: 'DELIVERY_REPORTED', stepId, status: 'DELIVERED', verification, evidence };
}

/** REPLACED only where the other transaction is seen: its plan must never be told to give up one that may still be mined. */
async function causeOf(
  chain: ChainService,
  { txHash, sender, nonce }: Evidence,
  outcome: 'MINED' | 'PENDING' | 'NONE',
): Promise<'REPLACED' | 'REORGANISED'> {
  if (outcome !== 'NONE') return 'REORGANISED';
  const lost = { txHash, sender: toAddress(sender), nonce };
  const replacedBy = await reached(() => readReplacement(chain.request, lost));
  return replacedBy === undefined ? 'REORGANISED' : 'REPLACED';
}
