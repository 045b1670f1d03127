import { toAddress } from '@fairway/engine';
import { latestHead, readReplacement } from '@fairway/evm';
import {
  awaitedBlock,
  awaitedRefunds,
  type StepEvidence,
  evidenceOf,
  isOver,
  lastStep,
  lostPartsOf,
  pendingOf,
  type Plan,
  type PlanCommand,
  commandsFromRecord,
  stepOf,
  swapStep,
} from '@fairway/plan';
import type { ChainMoment, PlanScope } from '@fairway/store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { done, type Outcome, refuse } from '@fairway/api';
import { reached, readOrAway, readTransactionFacts } from './chainFacts.ts';
import type { PaymentParts } from './paymentParts.ts';
import { payoutAddressesOf } from './corridors/payoutAddresses.ts';
import { chainAway, CHAIN_BEHIND, MAYBE_EXECUTED } from './planProblems.ts';
import { tagsOf } from './planTags.ts';
import { recordFindings } from './recordFindings.ts';

/** The `actor` of commands that the service records without a request. */
export const SERVICE_ACTOR = 'service';

/**
 * A plan as the record of its chain shows it, and how far the record is. `isUnsure`: nodes could not say all that the
 * comparison needed, or something of the plan is not on the chain but may come back. `isMaybeExecuted`: the swap may
 * have been executed, and nobody can judge that yet, perhaps because the transaction was not read. No instructions may
 * be derived then. `obstacle`: why something that was found cannot be recorded.
 */
export type Compared = {
  readonly plan: Plan;
  readonly moment: ChainMoment;
  readonly isUnsure: boolean;
  readonly isMaybeExecuted: boolean;
  readonly obstacle?: string;
};

/**
 * A recorded command can make another command possible, and another plan can claim a transfer meanwhile. The plan is then
 * compared again, at most this often.
 */
const ROUNDS = 4;

/**
 * Brings a plan up to date with the record of its chain: deposits, swaps that nobody reported, payouts, confirmations,
 * and what a reorganisation took back. Something that is merely absent from the record is not taken back.
 */
export async function comparePlan(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
): Promise<Outcome<Compared>> {
  let now = plan;
  for (let round = 1; ; round += 1) {
    const { store, corridors } = parts;
    const tags = [...tagsOf(parts, now).keys()].map((digits) => `0x${digits}` as const);
    const ask = { tags, payoutAddresses: payoutAddressesOf(corridors, now) };
    const { view } = await store.record.view(scope, now, ask);
    const found = await recordFindings(parts, scope, now, view);
    const commands = commandsFromRecord(now, found.view, parts.nowMs());
    const recorded = await recordAll(parts, scope, now, commands);
    const { obstacle, isClaimed } = recorded;
    const isMore = obstacle === undefined && (isClaimed || recorded.plan.revision !== now.revision);
    now = recorded.plan;
    if (isMore && round < ROUNDS) continue;
    // A final transaction that is being confirmed in another block still has its former place on the plan.
    const isMoving = found.view.gone.length > 0;
    const isUnsure = found.isAway || isClaimed || isLost(now) || isMoving || isMore || view.isUnread;
    return done({
      plan: now,
      moment: view.moment,
      isUnsure,
      isMaybeExecuted: found.isMaybeExecuted || view.isUnread,
      ...(obstacle === undefined ? {} : { obstacle }),
    });
  }
}

/** Whether a transaction of the plan is not on the chain, and may be mined again. */
function isLost(plan: Plan): boolean {
  const isPayoutLost = evidenceOf(lastStep(plan))?.status === 'LOST';
  const { attempts, evidence } = swapStep(plan);
  const isSwapThere = evidence !== undefined && evidence.status !== 'LOST';
  const isSwapLost = !isSwapThere && attempts.some(({ outcome }) => outcome === 'LOST');
  return isPayoutLost || isSwapLost || lostPartsOf(plan).length > 0 || awaitedRefunds(plan) !== undefined;
}

type Recorded = { readonly plan: Plan; readonly isClaimed: boolean; readonly obstacle?: string };

async function recordAll(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  commands: readonly PlanCommand[],
): Promise<Recorded> {
  let now = plan;
  for (const command of commands) {
    const context = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
    const told = await withCause(parts, now, command);
    const changed = await parts.store.payments.changePlan(scope, plan.planId, told, context);
    if (changed.ok || changed.reason === 'REFUSED') now = changed.plan;
    else if (changed.reason === 'TRANSFER_CLAIMED') return { plan: now, isClaimed: true };
    else if (changed.reason === 'DEPOSIT_ADDRESS_IN_USE')
      return {
        plan: now,
        isClaimed: false,
        obstacle: `${command.type} would open the plan ${plan.planId} again, and another open plan has its deposit address.`,
      };
  }
  return { plan: now, isClaimed: false };
}

/**
 * The command with the cause of a loss. REPLACED only when the other transaction is seen: a plan must never give up a
 * transaction that may still be mined.
 */
