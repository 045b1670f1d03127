import { toAddress } from '@fairway/engine';
import { readReplacement } from '@fairway/evm';
import {
  fateOf,
  lastStep,
  type MinedTransaction,
  payingState,
  type PayingStep,
  type PendingTransaction,
  pendingOf,
  type TransactionSight,
  type Hash,
  type Plan,
  swapStep,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { type Acting, done, type Outcome, refuse } from '@fairway/api';
import { type Away, readOrAway, readSwapFacts, readTransactionFacts } from './chainFacts.ts';
import { finalBlockTimeMs } from './finalBlock.ts';
import { judgeExecution } from './executions.ts';
import { mayPay, payoutOnChain } from './claims/payout.ts';
import { type ClaimedCommand, recordClaim } from './claims/recordClaim.ts';
import type { PaymentParts } from './paymentParts.ts';
import { CHAIN_AWAY, chainAway, changeRefused } from './planProblems.ts';

/** Who looks: the service by itself, or an integrator whose request needs the answer. */
export type Looking = 'BY_ITSELF' | 'ASKED';

/**
 * The plan after its submitted transactions were looked for on the chain and their outcomes recorded. The outcome is
 * recorded when a transaction has executed the swap or paid the recipient, or when it certainly never will. Beside one
 * that paid all, it pays once more. `acting`: for the next change, because these changes raise the revision that the request was meant for.
 */
export async function resolvePendingTransactions(
  parts: PaymentParts,
  acting: Acting,
  before: Plan,
  looking: Looking,
): Promise<Outcome<{ readonly plan: Plan; readonly acting: Acting }>> {
  let [plan, by] = [before, acting];
  for (const { txHash } of pendingOf(before)) {
    // What became of one tells of the others of its nonce.
    const pending = pendingOf(plan).find((each) => each.txHash === txHash);
    const step = pending?.position === undefined ? lastStep(plan) : undefined;
    const claim = pending && (await outcomeOf(parts, { acting: by, plan, pending, step, looking }));
    if (claim?.ok === false) return claim;
    if (claim?.value === undefined) continue;
    const recorded = await recordClaim(parts, by, plan, claim.value);
    if (isDoubtful(recorded)) continue;
    if ('problem' in recorded) return refuse(recorded.problem);
    if (!recorded.ok) return refuse(changeRefused(recorded));
    plan = recorded.plan;
    const { expectedRevisions: _, ...anyRevision } = acting;
    by = anyRevision;
  }
  return done({ plan, acting: by });
}

/** Whether a transaction may be for something else than the plan. Only a report can say that it is not. */
function isDoubtful(recorded: Awaited<ReturnType<typeof recordClaim>>): boolean {
  if ('problem' in recorded) return recorded.problem.code === 'evidence-mismatch';
  return !recorded.ok && recorded.reason === 'TRANSFER_CLAIMED';
}

/** `step`: the one that pays the recipient, of a transaction that is to do so. */
type Look = {
  readonly acting: Acting;
  readonly plan: Plan;
  readonly pending: PendingTransaction;
  readonly step: PayingStep | undefined;
  readonly looking: Looking;
};

/** The command that says what became of a transaction; undefined while it may still be mined. */
async function outcomeOf(parts: PaymentParts, look: Look): Promise<Outcome<ClaimedCommand | undefined>> {
  const { plan, pending, step = swapStep(plan) } = look;
  const { chains, nowMs } = parts;
  const { chainId } = plan.corridor.source;
  const chain = chains.get(chainId);
  if (chain === undefined) return refuse(CHAIN_AWAY);
  // Read first: a transaction that is not in the blocks up to this one cannot come into them any more.
  const final = await finalBlockTimeMs(chain, plan);
  if (!final.ok) return refuse(chainAway(final.away, chainId));
  const own = await sightOf(parts, chain, look, pending.txHash);
  const other = own.kind === 'WAITING' ? await sightOfReplacement(parts, chain, look) : undefined;
  for (const seen of [own, other]) {
    if (seen?.kind === 'AWAY') return refuse(chainAway(seen.away, chainId));
    if (seen?.kind === 'EXECUTED') return done(seen.commandOf);
  }
  const fate = fateOf(plan, pending, {
    ...foundOf(own),
    isReplaced: other?.kind === 'OTHER' && other.isFinal,
    finalBlockTimeMs: final.timeMs,
    nowMs: nowMs(),
    canForget: canForget(look),
  });
  if (fate === undefined) return done(undefined);
  const { position, txHash } = pending;
  const { stepId } = step;
  const shownBy = fate === 'NOT_EXECUTED' ? minedBy(own) : fate === 'REPLACED' ? minedBy(other) : undefined;
  const told = defined({ position, shownBy });
  return done(async () => done({ type: 'EXECUTION_ENDED', stepId, txHash, fate, ...told }));
}

/**
 * Whether a transaction counts for nothing because it is long absent. Only the integrator's word ends a payment that is
 * due: it would be asked for again.
 */
function canForget({ step, looking }: Look): boolean {
  return step === undefined ? looking === 'ASKED' : payingState(step) === 'PAID';
}

/**
 * What the chain shows of a transaction. EXECUTED: it executed the swap, or may have paid the recipient. UNCLEAR: it is
 * mined, and no node can tell which calls it made; or it pays once more, and can still be taken back.
 */
type Sight =
  | { readonly kind: 'EXECUTED'; readonly commandOf: ClaimedCommand }
  | { readonly kind: 'OTHER'; readonly isFinal: boolean; readonly mined: MinedTransaction }
  | { readonly kind: 'WAITING'; readonly found: 'PENDING' | 'NONE' }
  | { readonly kind: 'UNCLEAR' }
  | { readonly kind: 'AWAY'; readonly away: Away };

async function sightOf(parts: PaymentParts, chain: ChainService, look: Look, txHash: Hash): Promise<Sight> {
  const { plan, step } = look;
  const reading =
    step === undefined ? await readSwapFacts(chain, plan, txHash) : await readTransactionFacts(chain, txHash);
  switch (reading.outcome) {
    case 'UNREACHABLE':
    case 'CONTRADICTED':
      return { kind: 'AWAY', away: reading.outcome };
    case 'PENDING':
    case 'NONE':
      return { kind: 'WAITING', found: reading.outcome };
    case 'MINED': {
      const { facts } = reading;
      const isFinal = facts.confirmations >= plan.corridor.minConfirmations;
      const { chainId, blockNumber, blockHash } = facts;
      const other: Sight = { kind: 'OTHER', isFinal, mined: { chainId, txHash, blockNumber, blockHash } };
      if (step !== undefined) {
        if (!(await mayPay(parts, look.acting.scope, plan, facts))) return other;
        if (!isFinal && payingState(step) === 'PAID') return { kind: 'UNCLEAR' };
        return {
          kind: 'EXECUTED',
          commandOf: (ignored) => paymentCommand(parts, look, step, txHash, ignored),
        };
      }
      const judged = await judgeExecution(parts, chain, plan, facts);
      if (judged.kind !== 'EXECUTED') return judged.kind === 'OTHER' ? other : { kind: 'UNCLEAR' };
      const { stepId } = swapStep(plan);
      const command = { type: 'EXECUTION_FOUND', stepId, ...judged.execution } as const;
      return { kind: 'EXECUTED', commandOf: async () => done(command) };
    }
  }
}

/** The command of a payment that was reported before it was mined, as a report of it would be judged now. */
function paymentCommand(
  parts: PaymentParts,
  { acting, plan }: Look,
  step: PayingStep,
  txHash: Hash,
  ignored: ReadonlySet<string>,
): ReturnType<ClaimedCommand> {
  const { stepId } = step;
  return payoutOnChain(parts, acting, plan, step, { txHash }, ignored, (proof) =>
    step.type === 'CUSTODIAN_PAYOUT'
      ? { type: 'PAYOUT_DONE', stepId, ...proof }
      : { type: 'DELIVERY_REPORTED', stepId, status: 'DELIVERED', ...proof },
  );
}

/** What the chain shows of the transaction that used the nonce of another; undefined where none is seen. */
async function sightOfReplacement(
  parts: PaymentParts,
  chain: ChainService,
  look: Look,
): Promise<Sight | undefined> {
  const { txHash, sender, nonce } = look.pending;
  if (sender === undefined || nonce === undefined) return undefined;
  const lost = { txHash, sender: toAddress(sender), nonce, sinceBlock: look.plan.watchFromBlock };
  const read = await readOrAway(() => readReplacement(chain.request, lost));
  if (!read.ok) return { kind: 'AWAY', away: read.away };
  return read.value === undefined ? undefined : sightOf(parts, chain, look, read.value);
}

/** The transaction that did nothing of the plan. */
function minedBy(seen: Sight | undefined): MinedTransaction | undefined {
  return seen?.kind === 'OTHER' ? seen.mined : undefined;
}

/** A sight as the rules of plans take it. A transaction that is UNCLEAR counts as not final, like one that waits. */
function foundOf(seen: Sight): Pick<TransactionSight, 'found' | 'isFinal'> {
  if (seen.kind === 'OTHER') return { found: 'OTHER', isFinal: seen.isFinal };
  if (seen.kind === 'WAITING') return { found: seen.found, isFinal: false };
  return { found: 'OTHER', isFinal: false };
}
