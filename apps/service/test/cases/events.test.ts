// Published events over HTTP: every change of plans, in the one order that readers rely on.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { scale, seed } from '@fairway/testing/properties';
import { type Event, EventList, type PaymentPlan, type SimulatedEvent } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import fc from 'fast-check';
import { collectToWallet } from '../collectForms.ts';
import { eventCursor } from '@fairway/notifications';
import { assertProblem, freshAddress, startPaymentsTest } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
const isEventList = ajv.compile(EventList as object);

async function page(query: string): Promise<EventList> {
  const answer = await payments.ask(`/v1/events?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.ok(isEventList(answer.json), JSON.stringify(isEventList.errors));
  return answer.json as EventList;
}

/** The events of a subject, once the last of them has come. */
async function eventsOf(subject: string, last: string): Promise<readonly Event[]> {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; await sleep(50)) {
    const { data } = await page(`subject=${subject}&limit=100`);
    if (data.at(-1)?.type === last) return data;
  }
  return assert.fail(`${last} of ${subject} did not come`);
}

const told = (events: readonly Event[]) => events.map(({ sequence, type }) => `${sequence} ${type}`);

test('a payment is told from its beginning to its end, each event with the plan of that moment', async () => {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const plan = await payments.plan({ options });
  await payments.played(plan, 'deposit.exact', 'swap.done', 'payout.done');
  const events = await eventsOf(plan.planId, 'payment_plan.completed');
  const named = told(events).filter((line) => !line.endsWith('.updated'));
  assert.deepEqual(
    named.map((line) => line.replace(/^\d+ /, '')),
    [
      'payment_plan.created',
      'payment_plan.step.done',
      'payment_plan.step.ready',
      'payment_plan.step.done',
      'payment_plan.step.ready',
      'payment_plan.step.done',
      'payment_plan.completed',
    ],
  );
  events.forEach(({ sequence, subject, environment, apiVersion }, index) => {
    assert.deepEqual([sequence, environment, apiVersion], [index + 1, 'sandbox', 'v1']);
    assert.deepEqual(subject, { type: 'payment_plan', id: plan.planId });
  });
  const [first, last] = [events.at(0), events.at(-1)];
  assert.equal((first?.data.object as PaymentPlan).next?.why, 'DEPOSIT_MISSING');
  assert.equal(first?.data.previous, undefined);
  assert.equal((last?.data.object as PaymentPlan).status, 'COMPLETED');
  assert.ok('status' in (last?.data.previous ?? {}), 'what changed');
  const now = await payments.get(plan.planId);
  assert.deepEqual((last?.data.object as PaymentPlan).money, now.money);
  const swapped = events.find(
    ({ evidence }) => evidence !== undefined && evidence.verification === 'VERIFIED',
  );
  const receipt = await payments.service.rpc<{ blockHash: string } | null>('eth_getTransactionReceipt', [
    swapped?.evidence?.txHash,
  ]);
  assert.equal(receipt?.blockHash, swapped?.evidence?.blockHash, 'evidence that a reader can check');
  assert.doesNotMatch(JSON.stringify(events), /"instructions"|"data":"0x/, 'no instructions');
});

test('what a recipient is asked is a subject of its own, told without link and e-mail address', async () => {
  const email = `jo-${Date.now()}@example.com`;
  const plan = await payments.plan({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email, name: 'Jo Doe' },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  await payments.played(plan, 'deposit.exact', 'swap.done');
  await collectToWallet(payments.service, email, freshAddress());
  const subject = `clr_${plan.planId.slice('plan_'.length)}00000001`;
  const events = await eventsOf(subject, 'collect_request.submitted');
  const types = events.map(({ type }) => type.replace('collect_request.', ''));
  assert.deepEqual([types[0], types.at(-1)], ['created', 'submitted']);
  assert.ok(types.includes('sent'), types.join(' '));
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  const text = JSON.stringify(events);
  assert.ok(!text.includes(email) && !/\/collect[/#]/.test(text), 'neither the address nor the link');
  assert.equal((events.at(-1)?.data.object as { status: string }).status, 'SUBMITTED');
});

test('a reader goes on from its cursor for ever, and gets each event once', async () => {
  const { nextCursor } = await page('limit=100&type=payment_plan.closed');
  const before = await page(`after=${nextCursor}`);
  const made = await payments.plan({});
  const seen: string[] = [];
  let after = before.nextCursor;
  for (let tries = 0; tries < 2_000 && !seen.includes(made.planId); tries += 1) {
    const next = await page(`after=${after}&limit=1`);
    seen.push(...next.data.map(({ subject }) => subject.id));
    after = next.nextCursor;
    if (next.data.length === 0) await sleep(25);
  }
  assert.ok(seen.includes(made.planId));
  const [created] = (await page(`subject=${made.planId}`)).data;
  assert.equal((await page(`after=${created?.id}&subject=${made.planId}`)).data.length, 0);
});

test('a subject that is no id is refused, as it would have no events for ever', async () => {
  for (const subject of ['payment_plan', `step_${'0'.repeat(32)}`, 'plan_12', '']) {
    const { status, text } = await payments.ask(`/v1/events?subject=${subject}`);
    assert.equal(status, 400, subject);
    assert.match(text, /"\/query\/subject".*Events of steps have the plan as their subject/);
  }
  assert.deepEqual((await page('subject=service')).data, []);
  assert.deepEqual((await page(`subject=clr_${'0'.repeat(40)}`)).data, []);
});

/** The events of a plan, once its present revision is published. */
async function allEventsOf(planId: string): Promise<readonly Event[]> {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; await sleep(50)) {
    const { data } = await page(`subject=${planId}&limit=100`);
    const { revision } = await payments.get(planId);
    if ((data.at(-1)?.data.object as PaymentPlan | undefined)?.revision === revision) return data;
  }
  return assert.fail(`the newest event of ${planId} did not come`);
}

/** A reader that keeps the newest state of each subject, and drops what is not newer than what it has. */
function stateAfter(events: readonly Event[]): ReadonlyMap<string, Event> {
  const newest = new Map<string, Event>();
  for (const event of events)
    if (event.sequence > (newest.get(event.subject.id)?.sequence ?? 0)) newest.set(event.subject.id, event);
  return newest;
}

test(`whoever drops lower numbers ends right, in whatever order events come (FC_SEED=${seed})`, async () => {
  const plans = await Promise.all(
    Array.from({ length: 4 }, () =>
      payments.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } }),
    ),
  );
  const cancelled = plans[2] ?? assert.fail();
  const stories: SimulatedEvent[][] = [
    ['deposit.partial', 'deposit.exact', 'swap.reverted', 'swap.done', 'payout.done', 'payout.returned'],
    ['deposit.exact', 'swap.reverted'],
    [],
    ['deposit.partial', 'deposit.over'],
  ];
  for (const [index, simulated] of stories.entries()) {
    const plan = plans[index] ?? assert.fail();
    for (const event of simulated) {
      const type = event.startsWith('deposit')
        ? 'AWAIT_DEPOSIT'
        : event.startsWith('swap')
          ? 'EXECUTE_SWAP'
          : 'CUSTODIAN_PAYOUT';
      const { status, text } = await payments.simulate(plan, type, event);
      assert.equal(status, 200, text);
      const step = (await payments.get(plan.planId)).steps.find((each) => each.type === type);
      if (step?.status === 'FAILED' && event !== simulated.at(-1))
        assert.equal((await payments.again(plan)).status, 200);
    }
  }
  assert.equal((await payments.end(cancelled)).status, 200);
  const events = (await Promise.all(plans.map(({ planId }) => allEventsOf(planId)))).flat();
  const places = events.map((_, place) => place);
  const orders = fc
    .array(fc.constantFrom(...places), { maxLength: 20 })
    .chain((again) =>
      fc.shuffledSubarray([...places, ...again], { minLength: places.length + again.length }),
    );
  const sentIn = (order: readonly number[]) => order.flatMap((place) => events[place] ?? []);
  const expected = stateAfter(events);
  fc.assert(
    fc.property(orders, (order) => assert.ok(isDeepStrictEqual(stateAfter(sentIn(order)), expected))),
    { seed, numRuns: 50 * scale },
  );
  for (const { planId } of plans) {
    const { revision, status, money } = await payments.get(planId);
    const told = expected.get(planId)?.data.object as PaymentPlan;
    assert.deepEqual([told.revision, told.status, told.money], [revision, status, money]);
  }
});

test('what cannot be read is refused with the remedy', async () => {
  const refused = (query: string) => payments.ask(`/v1/events?${query}`);
  assertProblem(await refused('after=x'), 400, 'validation-failed', /after must be the nextCursor/);
  assertProblem(await refused('type=payment'), 400, 'validation-failed', /given "payment"/);
  assertProblem(await refused('limit=0'), 400, 'validation-failed', /limit/);
  assertProblem(
    await refused(`after=evt_${'0'.repeat(32)}`),
    410,
    'cursor-expired',
    /ask again without after/,
  );
});

test('a place that no event has come to is refused, because what comes next would be passed over', async () => {
  const after = eventCursor({ epoch: 0n, position: 10n ** 12n });
  for (const path of ['/v1/events', '/v1/events/stream'])
    assertProblem(
      await payments.ask(`${path}?after=${after}`),
      410,
      'cursor-expired',
      /^No event has come as far as this place: another service gave it, or the database was put back\. Read the plans/,
    );
});

test('plans that have changed since a time are listed, the oldest change first', async () => {
  const since = (await payments.plan({})).updatedAt;
  const [one, two] = [await payments.plan({}), await payments.plan({})];
  assert.equal((await payments.end(one)).status, 200);
  const ids: string[] = [];
  let cursor = '';
  do {
    const answer = await payments.ask(`/v1/payments?updatedSince=${since}&limit=2${cursor}`);
    assert.equal(answer.status, 200, answer.text);
    const { data, nextCursor } = answer.json as { data: PaymentPlan[]; nextCursor?: string };
    ids.push(...data.map(({ planId }) => planId));
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  assert.deepEqual(ids.slice(-2), [two.planId, one.planId], 'in the order of their last changes');
  assert.equal(new Set(ids).size, ids.length);
  const both = await payments.ask(`/v1/payments?updatedSince=${since}&status=ENDED`);
  assertProblem(both, 400, 'validation-failed', /status and updatedSince cannot be asked for together/);
});
