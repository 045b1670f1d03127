import { defined } from '@fairway/values';
import { placesOf, standingMovements } from '../book/ledger.ts';
import { begunTurn } from '../book/payoutTurn.ts';
import { evidenceOf, lastStep, recipientWallet, without, withStep } from '../plan/steps.ts';
import { isGivenUp, type PlanCommand } from '../plan/commands.ts';
import type { Movement } from '../plan/movement.ts';
import type { Address, Hash } from '../terms/scalars.ts';
import type { Evidence, Plan, SignedTransaction } from '../plan/types.ts';
import { mayBeSameTransfer } from '../plan/transferPlaces.ts';
import { isOfNonce } from '../plan/submissions.ts';

/**
 * The transactions that had paid a part of what is due and that a reorganisation took back. They may be mined again,
 * so nothing is to be paid in their place.
 *
 * @example
 * ```ts
 * import { lostPartsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isWaiting = lostPartsOf(plan).length > 0;
 * ```
 */
export function lostPartsOf(plan: Plan): readonly SignedTransaction[] {
  return lastStep(plan).payout?.lost ?? [];
}

/**
 * The wallet that a transaction of a plan is to pay. A part that was lost is for the wallet that it had paid, whoever is the
 * recipient since. A transaction of its sender and nonce is, too. Undefined where the recipient has no wallet.
 */
export function walletFor(
  plan: Plan,
  transaction: Pick<Evidence, 'txHash' | 'sender' | 'nonce'>,
): Address | undefined {
  const { lost = [], signed = [] } = lastStep(plan).payout ?? {};
  const part = [...lost, ...signed].find((each) => isOfNonce(transaction, each));
  return part?.wallet ?? recipientWallet(plan);
}

/**
 * The plan that knows which parts are lost after a command. The same transaction brings a part back. Only a final one of
 * its sender and nonce takes its place: one that is being confirmed can be undone. Money that came back says nothing of
 * it. A person who reports that the payment failed, or ends the plan, gives up all of them.
 */
export function withLostParts(before: Plan, after: Plan, command: PlanCommand): Plan {
  const step = lastStep(after);
  const lost = isGivenUp(command)
    ? []
    : lostAfter(before, after).filter((part) => !isOver(command, step.stepId, part));
  if (lost.length === 0 && step.payout?.lost === undefined) return after;
  const turn = without(begunTurn(after), 'lost');
  if (lost.length === 0) return withStep(after, { ...step, payout: turn });
  // What is mined again is not lost any more, and is still for the wallet that it had paid.
  const known = turn.signed ?? [];
  const others = lost.filter(({ txHash }) => !known.some((each) => each.txHash === txHash));
  const added = [...new Map(others.map((part) => [part.txHash, part])).values()];
  return withStep(after, { ...step, payout: { ...turn, lost, signed: [...known, ...added] } });
}

/** The parts that were lost before or are lost now, without those whose transaction is on the chain again. */
function lostAfter(before: Plan, after: Plan): readonly SignedTransaction[] {
  const [known, standing] = [standingMovements(before), standingMovements(after)];
  const { signed = [], movements = 0 } = lastStep(before).payout ?? {};
  const rests = placesOf(evidenceOf(lastStep(before)));
  const gone = known.filter(
    ({ kind, seq, reason, transfer, movementId }) =>
      kind === 'PAYOUT' &&
      seq > movements &&
      reason === undefined &&
      transfer !== undefined &&
      !rests.some((place) => mayBeSameTransfer(transfer, place)) &&
      !isIn(standing, movementId),
  );
  const waiting = [
    ...lostPartsOf(before),
    ...gone.flatMap(({ transfer }) => signed.filter(({ txHash }) => txHash === transfer?.txHash)),
    ...supersededBy(before, after),
  ];
  const kept = known.filter(({ movementId }) => !isIn(gone, movementId));
  // A transfer that only moved to another block is not one more: so transfers of a transaction are counted.
  return [...Map.groupBy(waiting, ({ txHash }) => txHash)].flatMap(([txHash, transfers]) =>
    transfers.slice(Math.max(0, paymentsIn(standing, txHash) - paymentsIn(kept, txHash))),
  );
}

/**
 * The lost transaction that the step rested on, when another one has taken its place. It, too, may be mined again. One
 * that the ledger has was paid before the chain lost it, because it came back.
 */
function supersededBy(before: Plan, after: Plan): readonly SignedTransaction[] {
  const known = evidenceOf(lastStep(before));
  if (known?.status !== 'LOST' || known.txHash === evidenceOf(lastStep(after))?.txHash) return [];
  const { txHash, sender, nonce } = known;
  if (paymentsIn(standingMovements(before), txHash) > 0) return [];
  return known.logIndexes.map(() => ({
    txHash,
    sender,
    nonce,
    ...defined({ wallet: recipientWallet(before) }),
  }));
}

function isIn(rows: readonly Movement[], movementId: Movement['movementId']): boolean {
  return rows.some((row) => row.movementId === movementId);
}

function paymentsIn(rows: readonly Movement[], txHash: Hash): number {
  return rows.filter(({ kind, transfer }) => kind === 'PAYOUT' && transfer?.txHash === txHash).length;
}

/** Whether a command tells what became of a lost transaction, or of a final payment of its sender and nonce. */
function isOver(command: PlanCommand, stepId: string, part: SignedTransaction): boolean {
  if (command.type === 'EXECUTION_ENDED') return command.stepId === stepId && command.txHash === part.txHash;
  if (!('evidence' in command) || command.stepId !== stepId || command.evidence?.status !== 'FINAL')
    return false;
  return command.evidence.txHash !== part.txHash && isOfNonce(command.evidence, part);
}
