import { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import { reversalOf, standingMovements, withMovements } from './ledger.ts';
import { assetsOf } from '../terms/money.ts';
import type { Movement, MovementTransfer, NewMovement } from '../plan/movement.ts';
import { beginOf, paymentsOf } from './payoutPayments.ts';
import { endToEndIdOf, lastStep, payingState } from './payoutTurn.ts';
import { depositStep, evidenceOf, swapStep } from '../plan/planSteps.ts';
import type { PlanEvent } from '../plan/events.ts';
import type { TimeMs, Verification } from '../terms/scalars.ts';
import { isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type {
  AwaitDepositStep,
  Evidence,
  FurtherExecution,
  PayingStep,
  Plan,
  Transfer,
} from '../plan/types.ts';

/**
 * The movements that the steps, the evidence and the returns of a plan tell and its ledger does not have, reversals first.
 * `decide` adds them to the ledger with each event, so that a plan as it is kept has none.
 *
 * @example
 * ```ts
 * import { type Plan, unbookedMovements } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isLedgerWhole = unbookedMovements(plan).length === 0;
 * ```
 */
export function unbookedMovements(plan: Plan): readonly NewMovement[] {
  const standing = standingMovements(plan);
  const told = [...depositRows(plan), ...swapRows(plan), ...payoutRows(plan)].filter(
    // A transfer of nothing moves nothing.
    ({ actual }) => actual !== ZERO,
  );
  const known = new Map<string, Movement[]>();
  for (const movement of standing) {
    const name = movementName(movement);
    known.set(name, [...(known.get(name) ?? []), movement]);
  }
  const added = told.filter((row) => known.get(movementName(row))?.shift() === undefined);
  const unreported = new Set([...known.values()].flat());
  const begin = beginOf(standing, lastStep(plan)?.payout);
  const reversed = standing.filter((row) => unreported.has(row) && isReportedBySteps(plan, row, begin));
  const stays = [...standing.filter((row) => !reversed.includes(row)), ...added];
  const paidOut = unitsIn(stays, 'PAYOUT') - unitsIn(stays, 'RETURN');
  return [...reversed.map(reversalOf), ...added, ...returnRows(plan, standing, paidOut)];
}

function unitsIn(rows: readonly NewMovement[], kind: Movement['kind']): bigint {
  return rows.reduce((sum, row) => (row.kind === kind ? sum + unitsOf(row.actual) : sum), 0n);
}

/** The plan with the movements that an event brought and that no rule of its own has added to the ledger. */
export function withStepMovements(plan: Plan, event: PlanEvent, atMs: TimeMs): Plan {
  const paid = 'returned' in event ? event.returned : undefined;
  const rows = unbookedMovements(plan).map((row) =>
    row.kind === 'RETURN' ? { ...row, ...defined({ paid }) } : row,
  );
  return withMovements(plan, rows, atMs);
}

/**
 * What tells a movement apart from others. Movements of one name are counted, as two transfers without a transaction
 * may be alike.
 */
function movementName({ kind, asset, actual, transfer, providerReference, reason }: NewMovement): string {
  const { txHash, blockHash, logIndex } = transfer ?? {};
  const place = transfer === undefined ? providerReference : [txHash, blockHash, logIndex];
  const role = isOfExecution(kind) ? [kind, reason] : [kind];
  return JSON.stringify([...role, asset, actual, place]);
}

function isOfExecution(kind: Movement['kind']): boolean {
  return kind === 'SWAP_IN' || kind === 'SWAP_OUT';
}

/**
 * Whether the steps would tell of the movement if it still stood. They do not tell of other tokens, unasked
 * executions, refunds, deductions and repeated payments of a wallet. A payout before the present attempt to pay is
 * not told either, even by the same transaction. The exception is a transfer that the step may rest on.
 */
function isReportedBySteps(plan: Plan, { kind, reason, seq, transfer }: Movement, begin: number): boolean {
  if (kind === 'DEPOSIT') return reason !== 'OTHER_TOKEN';
  if (kind === 'PAYOUT' && reason !== undefined) return false;
  if (kind === 'PAYOUT') return seq > begin || isOfPayout(plan, transfer);
  return isOfExecution(kind) && (reason === undefined || isOfSwap(plan, transfer));
}

/**
 * Whether a movement of an execution that nobody asked for belongs to the evidence of the swap. Then that execution
 * replaced a lost one. A further call of the same transaction is not a replacement.
 */
function isOfSwap(plan: Plan, transfer: MovementTransfer | undefined): boolean {
  const { evidence } = swapStep(plan);
  if (transfer === undefined || transfer.txHash !== evidence?.txHash) return false;
  const isFurther = transfer.logIndex !== undefined && transfer.blockHash === evidence.blockHash;
  return !isFurther || evidence.transfers.some((each) => isSamePlace(each, transfer));
}

function depositRows(plan: Plan): NewMovement[] {
  const step = depositStep(plan);
  const { stepId, transfers, verification = 'VERIFIED' } = step;
  const { source } = assetsOf(plan);
  const deposit = { kind: 'DEPOSIT', side: 'SOURCE', stepId, asset: source } as const;
  const rows = transfers.map(
    (transfer): NewMovement => ({
      ...deposit,
      actual: transfer.amount,
      transfer: placeOf(transfer),
      verification,
    }),
  );
  const told = reportedWithoutTransfer(step);
  if (told === ZERO) return rows;
  return [
    { ...deposit, actual: told, verification: transfers.length === 0 ? verification : 'REPORTED' },
    ...rows,
  ];
}

/** What was reported of a deposit without a transaction. */
export function reportedWithoutTransfer({ received, transfers }: AwaitDepositStep): Amount {
  const moved = sumOf(transfers.map(({ amount }) => amount));
  return isLess(moved, received) ? amountOf(unitsOf(received) - unitsOf(moved)) : ZERO;
}

function swapRows(plan: Plan): NewMovement[] {
  const { evidence, attempts } = swapStep(plan);
  if (evidence === undefined || evidence.status === 'LOST') return [];
  const attempt = attempts.findIndex(({ outcome }) => outcome === 'EXECUTED');
  return executionRows(plan, evidence, attempt, spentBy(plan, evidence));
}

/** What a swap spent, as the ledger has it: the pools may have taken less than was planned. */
function spentBy(plan: Plan, { txHash, blockHash }: Evidence): Amount {
  const known = standingMovements(plan).find(
    ({ kind, reason, transfer }) =>
      kind === 'SWAP_IN' &&
      reason === undefined &&
      transfer?.txHash === txHash &&
      transfer.blockHash === blockHash,
  );
  return known?.actual ?? plan.amountIn;
}

/** The movements of an executed swap: what it spent, and each transfer that it brought to the settlement address. */
export function executionRows(
  plan: Plan,
  evidence: Evidence,
  attempt: number,
  amountIn: Amount,
  reason?: 'SECOND_EXECUTION' | 'AFTER_END',
): [NewMovement, ...NewMovement[]] {
  const { stepId, attempts } = swapStep(plan);
  const { source, target } = assetsOf(plan);
  const row = { stepId, attempt, verification: 'VERIFIED', ...defined({ reason }) } as const;
  const { chainId, txHash, blockNumber, blockHash } = evidence;
  const transfer = { chainId, txHash, blockNumber, blockHash };
  const expected = attempts[attempt]?.amountOut;
  return [
    { kind: 'SWAP_IN', side: 'SOURCE', ...row, asset: source, actual: amountIn, transfer },
    ...evidence.transfers.map(
      (moved): NewMovement => ({
        kind: 'SWAP_OUT',
        side: 'TARGET',
        ...row,
        asset: target,
        ...defined({ expected }),
        actual: moved.amount,
        transfer: placeOf(moved),
      }),
    ),
  ];
}

/** The movements of what a further call of a transaction executed. Its own logs tell them apart from the first call's. */
export function furtherRows(
  plan: Plan,
  evidence: Evidence,
  { position, amountIn, transfers }: FurtherExecution,
): NewMovement[] {
  const [first] = transfers;
  const rows = executionRows(plan, { ...evidence, transfers }, position, amountIn, 'SECOND_EXECUTION');
  return rows.map((row) =>
    row.kind === 'SWAP_IN' && row.transfer !== undefined
      ? { ...row, transfer: { ...row.transfer, ...defined({ logIndex: first?.logIndex }) } }
      : row,
  );
}

function payoutRows(plan: Plan): NewMovement[] {
  const last = lastStep(plan);
  if (last === undefined) return [];
  const isPaid = payingState(last) === 'PAID';
  const { evidence, providerReference, occurredAtMs, verification = 'REPORTED' } = paidBy(last);
  const payout = {
    kind: 'PAYOUT',
    side: 'TARGET',
    stepId: last.stepId,
    asset: assetsOf(plan).target,
    endToEndId: evidence === undefined ? endToEndIdOf(plan) : paidAs(plan, evidence),
    ...defined({ providerReference, occurredAtMs }),
  } as const;
  // Returned money was paid out before, even if the chain lost the transaction since.
  if (evidence !== undefined && (evidence.status !== 'LOST' || isPaid))
    return evidence.transfers.map((transfer) => ({
      ...payout,
      actual: transfer.amount,
      transfer: placeOf(transfer),
      verification,
    }));
  const told = reportedPayouts(plan, last);
  const begin = last.payout?.movements ?? 0;
  // A payment was recorded before any of it came back.
  const isBack = standingMovements(plan).some(({ kind, seq }) => kind === 'RETURN' && seq > begin);
  const isKnown =
    isBack || told.some((row) => row.seq > begin && row.providerReference === providerReference);
  const rows = told.map(({ movementId: _id, seq: _seq, recordedAtMs: _at, ...row }) => row);
  if (!isPaid || isKnown || last.asset.amount === ZERO) return rows;
  // A payment that was told without a transaction paid all that was due, because no amount in units was told.
  const { left } = paymentsOf(plan, last);
  return [...rows, { ...payout, expected: left, actual: left, verification }];
}

/** The id that a transaction was paid with: the one that it had before a reorganisation took it back, else that of now. */
export function paidAs(plan: Plan, { transfers }: Evidence): string {
  const known = (plan.ledger ?? []).findLast(
    ({ kind, reverses, transfer }) =>
      kind === 'PAYOUT' &&
      reverses === undefined &&
      transfer !== undefined &&
      transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
  return known?.endToEndId ?? endToEndIdOf(plan);
}

/** The payments to accounts that the ledger has. Reports with amounts add them, whether or not they pay all. */
function reportedPayouts(plan: Plan, step: PayingStep): readonly Movement[] {
  return standingMovements(plan).filter(
    ({ kind, stepId, transfer }) => kind === 'PAYOUT' && stepId === step.stepId && transfer === undefined,
  );
}

/** Whether a transfer is of what the last step rests on, in whatever block. */
function isOfPayout(plan: Plan, transfer: MovementTransfer | undefined): boolean {
  const last = plan.steps.at(-1);
  const rests = (last && evidenceOf(last)?.transfers) ?? [];
  return transfer !== undefined && rests.some((each) => mayBeSameTransfer(transfer, each));
}

/** How a step was paid. The recipient of a collect link is paid by the delivery. */
export function paidBy(step: PayingStep): {
  readonly evidence?: Evidence;
  readonly providerReference?: string;
  readonly occurredAtMs?: number;
  readonly verification?: Verification;
} {
  return step.type === 'CUSTODIAN_PAYOUT' ? step : (step.delivery ?? {});
}

/**
 * The returns that the ledger does not have, of the attempt to pay that is under way. No more comes back than was paid,
 * whatever was told; where nothing was told, all of this attempt is back.
 *
 * @param paidOut what the ledger says that was paid and is not back.
 */
function returnRows(plan: Plan, standing: readonly Movement[], paidOut: bigint): NewMovement[] {
  const last = lastStep(plan);
  if (last === undefined) return [];
  const begun = last.payout?.movements ?? 0;
  const known = standing.filter(({ kind, seq }) => kind === 'RETURN' && seq > begun).map(returnName);
  const { paid } = paymentsOf(plan, last);
  const due = sumOf([paid === ZERO ? last.asset.amount : paid, last.payout?.paid ?? ZERO]);
  const rows: NewMovement[] = [];
  let rest = paidOut;
  for (const returned of plan.returns.slice(last.payout?.returns ?? 0)) {
    const place = known.indexOf(returnName(returned));
    if (place !== -1) known.splice(place, 1);
    const { stepId, amount = due, providerReference, occurredAtMs } = returned;
    const units = unitsOf(amount) < rest ? unitsOf(amount) : rest;
    if (place !== -1 || units <= 0n) continue;
    rest -= units;
    rows.push({
      kind: 'RETURN',
      side: 'TARGET',
      stepId,
      asset: assetsOf(plan).target,
      actual: amountOf(units),
      verification: 'REPORTED',
      ...defined({ providerReference, occurredAtMs }),
    });
  }
  return rows;
}

/** What tells a return apart from others. */
function returnName({
  providerReference,
  occurredAtMs,
}: Pick<Movement, 'providerReference' | 'occurredAtMs'>): string {
  return JSON.stringify([providerReference, occurredAtMs]);
}

/** The place of a transfer on its chain, with its sender and time where they are known. */
export function placeOf(transfer: Transfer): MovementTransfer {
  const { chainId, txHash, logIndex, blockNumber, blockHash, from, blockTimeMs } = transfer;
  return { chainId, txHash, logIndex, blockNumber, blockHash, ...defined({ from, blockTimeMs }) };
}
