// A transaction that had replaced a submitted one is reorganised away. The first one waits again: it may be mined now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  commandsFromRecord,
  effectsOf,
  fateProofs,
  NEXT,
  nextOf,
  type Plan,
  type PlanCommand,
  type RecordView,
} from '../src/index.ts';
import { after, due } from './paidPlans.ts';
import {
  derived,
  evidence,
  executed,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  payoutInVain,
  payoutSent,
  sent,
  sentInVain,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { changedBy, planAfter, refusalOf } from './scenarios.ts';

const [, swapId, lastId] = STEP_IDS;
const { chainId, txHash, blockNumber, blockHash } = evidence('c', 'FINAL');
/** The transaction "c" shows it. */
const shown = (command: PlanCommand) =>
  ({ ...command, shownBy: { chainId, txHash, blockNumber, blockHash } }) as PlanCommand;

const replacedSwap = planAfter([
  observed(1_000n),
  derived(),
  sent('s'),
  shown(sentInVain('s', 1, 'REPLACED')),
]);
const replacedPayout = after(after(due(), payoutSent('p')), shown(payoutInVain('p', 'REPLACED')));

function meaning(plan: Plan): readonly string[] {
  const next = nextOf(plan, { nowMs: plan.updatedAtMs });
  return next === undefined ? [] : [NEXT[next.why].do, NEXT[next.why].by, next.why];
}

const WAITS = ['WAIT', 'CHAIN', 'TRANSACTION_PENDING'];

/** What the record finds when these blocks are gone. */
function found(plan: Plan, gone: RecordView['gone']): readonly PlanCommand[] {
  const view = { readNumber: 9, deposits: [], executions: [], gone };
  return commandsFromRecord(plan, view, plan.updatedAtMs);
}

for (const [name, plan, asked, stepId] of [
  ['swap', replacedSwap, 'EXECUTE', swapId],
  ['payout', replacedPayout, 'PAY', lastId],
] as const)
  test(`a ${name} waits again when a reorganisation takes back what had replaced it`, () => {
    assert.equal(meaning(plan)[0], asked);
    assert.deepEqual(fateProofs(plan), [{ chainId, txHash, blockNumber, blockHash, stepId }]);
    const place = { chainId, txHash, blockHash, logIndex: 0 };
    assert.deepEqual(found(plan, [{ ...place, blockHash: `0x${'ab'.repeat(32)}` }]), []);
    const commands = found(plan, [place]);
    assert.deepEqual(commands, [{ type: 'EVIDENCE_LOST', stepId, txHash, cause: 'REORGANISED' }]);
    const taken = commands.reduce((now, command) => changedBy(now, command), plan);
    assert.deepEqual(meaning(taken), WAITS);
    assert.deepEqual([fateProofs(taken), found(taken, [place])], [[], []]);
    // It is looked for at once, and may be replaced once more.
    assert.ok(effectsOf(plan, taken).some((each) => each.kind === 'CHAIN_AWAITED' && each.dueBlock === 0));
  });

test('a swap that waits again counts when it is mined, and another is not executed beside it', () => {
  const taken = changedBy(replacedSwap, lost(swapId, 'c'));
  assert.equal(refusalOf(taken, derived('cc')).reason, 'EXECUTION_PENDING');
  assert.deepEqual(meaning(changedBy(taken, shown(sentInVain('s', 1, 'REPLACED'))))[0], 'EXECUTE');
  assert.deepEqual(meaning(changedBy(taken, executed(evidence('s', 'FINAL'), 1)))[0], 'PAY');
});

test('a plan is compared with its chain once more as soon as a transaction shows a fate', () => {
  const flying = planAfter([observed(1_000n), derived(), sent('s')]);
  const effects = effectsOf(flying, changedBy(flying, shown(sentInVain('s', 1, 'REPLACED'))));
  const awaited = effects.find(({ kind }) => kind === 'CHAIN_AWAITED');
  assert.deepEqual(awaited, { kind: 'CHAIN_AWAITED', chainId, dueBlock: blockNumber });
});

test('a payout that another payment of its nonce replaced waits again beside that one', () => {
  const both = after(after(due(), payoutSent('p')), payoutSent('q'));
  const paid = after(both, paidByTransaction(evidence('q', 'FINAL')));
  assert.deepEqual(
    fateProofs(paid).map((each) => each.txHash),
    [evidence('q', 'FINAL').txHash],
  );
  const taken = after(paid, lost(lastId, 'q'));
  assert.equal(fateProofs(taken).length, 0);
  assert.deepEqual(taken.steps.at(-1)?.type === 'CUSTODIAN_PAYOUT' && taken.steps.at(-1)?.status, 'READY');
  // A payment beside the first, which may still be mined, is told.
  assert.deepEqual(meaning(after(replacedPayout, paidByReference('R1'))), []);
  const beside = after(after(replacedPayout, paidByReference('R1')), lost(lastId, 'c'));
  assert.deepEqual(meaning(beside), WAITS);
});
