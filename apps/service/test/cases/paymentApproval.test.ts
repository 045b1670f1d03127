// A second person approves payments, over HTTP: what is held back until then, who may approve, and what takes it back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { basic } from '../harness.ts';
import { makeLogin } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  type PaymentsTest,
  paymentsClient,
  type PlanAnswer,
  startPaymentsTest,
  stepOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';

let sandbox: PaymentsTest;
/** Two people of one organisation, and one of another. */
let maker: PaymentsClient;
let checker: PaymentsClient;
let stranger: PaymentsClient;
before(async () => {
  const data = join(freshFolder(), 'data');
  sandbox = await startPaymentsTest(undefined, ['--data', data]);
  const [first, second, third] = await Promise.all(
    ['Acme', 'Acme', 'Stranger'].map(async (name) => {
      const { username, password } = await makeLogin({ data }, name);
      return paymentsClient(sandbox.service.url, basic(username, password));
    }),
  );
  assert.ok(first && second && third);
  [maker, checker, stranger] = [first, second, third];
});
after(async () => {
  await sandbox?.close();
  await endEverything();
});

function approve(client: PaymentsClient, { planId }: PaymentPlan, version = 1): Promise<PlanAnswer> {
  return client.ask(`/v1/payments/${planId}/approve`, { version });
}

function heldPlan(): Promise<PaymentPlan> {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  return maker.plan({ corridorId: 'usdc-aud-approval', options });
}

/** What a plan asks for and shows of its swap and its payout. */
function shown(plan: PaymentPlan): readonly unknown[] {
  const instructions = stepOf(plan, 'EXECUTE_SWAP').instructions ?? [];
  const isToldToPay = plan.next?.pay !== undefined;
  return [plan.approval?.status, plan.next?.why, instructions.length > 0, isToldToPay];
}

test('a payment gives out no instructions until another credential has approved it', async () => {
  const made = await heldPlan();
  assert.deepEqual(shown(made), ['PENDING', 'NOT_APPROVED', false, false]);
  assert.match(made.next?.detail ?? '', /approve version 1 .* The deposit may come before that\. Send /);
  const { body: deposited } = await maker.simulate(made, 'AWAIT_DEPOSIT', 'deposit.exact');
  assert.deepEqual(shown(deposited), ['PENDING', 'NOT_APPROVED', false, false]);
  assertProblem(await maker.again(made), 409, 'approval-required', /have another credential look at it/);
  assertProblem(await maker.simulate(made, 'EXECUTE_SWAP', 'swap.done'), 409, 'approval-required');
  assertProblem(await approve(maker, made), 403, 'own-approval');
  assertProblem(await approve(checker, made, 2), 409, 'approval-not-due', /at version 1 /);
  assertProblem(await approve(stranger, made), 404, 'not-found');

  const { status, body: approved } = await approve(checker, made);
  assert.equal(status, 200);
  assert.deepEqual(shown(approved), ['APPROVED', 'SWAP_DUE', true, false]);
  assert.notEqual(approved.approval?.approvedBy, approved.approval?.madeBy);
  assert.equal((await approve(checker, made)).body.revision, approved.revision, 'once more changes nothing');
  const events = (await maker.events(made)).map(({ type }) => type);
  assert.ok(events.includes('PLAN_APPROVED'), events.join(' '));
});

test('what waits is listed for the people of the organisation, and for nobody else', async () => {
  const waiting = async (client: PaymentsClient) => {
    const { json } = await client.ask('/v1/payments?approval=PENDING&corridorId=usdc-aud-approval&limit=100');
    return (json as { data: PaymentPlan[] }).data.map(({ planId }) => planId);
  };
  const [first, second, ended] = [await heldPlan(), await heldPlan(), await heldPlan()];
  await approve(checker, second);
  assert.equal((await maker.end(ended)).status, 200);
  const ids = await waiting(checker);
  assert.ok(ids.includes(first.planId));
  assert.ok(!ids.includes(second.planId) && !ids.includes(ended.planId));
  assert.deepEqual(await waiting(stranger), []);
});

test('another recipient has to be approved anew, and not by the one who named it', async () => {
  const made = await heldPlan();
  await approve(checker, made);
  await maker.simulate(made, 'AWAIT_DEPOSIT', 'deposit.exact');
  await maker.simulate(made, 'EXECUTE_SWAP', 'swap.done');
  const failed = await maker.report(made, 'CUSTODIAN_PAYOUT', {
    outcome: 'FAILED',
    failure: { code: 'ACCOUNT_CLOSED' },
  });
  assert.equal(failed.body.next?.why, 'ACCOUNT_REFUSED');
  const account = { bsb: '062-000', accountNumber: '87654321' };
  const recipient = { type: 'bank', name: 'Other Orla', country: 'AU', account };
  const changed = await checker.again(made, { recipient });
  assert.deepEqual(shown(changed.body), ['PENDING', 'NOT_APPROVED', false, false]);
  assertProblem(await approve(checker, made, 2), 403, 'own-approval');
  assertProblem(await approve(maker, made, 1), 409, 'approval-not-due', /version 2 of its approval/);
  const { body: approved } = await approve(maker, made, 2);
  assert.deepEqual(shown(approved), ['APPROVED', 'PAYOUT_DUE', false, true]);
});

test('a plan that needs no approval takes none, and the corridor says which do', async () => {
  const plan = await maker.plan();
  assert.equal(plan.approval, undefined);
  assertProblem(await approve(checker, plan), 409, 'approval-not-due', /needs no approval/);
  const { json } = await maker.ask('/v1/markets/corridors');
  const corridors = json as { id: string; constraints: { paymentApproval?: { above: string } } }[];
  assert.deepEqual(
    corridors.filter(({ constraints }) => constraints.paymentApproval !== undefined).map(({ id }) => id),
    ['usdc-aud-approval'],
  );
});
