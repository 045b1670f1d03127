import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import { isNonceUsed, readBlockHash, touchedAddresses } from '@fairway/evm';
import {
  type Evidence,
  evidenceOf,
  judgeDelivery,
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
import { carriedOn, recordDeposit, SERVICE_ACTOR } from './planWork.ts';

/**
 * Blocks after a transaction during which a reorganisation of it is looked for: two epochs of Ethereum, after which a
 * block is final. The market follows deeper reorganisations, as its journal has 128 blocks.
 */
const WATCHED_BLOCKS = 64;
/** How often the head is looked at, and how often everything is looked at although no head came. */
const TICK_MS = 200;
const EVERYTHING_MS = 30_000;
/**
 * How many plans are compared at once, of those with deposits and of those with evidence each. Most of it is waiting
 * for the node; while it is not, requests find connections of the database left.
 */
const PLANS_AT_ONCE = 4;

/** Watches one chain for plans until it is closed. */
export type ChainWatch = { close(): Promise<void> };

/**
 * Watches a chain for deposits and for transactions that plans rest on: confirmations, reorganisations, transactions
 * mined again. Driven by the market's heads; what it misses while chain or database are away it finds afterwards,
 * because it compares what is recorded with what the chain shows now.
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

  // Apart from each other: however many deposits there are to look at, they hold up no evidence.
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

/** One comparison of plans with the chain. Throws when database or node cannot be asked. */
type Pass = (headNumber: bigint, everything: boolean) => Promise<void>;

function createDepositPass(view: View): Pass {
  const { parts, chain, environment } = view;
  /** The block up to which each watched plan's address was looked at. */
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
      // Out of the reckoning while it cannot be read: the others need not look as far back for its sake.
      lookedAt.delete(plan.planId);
      const observed = await recordDeposit(parts, scope, plan);
      if (observed === undefined) return;
      lookedAt.set(plan.planId, headNumber);
      await carriedOn(parts, scope, observed);
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
 * Compares plans a few at a time, each as it stands when its turn comes. What goes wrong with one is logged and left to
 * the next pass; the others go on. Throws when the database cannot be asked, and ends early when the watch closes.
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
  // One line for all: whoever is free takes the next.
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

/** Whether a deposit has too few confirmations, or is so young that a reorganisation may take it. */
function isYoung({ isConfirming, lastBlockNumber }: WatchedPlan, headNumber: bigint): boolean {
  return (
    isConfirming || (lastBlockNumber !== undefined && lastBlockNumber + BigInt(WATCHED_BLOCKS) > headNumber)
  );
}

/** Deposit addresses that blocks since the last look brought something to. */
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
  // Not only what came since: a reorganisation brings deposits into blocks that were looked at before.
  const fromBlock = least > BigInt(WATCHED_BLOCKS) ? least - BigInt(WATCHED_BLOCKS) : 0n;
  const tokens = [...new Set(known.map(({ token }) => toAddress(token)))];
  const addresses = [...new Set(known.map(({ depositAddress }) => toAddress(depositAddress)))];
  const touched = await reached(() =>
    touchedAddresses(chain.request, { tokens, addresses, fromBlock, toBlock: headNumber }),
  );
  if (touched === undefined) throw new Error('The chain does not answer.');
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

/** What one event says of a plan may make another one true; more rounds than this settle any plan. */
const ROUNDS = 3;

/** Compares the transactions a plan rests on with the chain, and records what has changed. */
async function compareEvidence(
  parts: PaymentParts,
  chain: ChainService,
  scope: PlanScope,
  plan: Plan,
  canonical: CanonicalHash,
): Promise<void> {
  let now = plan;
  // To the end, here: the next head may be long in coming.
  for (let round = 1; round <= ROUNDS; round++) {
    const { revision } = now;
    for (const { stepId } of plan.steps) {
      const step = stepOf(now, stepId);
      const event = step && (await eventOf(chain, now, step, canonical));
      if (event === undefined) continue;
      const deed = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
      const changed = await parts.store.payments.changePlan(scope, plan.planId, event, deed);
      if (changed.ok || changed.reason === 'REFUSED') now = changed.plan;
      // Logged with each block while it can be looked at: somebody has to know that the plan says more than the chain.
      else if (changed.reason === 'DEPOSIT_ADDRESS_IN_USE')
        throw new Error(
          `${event.type} would open the plan again, and another open plan has its deposit address.`,
        );
    }
    if (now.revision === revision) return;
  }
}

/** What the chain says now that is not recorded of a step; undefined when nothing. */
async function eventOf(
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
    const found = reading.outcome === 'MINED' ? foundEvent(plan, step, reading.facts) : undefined;
    if (found !== undefined) return found;
    if (txHash !== evidence?.txHash || evidence.status === 'LOST' || isCanonical) continue;
    // A node that lags behind does not have the block yet: only one that has another block there says it is gone. Asked
    // anew, as the evidence may be younger than what is remembered.
    const hashNow = await reached(() => readBlockHash(chain.request, BigInt(evidence.blockNumber)));
    const isUnsure = hashNow === undefined || hashNow === evidence.blockHash;
    if (reading.outcome === 'UNREACHABLE' || isUnsure) continue;
    const cause = await causeOf(chain, evidence, reading.outcome);
    return { type: 'EVIDENCE_LOST', stepId: step.stepId, txHash, cause };
  }
  return undefined;
}

/** What a mined transaction says of a step, where it bears the step out. */
function foundEvent(plan: Plan, { type, stepId }: Step, facts: TransactionFacts): PlanEvent | undefined {
  if (type === 'EXECUTE_SWAP') {
    const judged = judgeSwap(plan, facts);
    if (!judged.ok) return undefined;
    const { attemptIndex, evidence } = judged;
    return { type: 'SWAP_EVIDENCED', stepId, attemptIndex, evidence };
  }
  const verification = 'VERIFIED';
  if (type === 'SEND_DIGITAL_COLLECT') {
    const judged = judgeDelivery(plan, facts);
    if (!judged.ok) return undefined;
    const { evidence } = judged;
    return { type: 'DELIVERY_REPORTED', stepId, status: 'DELIVERED', verification, evidence };
  }
  if (type !== 'CUSTODIAN_PAYOUT' || plan.recipient.type !== 'wallet') return undefined;
  const judged = judgePayout(plan, facts, plan.recipient.address);
  if (!judged.ok) return undefined;
  return { type: 'PAYOUT_DONE', stepId, verification, evidence: judged.evidence };
}

async function causeOf(
  chain: ChainService,
  { sender, nonce }: Evidence,
  outcome: 'MINED' | 'PENDING' | 'NONE',
): Promise<'REPLACED' | 'REORGANISED'> {
  if (outcome !== 'NONE') return 'REORGANISED';
  const isUsed = await reached(() => isNonceUsed(chain.request, { sender: toAddress(sender), nonce }));
  return isUsed === true ? 'REPLACED' : 'REORGANISED';
}
