// Another attempt to pay begins with all that is known of transactions to the recipient's wallet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begunTurn, withTurn } from '../src/book/payoutTurn.ts';
import { lastStep, lostPartsOf } from '../src/index.ts';
import { after, due } from './paidPlans.ts';
import { evidence, gone, paidInPart, payoutSent } from './planCommands.ts';
import { STEP_IDS } from './plans.ts';

test('another attempt to pay keeps what may still be mined', () => {
  const part = due([payoutSent('q', {}), paidInPart(evidence('p', 'FINAL', 700n))]);
  const lost = after(part, gone(part, STEP_IDS[2], 'p'));
  const { signed, submissions } = begunTurn(lost);
  assert.deepEqual([lostPartsOf(lost).length, signed?.length, submissions?.length], [1, 1, 1]);
  const next = withTurn(lost);
  assert.deepEqual(lostPartsOf(next), lostPartsOf(lost));
  assert.deepEqual(
    [lastStep(next).payout?.signed, lastStep(next).payout?.submissions],
    [signed, submissions],
  );
});
