import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '@fairway/plan';
import type { CollectParts } from './collectParts.ts';
import { paidAt } from './paidAt.ts';

const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;

type Recorded = { readonly atMs: number; readonly event: object };

/** When a plan with this delivery and these events was paid. `isAway`: the database does not answer. */
async function paidAtOf(delivery: object, recorded: readonly Recorded[], isAway = false) {
  const step = { type: 'SEND_DIGITAL_COLLECT', stepId: 'step_3', link: { version: 2 }, delivery };
  const plan = { planId: 'plan_1', revision: 900, steps: [step] } as unknown as Plan;
  const asked: unknown[] = [];
  const history = async (_scope: unknown, _planId: string, page: unknown) => {
    asked.push(page);
    return isAway ? { ok: false } : { ok: true, found: { events: recorded } };
  };
  const store = { payments: { history } } as unknown as CollectParts['store'];
  return {
    at: await paidAt({ store }, SCOPE, plan, 2),
    before: await paidAt({ store }, SCOPE, plan, 1),
    asked,
  };
}

const told = (atMs: number, more: object) => ({
  atMs,
  event: { type: 'DELIVERY_REPORTED', stepId: 'step_3', ...more },
});

test('a destination was paid when the custodian says so, else when that was recorded', async () => {
  const said = await paidAtOf({ status: 'DELIVERED', occurredAtMs: 5 }, [told(9, { status: 'DELIVERED' })]);
  assert.deepEqual([said.at, said.asked.length], [5, 0]);
  const recorded = await paidAtOf({ status: 'DELIVERED' }, [
    // A reorganisation took the first one back.
    told(1, { status: 'SENT', evidence: { status: 'FINAL' } }),
    told(2, { status: 'SENT', evidence: { status: 'FINAL' } }),
    told(3, { status: 'SENT', evidence: { status: 'CONFIRMING' } }),
    { atMs: 4, event: { type: 'PAYOUT_REPORTED', stepId: 'another' } },
    { atMs: 5, event: { type: 'LINK_OPENED', stepId: 'step_3' } },
  ]);
  assert.equal(recorded.at, 2);
  assert.deepEqual(recorded.asked, [{ limit: 200, afterRevision: 700 }]);
});

test('a correction of what was paid does not move the day of the payment', async () => {
  const paid = { type: 'PAYOUT_REPORTED', stepId: 'step_3' };
  const { at } = await paidAtOf({ status: 'DELIVERED' }, [
    { atMs: 4, event: paid },
    { atMs: 9, event: { ...paid, corrects: 'mov_1' } },
  ]);
  assert.equal(at, 4);
});

test('nothing is said of a payment that is not made, of another round, or without a database', async () => {
  const events = [told(1, { status: 'DELIVERED' })];
  assert.equal((await paidAtOf({ status: 'SENT' }, events)).at, undefined);
  assert.equal((await paidAtOf({ status: 'DELIVERED' }, events)).before, undefined);
  assert.equal((await paidAtOf({ status: 'DELIVERED' }, events, true)).at, undefined);
});
