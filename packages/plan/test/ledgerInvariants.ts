import assert from 'node:assert/strict';
import {
  amountToPayOf,
  assetsOf,
  collectStep,
  decide,
  depositStep,
  fundsOf,
  isSameAsset,
  payableNow,
  unbookedEvidence,
  type Plan,
  type PlanCommand,
  standingMovements,
  swapStep,
} from '../src/index.ts';
import { lastStep, payingState } from '../src/plan/steps.ts';
import { unexplainedDeposits } from '../src/deposit/sentBack.ts';

/** Asserts what holds for every plan whose commands made their movements. */
export function assertKept(plan: Plan): void {
  assert.deepEqual(unbookedEvidence(plan), [], 'the ledger lacks nothing');
  assertDue(plan);
  assertInOnePlace(plan);
}

/** While money may be in two places, nothing is to be paid, and a report can say that it is in one. */
function assertInOnePlace(plan: Plan): void {
  const unexplained = unexplainedDeposits(plan);
  if (unexplained.length === 0) return;
  assert.equal(payableNow(plan), '0', 'what may be elsewhere is not to be paid');
  const { stepId } = depositStep(plan);
  const explained = unexplained.reduce((now, { transfer, actual }) => {
    const { logIndex = 0, ...place } = transfer ?? assert.fail();
    const told = { amount: actual, verification: 'VERIFIED', transfers: [] } as const;
    const transfers = [{ ...place, logIndex, amount: actual }];
    const decision = decide(now, { type: 'DEPOSIT_REPORTED', stepId, ...told, transfers }, plan.updatedAtMs);
    return decision.ok ? decision.plan : assert.fail(`${plan.ended?.reason} cannot tell what came`);
  }, plan);
  assert.deepEqual(unexplainedDeposits(explained), []);
  assert.deepEqual(fundsOf(explained), fundsOf(plan));
}

/** While something is to be paid out, it is what the ledger says is outstanding. */
function assertDue(plan: Plan): void {
  const last = lastStep(plan);
  if (plan.ended !== undefined || last.status === 'PENDING') return;
  // What was sent is on its way, and on the ledger when it has arrived.
  if (payingState(last) === 'PAID' || collectStep(plan)?.delivery?.status === 'SENT') return;
  if (swapStep(plan).evidence?.status !== 'FINAL') return;
  const { target } = assetsOf(plan);
  const { outstanding } = fundsOf(plan).find(({ asset }) => isSameAsset(asset, target)) ?? assert.fail();
  assert.equal(amountToPayOf(plan), outstanding, 'what is to be paid is there');
}

/** An execution that the ledger did not have spent what its transaction spent, however much was planned. */
export function assertSpent(before: Plan, command: PlanCommand, after: Plan): void {
  if (command.type !== 'EXECUTION_FOUND') return;
  const { txHash, blockHash } = command.evidence;
  const spentIn = (plan: Plan) =>
    standingMovements(plan)
      .filter(
        ({ kind, transfer }) =>
          kind === 'SWAP_IN' && transfer?.txHash === txHash && transfer.blockHash === blockHash,
      )
      .map(({ actual }) => actual);
  if (spentIn(before).length > 0) return;
  const told = [command.amountIn, ...(command.others ?? []).map(({ amountIn }) => amountIn)];
  assert.deepEqual(spentIn(after), told, 'the ledger has what the swap spent');
}
