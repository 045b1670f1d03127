import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '@fairway/plan';
import type { PaymentParts } from '../paymentParts.ts';
import { deliveryTime } from './deliveryTime.ts';

const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;

type Recorded = { readonly atMs: number; readonly command: object };
type Known = { readonly ledger?: readonly object[]; readonly returns?: readonly object[] };

/** When a told delivery happened, in a plan with these events. `isAway`: the database does not answer. */
async function timeOf(delivery: object, recorded: readonly Recorded[], known: Known = {}, isAway = false) {
  const step = { type: 'SEND_DIGITAL_COLLECT', stepId: 'step_3', link: { version: 2 }, delivery };
  const swap = { type: 'EXECUTE_SWAP', expected: 100n, attempts: [] };
  const corridor = { source: { chainId: 1, token: '0x1' }, target: { chainId: 1, token: '0x2' } };
  const base = { planId: 'plan_1', revision: 900, corridor, amountIn: 1n, steps: [swap, step], returns: [] };
  const plan = { ...base, ...known } as unknown as Plan;
  const asked: unknown[] = [];
  const history = async (_scope: unknown, _planId: string, page: unknown) => {
    asked.push(page);
    return isAway ? { ok: false } : { ok: true, found: { events: recorded } };
  };
  const parts = { store: { payments: { history } } as unknown as PaymentParts['store'] };
  const at = (version: number, round: object) =>
    deliveryTime(parts, SCOPE, plan, { version, delivery: round as never });
  return { at: await at(2, delivery), before: await at(1, { status: 'RETURNED' }), asked };
}

const told = (atMs: number, more: object) => ({
  atMs,
  command: { type: 'DELIVERY_REPORTED', stepId: 'step_3', ...more },
});

/** A payment to the account, as the ledger has it. */
function paid(seq: number, recordedAtMs: number, actual: bigint, more: object = {}) {
  const row = {
    movementId: `mov_${seq}`,
    seq,
    kind: 'PAYOUT',
    side: 'TARGET',
    asset: { chainId: 1, address: '0x2' },
    stepId: 'step_3',
    providerReference: `p${seq}`,
  };
  return { ...row, recordedAtMs, actual, ...more };
}

test('a destination was paid when the custodian says so, else when that was recorded', async () => {
  const said = await timeOf({ status: 'DELIVERED', occurredAtMs: 5 }, [told(9, { status: 'DELIVERED' })]);
  assert.deepEqual([said.at, said.asked.length], [5, 0]);
  const evidence = { txHash: '0x1', blockHash: '0xb', logIndexes: [] };
  const recorded = await timeOf({ status: 'DELIVERED', evidence }, [
    // A reorganisation took this one back.
    told(1, { status: 'SENT', evidence: { ...evidence, blockHash: '0xa', status: 'FINAL' } }),
    told(2, { status: 'SENT', evidence: { ...evidence, status: 'CONFIRMING' } }),
    told(3, { status: 'SENT', evidence: { ...evidence, status: 'FINAL' } }),
    // The custodian names its reference later.
    told(4, { status: 'SENT', evidence: { ...evidence, status: 'FINAL' }, providerReference: 'p1' }),
    { atMs: 5, command: { type: 'LINK_OPENED', stepId: 'step_3' } },
  ]);
  assert.equal(recorded.at, 3);
  assert.deepEqual(recorded.asked, [{ limit: 200, afterRevision: 700 }]);
});

test('an account is paid when the payment is made that completes it, whatever is told afterwards', async () => {
  const parts = [paid(1, 10, 60n), paid(2, 20, 40n)];
  const timeWith = async (...more: readonly object[]) =>
    (await timeOf({ status: 'DELIVERED' }, [], { ledger: [...parts, ...more] })).at;
  assert.equal(await timeWith(), 20);
  // A further payment, which was made by mistake.
  assert.equal(await timeWith(paid(3, 30, 50n, { occurredAtMs: 29 })), 20);
  // A fee of the first payment, and another reference of the second one, are told later.
  const known = paid(3, 30, 60n, { reverses: 'mov_1' });
  const fee = paid(4, 30, 60n, { providerReference: 'p1' });
  const wrong = paid(5, 40, 40n, { reverses: 'mov_2' });
  assert.equal(await timeWith(known, fee), 20);
  assert.equal(await timeWith(known, fee, wrong, paid(6, 40, 40n)), 20);
  // When it was made is told with the correction.
  assert.equal(await timeWith(wrong, paid(6, 40, 40n, { occurredAtMs: 19 })), 19);
});

test('what came back has the day on which it came back, not that of its payment', async () => {
  const delivery = { status: 'RETURNED', occurredAtMs: 5 };
  const returns = [{ recordedAtMs: 8 }, { recordedAtMs: 9, occurredAtMs: 7 }];
  const told = await timeOf(delivery, [], { returns });
  assert.equal(told.at, 7);
  assert.equal((await timeOf(delivery, [], { returns: returns.slice(0, 1) })).at, 8);
  // For an earlier round it is not known which of the returns it was.
  assert.equal(told.before, undefined);
});

test('nothing is said of a payment that is not made, or without a database', async () => {
  const events = [told(1, { status: 'DELIVERED' })];
  assert.equal((await timeOf({ status: 'SENT' }, events)).at, undefined);
  assert.equal((await timeOf({ status: 'DELIVERED' }, events, {}, true)).at, undefined);
});
