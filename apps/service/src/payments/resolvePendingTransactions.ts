import { toAddress } from '@fairway/engine';
import { readReplacement } from '@fairway/evm';
import {
  fateOf,
  type PendingTransaction,
  type TransactionSight,
  pendingTransactionsOf,
  type Hash,
  type Plan,
  type PlanEvent,
  swapStep,
} from '@fairway/plan';
import type { ChainService } from '../chains/chainService.ts';
import { done, type Outcome, refuse } from '../problems/problem.ts';
import { type Away, readOrAway, readSwapFacts } from './chainFacts.ts';
import { finalBlockTimeMs } from './finalBlock.ts';
import { judgeExecution } from './executions.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changePlan } from './planChanges.ts';
import { CHAIN_AWAY, chainAway } from './planProblems.ts';

/**
 * The plan after its submitted transactions were looked for on the chain and their outcomes recorded. The outcome is
 * recorded when a transaction has executed the swap, or when it certainly never will. `acting`: for the next change,
 * because these changes raise the revision that the request was meant for.
 */
export async function resolvePendingTransactions(
  parts: PaymentParts,
  acting: Acting,
  before: Plan,
): Promise<Outcome<{ readonly plan: Plan; readonly acting: Acting }>> {
  let [plan, by] = [before, acting];
  for (const pending of pendingTransactionsOf(before)) {
    const event = await outcomeOf(parts, plan, pending);
    if (!event.ok) return event;
    if (event.value === undefined) continue;
    const changed = await changePlan(parts, by, plan, event.value);
    if (!changed.ok) return changed;
    plan = changed.value;
    const { expectedRevisions: _, ...anyRevision } = acting;
    by = anyRevision;
  }
  return done({ plan, acting: by });
}

/** The event that says what became of a transaction; undefined while it may still be mined. */
async function outcomeOf(
  parts: PaymentParts,
  plan: Plan,
  pending: PendingTransaction,
): Promise<Outcome<PlanEvent | undefined>> {
  const { chains, nowMs } = parts;
  const { chainId } = plan.corridor.source;
  const chain = chains.get(chainId);
  if (chain === undefined) return refuse(CHAIN_AWAY);
  // Read first: a transaction that is not in the blocks up to this one cannot come into them any more.
  const final = await finalBlockTimeMs(chain, plan);
  if (!final.ok) return refuse(chainAway(final.away, chainId));
  const own = await sightOf(parts, chain, plan, pending.txHash);
  const other = own.kind === 'WAITING' ? await sightOfReplacement(parts, chain, plan, pending) : undefined;
  for (const seen of [own, other]) {
    if (seen?.kind === 'AWAY') return refuse(chainAway(seen.away, chainId));
    if (seen?.kind === 'EXECUTED')
      return done({ type: 'EXECUTION_FOUND', stepId: swapStep(plan).stepId, ...seen.proof });
  }
  const fate = fateOf(plan, pending, {
    ...foundOf(own),
    isReplaced: other?.kind === 'OTHER' && other.isFinal,
    finalBlockTimeMs: final.timeMs,
    nowMs: nowMs(),
  });
  const { position, txHash } = pending;
  return done(fate && { type: 'EXECUTION_ENDED', stepId: swapStep(plan).stepId, position, txHash, fate });
}

/** What the chain shows of a transaction. UNCLEAR: it is mined, and no node can tell which calls it made. */
type Sight =
  | {
      readonly kind: 'EXECUTED';
      readonly proof: Omit<Extract<PlanEvent, { type: 'EXECUTION_FOUND' }>, 'type' | 'stepId'>;
    }
  | { readonly kind: 'OTHER'; readonly isFinal: boolean }
  | { readonly kind: 'WAITING'; readonly found: 'PENDING' | 'NONE' }
  | { readonly kind: 'UNCLEAR' }
  | { readonly kind: 'AWAY'; readonly away: Away };

type Tagging = Pick<PaymentParts, 'store'>;

async function sightOf(parts: Tagging, chain: ChainService, plan: Plan, txHash: Hash): Promise<Sight> {
  const reading = await readSwapFacts(chain, plan, txHash);
  switch (reading.outcome) {
    case 'UNREACHABLE':
    case 'CONTRADICTED':
      return { kind: 'AWAY', away: reading.outcome };
    case 'PENDING':
    case 'NONE':
      return { kind: 'WAITING', found: reading.outcome };
    case 'MINED': {
      const { facts } = reading;
      const judged = await judgeExecution(parts, chain, plan, facts);
      if (judged.kind === 'EXECUTED') return { kind: 'EXECUTED', proof: judged.execution };
      if (judged.kind === 'UNTRACED') return { kind: 'UNCLEAR' };
      return { kind: 'OTHER', isFinal: facts.confirmations >= plan.corridor.minConfirmations };
    }
  }
}

/** What the chain shows of the transaction that used the nonce of another; undefined where none is seen. */
async function sightOfReplacement(
  parts: Tagging,
  chain: ChainService,
  plan: Plan,
  { txHash, sender, nonce }: PendingTransaction,
): Promise<Sight | undefined> {
  if (sender === undefined || nonce === undefined) return undefined;
  const read = await readOrAway(() =>
    readReplacement(chain.request, { txHash, sender: toAddress(sender), nonce }),
  );
  if (!read.ok) return { kind: 'AWAY', away: read.away };
  return read.value === undefined ? undefined : sightOf(parts, chain, plan, read.value);
}

/** A sight as the rules of plans take it. A transaction that is UNCLEAR counts as not final, like one that waits. */
function foundOf(seen: Sight): Pick<TransactionSight, 'found' | 'isFinal'> {
  if (seen.kind === 'OTHER') return { found: 'OTHER', isFinal: seen.isFinal };
  if (seen.kind === 'WAITING') return { found: seen.found, isFinal: false };
  return { found: 'OTHER', isFinal: false };
}