async function withCause(parts: PaymentParts, plan: Plan, command: PlanCommand): Promise<PlanCommand> {
  if (command.type !== 'EVIDENCE_LOST') return command;
  const step = stepOf(plan, command.stepId);
  const evidence = step && evidenceOf(step);
  const chain = parts.chains.get(plan.corridor.source.chainId);
  if (evidence?.txHash !== command.txHash || chain === undefined) return command;
  return (await isReplaced(chain, plan, evidence)) ? { ...command, cause: 'REPLACED' } : command;
}

async function isReplaced(
  chain: ChainService,
  { watchFromBlock: sinceBlock }: Plan,
  { txHash, sender, nonce }: StepEvidence,
): Promise<boolean> {
  const reading = await readTransactionFacts(chain, txHash);
  if (reading.outcome !== 'NONE') return false;
  const lost = { txHash, sender: toAddress(sender), nonce, sinceBlock };
  return (await reached(() => readReplacement(chain.request, lost))) !== undefined;
}

/** How long a request waits for the record, and how often it looks. */
const [PATIENCE_MS, LOOK_MS] = [3_000, 40];

/**
 * Compares a plan with its chain as it is now. It waits a moment until the record is at the newest block of the nodes. The
 * record must also have read the transactions that may belong to the plan. It results in a problem when the record does not
 * get there. A record that no process keeps, or whose reader has lost its nodes, shows an old state of the chain. A newest
 * block that is too old to be the present is a problem, too.
 */
export async function compareUpToNow(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
): Promise<Outcome<Compared>> {
  const { chainId } = plan.corridor.source;
  const chain = parts.chains.get(chainId);
  if (chain === undefined) return refuse(chainAway('UNREACHABLE', chainId));
  const read = await readOrAway(() => latestHead(chain.request));
  if (!read.ok) return refuse(chainAway(read.away, chainId));
  const { number, timestampSeconds } = read.value;
  const ageMs = parts.nowMs() - 1000 * Number(timestampSeconds);
  if (chain.maxBlockAgeMs !== undefined && ageMs > chain.maxBlockAgeMs) return refuse(CHAIN_BEHIND);
  const key = { environment: scope.environment, chainId };
  for (const untilMs = performance.now() + PATIENCE_MS; ; ) {
    const found = await parts.store.record.position(key);
    const { state, readNumber = -1 } = found.moment;
    const isLate = performance.now() > untilMs;
    if (state === 'AT_HEAD' && BigInt(readNumber) >= number) {
      const compared = await comparePlan(parts, scope, plan);
      if (!compared.ok || !compared.value.isMaybeExecuted || isLate) return compared;
    } else if (isLate) return refuse(CHAIN_BEHIND);
    await sleep(LOOK_MS);
  }
}

/**
 * The plan after it was compared with its chain as it is now. Refused while the record is behind: money that the request
 * would move may have moved already, in a block that the record lacks. Refused too while a transaction that may have
 * executed the swap cannot be judged.
 */
export async function withChainRead(
  parts: PaymentParts,
  scope: PlanScope,
  before: Plan,
): Promise<Outcome<Plan>> {
  const compared = await compareUpToNow(parts, scope, before);
  if (!compared.ok) return compared;
  const { plan, isMaybeExecuted } = compared.value;
  return isMaybeExecuted ? refuse(MAYBE_EXECUTED) : done(plan);
}

/** The most that the wait between two tries grows: to 512 blocks. */
const MOST_DOUBLINGS = 9;

/** The block at which something is tried again that could not be done; ever later. 0: when the record is at its head. */
export function laterBlock({ readNumber }: ChainMoment, tries: number): number {
  return readNumber === undefined ? 0 : readNumber + 2 ** Math.min(tries, MOST_DOUBLINGS);
}

/**
 * The most that the wait between two looks for a submitted transaction grows: to 32 blocks. Nodes that are no archives show
 * one that replaced it in the latest 120 blocks alone.
 */
const MOST_DOUBLINGS_PENDING = 5;

/** The first looks are at each block: a look at a record that was behind counts for nothing. */
const EACH_BLOCK_LOOKS = 3;

function pendingDoublings(tries: number): number {
  return Math.min(Math.max(0, tries - EACH_BLOCK_LOOKS), MOST_DOUBLINGS_PENDING);
}

/** Whether a plan waits for a submitted transaction. A plan that is over only waits for another payment. */
export function isPending(plan: Plan): boolean {
  return pendingOf(plan).some(({ position }) => position === undefined || !isOver(plan));
}

/** The block at which a plan is to be compared again; undefined when it rests on nothing that can change by itself. */
export function nextLookAt({ plan, moment, isUnsure }: Compared, tries: number): number | undefined {
  const confirmed = awaitedBlock(plan);
  const looks = [
    ...(isUnsure ? [laterBlock(moment, tries)] : []),
    ...(isPending(plan) ? [laterBlock(moment, pendingDoublings(tries))] : []),
    ...(confirmed === undefined ? [] : [Math.max(confirmed, (moment.readNumber ?? -1) + 1)]),
  ];
  return looks.length === 0 ? undefined : Math.min(...looks);
}
