// What a plan makes of the record of its chain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidence, executed, hashOf, recorded, recordedTransfer, refunded } from '../test/planCommands.ts';
import { changedBy, planAfter } from '../test/scenarios.ts';
import { commandsFromRecord, type FoundExecution, type RecordView } from './commandsFromRecord.ts';
import { depositOf } from './book/deposit.ts';
import { standingMovements } from './book/ledger.ts';
import { depositStep, swapStep } from './plan/steps.ts';
import { amountOf, type Plan, type PlanCommand, workOf } from './index.ts';

const DEPOSIT = recordedTransfer('d', 1_000n);

/** The plan after all that the record shows of it. */
function compared(plan: Plan, shown: Partial<RecordView>): Plan {
  const view = { readNumber: 20, deposits: [DEPOSIT], executions: [], gone: [], ...shown };
  const commands = commandsFromRecord(plan, view, plan.updatedAtMs);
  return commands.reduce((now, command) => changedBy(now, command), plan);
}

/** The execution in the transaction of this letter, in a block with this number. */
function found(letter: string, blockNumber: number): FoundExecution {
  const { transfers, ...proof } = evidence(letter, 'FINAL', 1_500n, 'y');
  const moved = transfers.map((each) => ({ ...each, blockNumber }));
  const inBlock = { ...proof, blockNumber, transfers: moved };
  return { position: 0, evidence: inBlock, amountIn: amountOf(1_000n) };
}

test('the first of two executions is the swap, also when a reorganisation swaps their order', () => {
  const commands = [recorded([DEPOSIT]), executed(evidence('s', 'FINAL')), executed(evidence('t', 'FINAL'))];
  const plan = planAfter(commands);
  assert.equal(swapStep(plan).evidence?.txHash, hashOf('s'));
  const gone = standingMovements(plan).flatMap(({ kind, transfer: at }) =>
    kind === 'SWAP_OUT' && at?.logIndex !== undefined ? [{ ...at, logIndex: at.logIndex }] : [],
  );
  assert.equal(gone.length, 2);
  const moved = [found('s', 10), found('t', 8)];
  for (const executions of [moved, moved.toReversed()])
    assert.equal(swapStep(compared(plan, { executions, gone })).evidence?.txHash, hashOf('t'));
});

test('what was recorded as a refund is no deposit, although it went to the deposit address', () => {
  const back = recordedTransfer('r', 300n);
  const { token: _token, amount: _amount, ...transfer } = back;
  const refund = { ...refunded('B1', 300n), transfer } as PlanCommand;
  const over = planAfter([recorded([DEPOSIT, recordedTransfer('e', 300n)])]);
  const deposits = [DEPOSIT, back];
  assert.deepEqual(compared(changedBy(over, refund), { deposits }).ledger?.at(-1)?.kind, 'REFUND');
  assert.deepEqual(compared(over, { deposits }).ledger?.at(-1)?.kind, 'DEPOSIT');
});

test('a deposit is confirmed after the executions that are found with it: it owes no other swap', () => {
  const plan = planAfter([recorded([DEPOSIT], 7)]);
  const view = { readNumber: 20, deposits: [DEPOSIT], executions: [found('s', 8)], gone: [] };
  const commands = commandsFromRecord(plan, view, plan.updatedAtMs);
  assert.deepEqual(
    commands.map(({ type }) => type),
    ['EXECUTION_FOUND', 'RECORD_READ'],
  );
  let now = plan;
  for (const command of commands) {
    now = changedBy(now, command);
    assert.equal(workOf(now), undefined, command.type);
  }
  assert.deepEqual([depositOf(now).confirmed, depositStep(now).status], ['1000', 'DONE']);
});

test('a transfer that is new comes before an execution, for which it is no late money', () => {
  const plan = compared(planAfter([]), { executions: [found('s', 8)] });
  const [deposit] = standingMovements(plan);
  assert.deepEqual([deposit?.kind, deposit?.reason], ['DEPOSIT', undefined]);
});
