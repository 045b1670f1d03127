// Five organisations on one service: to each of them, the plans of others do not exist, in any answer.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, operation, type OperationId, type RegisteredRecipient } from '@fairway/wire';
import { germanIban } from './bankNumbers.ts';
import {
  type Caller,
  callerOf,
  comparable,
  type Login,
  makeLogin,
  payment,
  type Reply,
} from './paymentCalls.ts';
import { type OwnPlan, playWhole } from './isolatedPlans.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { streamUntil } from './streamUntil.ts';
import { startFairway } from './commandHarness.ts';

/** An organisation: its caller, the texts it planted, and every answer it got. */
type Organisation = {
  readonly name: string;
  readonly login: Login;
  readonly canaries: string[];
  /** Planted texts that no answer has shown yet, not even to this organisation. */
  readonly unseen: string[];
  readonly answers: string[];
  /** The operations that this organisation carried out. */
  readonly used: Set<string>;
  readonly ask: Caller;
  readonly plans: OwnPlan[];
  /** Ids of registered recipients, and the reference of the first. */
  readonly registered: string[];
  readonly registeredReference: string;
};

const data = join(freshFolder(), 'data');
const organisations: Organisation[] = [];
let url = '';

before(async () => {
  const { ready } = await startFairway(['--port', '0', '--data', data]);
  ({ url } = ready);
  const names = ['Alder', 'Birch', 'Cedar', 'Damson', 'Elder'];
  const logins = await Promise.all(names.map((name) => makeLogin({ data }, name)));
  for (const [index, name] of names.entries()) {
    const login = logins[index];
    assert.ok(login);
    const answers: string[] = [];
    const caller = callerOf(url, login);
    const used = new Set<string>();
    const ask: Caller = async (...given) => {
      const reply = await caller(...given);
      answers.push(reply.text.toLowerCase());
      const [path, body, method = body === undefined ? 'GET' : 'POST'] = given;
      if (reply.status === 200 || reply.status === 201) used.add(operationOf(method, path) ?? path);
      return reply;
    };
    organisations.push({
      name,
      login,
      canaries: [],
      unseen: [],
      answers,
      used,
      ask,
      plans: [],
      registered: [],
      registeredReference: `${name}-supplier`,
    });
  }
  await Promise.all(organisations.map(settle));
});
after(endEverything);

/** The operation that a path leads to. */
function operationOf(method: string, path: string): OperationId | undefined {
  const [bare = ''] = path.split('?');
  return (Object.keys(OPERATIONS) as OperationId[]).find((id) => {
    const { method: own, path: pattern } = operation(id);
    return own === method && new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare);
  });
}

/** Makes plans of every kind, and plays one of them until its history has every kind of text. */
async function settle(organisation: Organisation): Promise<void> {
  const { name, canaries, unseen, ask, plans } = organisation;
  const plant = (text = `${name.toLowerCase()}${randomBytes(6).toString('hex')}`) => {
    canaries.push(text.toLowerCase());
    return text;
  };
  const digits = () => plant(String(100_000_000 + (randomBytes(4).readUInt32BE() % 900_000_000)));
  const person = () => `${plant()} ${plant()}`;
  const metadata = () => ({ note: plant() });
  const message = plant();
  const asked = [
    payment('bank', plant(), {
      recipient: {
        type: 'bank',
        name: person(),
        country: 'AU',
        account: { bsb: '062-000', accountNumber: digits() },
      },
      metadata: metadata(),
    }),
    payment('iban', plant(), {
      recipient: { type: 'bank', name: person(), country: 'DE', account: { iban: plant(germanIban()) } },
      metadata: metadata(),
    }),
    payment('emoney', plant(), {
      recipient: {
        type: 'emoney',
        name: person(),
        provider: 'GCash',
        idType: 'PHONE',
        idValue: `+63${digits()}`,
        currency: 'PHP',
      },
    }),
    payment('email', plant(), {
      recipient: { type: 'email', email: `${plant()}@${plant()}.example`, name: person() },
      options: { mode: 'DIGITAL_COLLECT', collect: { message } },
    }),
  ];
  unseen.push(message);
  for (const each of asked) {
    const { status, body, text } = await ask('/v1/payments', each);
    assert.equal(status, 200, text);
    const stepIds = body.steps.map(({ stepId }) => stepId);
    plans.push({ planId: body.planId, stepIds, reference: each.clientReference });
    canaries.push(body.planId, ...stepIds, body.recipient.fingerprint.toLowerCase());
  }
  await saveRecipients(organisation, plant, person, digits);
  const replies = await playWhole(organisation, plant, person, digits);
  assert.deepEqual(
    replies.map(({ status }) => status),
    replies.map(() => 200),
    replies.map(({ text }) => text).join('\n'),
  );
}

/** Keeps recipients, and sends every possible request about one. */
async function saveRecipients(
  { ask, registered, canaries, registeredReference }: Organisation,
  plant: () => string,
  person: () => string,
  digits: () => string,
): Promise<void> {
  const bank = () => ({
    ...{ type: 'bank', name: person(), country: 'AU' },
    account: { bsb: '062-000', accountNumber: digits() },
  });
  for (const more of [{ clientReference: registeredReference }, {}]) {
    const { status, text } = await ask('/v1/recipients', { recipient: bank(), label: plant(), ...more });
    assert.equal(status, 201, text);
    const { recipientId, recipient } = JSON.parse(text) as RegisteredRecipient;
    registered.push(recipientId);
    canaries.push(recipientId, recipient.fingerprint.toLowerCase());
  }
  const own = `/v1/recipients/${registered[0]}`;
  const check = { result: 'MATCH', checkedAt: '2026-01-01T00:00:00Z' };
  const replies = [
    await ask(`${own}/verification`, { ...check, provider: plant(), reference: plant() }, 'PUT'),
    await ask(`${own}/reveal`, {}),
    await ask(own, { recipient: bank(), metadata: { note: plant() } }, 'PATCH'),
    await ask(`${own}/reveal`, {}),
    await ask(`${own}/versions`),
    await ask(own),
    await ask('/v1/recipients'),
    await ask('/v1/recipients/validate', { recipient: payment('bank', 'looked at').recipient }),
    await ask(`/v1/recipients/${registered[1]}/reveal`, {}),
    await ask(`/v1/recipients/${registered[1]}`, undefined, 'DELETE'),
  ];
  for (const { status, text } of replies) assert.equal(status, 200, text);
}

/** All operations on plans in the table of operations, each with a body that it accepts. */
const operations = (Object.keys(OPERATIONS) as OperationId[])
  .map((id) => ({ ...operation(id), id }))
  .filter(({ path }) => path.includes('/payments'));

const BODIES: Readonly<Record<string, object>> = {
  createPayment: payment('bank', 'allowed?'),
  reportStep: { outcome: 'DONE', providerReference: 'X' },
  simulateStep: { event: 'payout.done' },
  approvePayment: { version: 1 },
  endPayment: { reason: 'OTHER' },
  recordRefund: {
    providerReference: 'X',
    amount: '1',
    asset: { chainId: 31337, address: `0x${'ab'.repeat(20)}` },
  },
  againPayment: { recipient: payment('bank', 'allowed?').recipient },
};

function send(ask: Caller, id: OperationId, planId: string, stepId = ''): Promise<Reply> {
  const { method, path } = operation(id);
  const filled = path.replace('{planId}', planId).replace('{stepId}', stepId);
  return ask(filled, method === 'GET' ? undefined : (BODIES[id] ?? {}));
}

/** Plays a plan until its link is mailed and waits for the recipient. */
async function mailLink({ ask }: Organisation, { planId, stepIds }: OwnPlan): Promise<void> {
  for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${planId}/steps/${stepIds[index]}/simulate`;
    const { status, text } = await ask(path, { event });
    assert.equal(status, 200, text);
  }
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await ask(`/v1/payments/${planId}`);
    if (body.steps.at(-1)?.collect?.link?.state === 'SENT') return;
    await sleep(25);
  }
  assert.fail('The link was not mailed.');
}

const absentPlan = `plan_${'0'.repeat(32)}`;
const absentStep = `step_${'0'.repeat(32)}`;

test('plans of others, unknown plans and malformed ids get the same answer', async () => {
  for (const [index, { ask, plans }] of organisations.entries()) {
    const [own] = plans;
    const [foreign] = organisations[(index + 1) % organisations.length]?.plans ?? [];
    assert.ok(own && foreign);
    const steps: readonly string[] = [...foreign.stepIds, ...own.stepIds, 'x'];
    const malformed = [
      'plan_',
      'x',
      foreign.planId.toUpperCase(),
      `${foreign.planId}0`,
      '%00',
      "'--",
      own.reference,
    ];
    for (const { id, path } of operations) {
      if (!path.includes('{planId}')) continue;
      const expected = comparable(await send(ask, id, absentPlan, absentStep));
      assert.equal((expected as { status: number }).status, 404, id);
      for (const step of steps)
        assert.deepEqual(comparable(await send(ask, id, foreign.planId, step)), expected, `${id} foreign`);
      for (const name of malformed)
        assert.deepEqual(comparable(await send(ask, id, name, absentStep)), expected, `${id} ${name}`);
      if (!path.includes('{stepId}')) continue;
      const noStep = comparable(await send(ask, id, own.planId, absentStep));
      for (const step of [...foreign.stepIds, 'x', '%00'])
        assert.deepEqual(comparable(await send(ask, id, own.planId, step)), noStep, `${id} ${step}`);
    }
  }
});

test('events are those of one organisation, also for who asks after an event of another', async () => {
  const read = async ({ ask }: Organisation, query: string) => ask(`/v1/events?limit=100&${query}`);
  /** Every page of an organisation's events. */
  const allOf = async (organisation: Organisation, query = '') => {
    const pages: { text: string; data: { id: string }[]; nextCursor: string }[] = [];
    for (let after = ''; ; after = `&after=${pages.at(-1)?.nextCursor}`) {
      const { text } = await read(organisation, `${query}${after}`);
      const { data, nextCursor } = JSON.parse(text) as { data: { id: string }[]; nextCursor: string };
      if (data.length === 0) return pages;
      pages.push({ text, data, nextCursor });
    }
  };
  for (const [index, own] of organisations.entries()) {
    const other = organisations[(index + 1) % organisations.length] ?? assert.fail();
    const [theirs] = await allOf(other);
    const text = (await allOf(own)).map((page) => page.text).join('\n');
    for (const { planId } of own.plans) assert.ok(text.includes(planId), 'its own plans');
    for (const { planId } of other.plans) {
      assert.ok(!text.includes(planId));
      assert.deepEqual(await allOf(own, `subject=${planId}`), []);
    }
    const afterTheirs = await read(own, `after=${theirs?.data[0]?.id}`);
    assert.equal(afterTheirs.status, 410, 'an event of another is unknown');
    const stream = await streamUntil(url, own.login, own.plans.at(-1)?.planId ?? '');
    own.used.add('streamEvents');
    own.answers.push(stream.toLowerCase());
    for (const { planId } of other.plans) assert.ok(!stream.includes(planId));
  }
});

test('links of others cannot be resent, readdressed, cancelled, reissued or paid', async () => {
  const linked = await Promise.all(
    organisations.map(async (owner) => {
      const plan = owner.plans.at(-1) ?? assert.fail();
      await mailLink(owner, plan);
      return { owner, plan };
    }),
  );
  // A link can be sent again one minute after the last time.
  await organisations[0]?.ask('/v1/sandbox/clock', { advance: 'PT61S' });
  const stateOf = async ({ owner: { ask }, plan: { planId } }: (typeof linked)[number]) => {
    const [plan, events] = [
      await ask(`/v1/payments/${planId}`),
      await ask(`/v1/payments/${planId}/events?limit=100`),
    ];
    assert.deepEqual([plan.status, events.status], [200, 200]);
    return [plan.text, events.text];
  };
  for (const [index, { ask }] of organisations.entries()) {
    const foreign = linked[(index + 1) % linked.length] ?? assert.fail();
    const { planId, stepIds } = foreign.plan;
    const before = await stateOf(foreign);
    for (const { id, path } of operations) {
      if (!path.includes('{planId}')) continue;
      const expected = comparable(await send(ask, id, absentPlan, absentStep));
      assert.equal((expected as { status: number }).status, 404, id);
      for (const step of path.includes('{stepId}') ? stepIds : [''])
        assert.deepEqual(comparable(await send(ask, id, planId, step)), expected, id);
    }
    assert.deepEqual(await stateOf(foreign), before);
  }
  const [{ owner, plan } = assert.fail()] = linked;
  assert.equal((await owner.ask(`/v1/payments/${plan.planId}/again`, {})).body.did, 'LINK', 'by its owner');
});

test('no list, filter or page shows plans of others', async () => {
  for (const [index, { ask, plans }] of organisations.entries()) {
    const other = organisations[(index + 1) % organisations.length];
    const [theirs] = other?.plans ?? [];
    const theirPage = await other?.ask('/v1/payments?limit=2');
    const { nextCursor = '' } = JSON.parse(theirPage?.text ?? '{}') as { nextCursor?: string };
    const idsOf = async (query: string) => {
      const { status, text } = await ask(`/v1/payments?${query}`);
      assert.equal(status, 200, text);
      return (JSON.parse(text) as { data: { planId: string }[] }).data.map(({ planId }) => planId);
    };
    const own = plans.map(({ planId }) => planId);
    assert.deepEqual((await idsOf('')).toSorted(), own.toSorted());
    assert.deepEqual(
      await idsOf(new URLSearchParams({ clientReference: theirs?.reference ?? '' }).toString()),
      [],
    );
    for (const status of ['ACTION_REQUIRED', 'COMPLETED'])
      for (const id of await idsOf(`status=${status}`)) assert.ok(own.includes(id));
    // A cursor is a place in a list: for another organisation it leads to that organisation's own plans.
    for (const id of await idsOf(`limit=2&cursor=${nextCursor}`)) assert.ok(own.includes(id));
  }
});

test('who names the deposit address of another as sender learns only that it is in use', async () => {
  const [first, second] = organisations;
  assert.ok(first && second);
  const address = `0x${randomBytes(20).toString('hex')}`;
  const watched = payment('bank', 'holds the address', {
    options: { mode: 'STANDARD', depositAddress: address },
  });
  const { status, body, text } = await first.ask('/v1/payments', watched);
  assert.equal(status, 200, text);
  const named = payment('bank', 'names the address', { options: { mode: 'STANDARD', sender: address } });
  const [own, foreign] = [await first.ask('/v1/payments', named), await second.ask('/v1/payments', named)];
  for (const reply of [own, foreign])
    assert.deepEqual([reply.status, reply.body.code], [409, 'deposit-address-in-use'], reply.text);
  assert.ok(own.text.includes(`the open plan ${body.planId}`), own.text);
  assert.ok(foreign.text.includes('of another open plan') && !foreign.text.includes('plan_'), foreign.text);
  // An address of its own, and the sender is only the wallet that executes.
  const depositAddress = `0x${randomBytes(20).toString('hex')}`;
  const apart = { ...named, options: { ...named.options, depositAddress } };
  assert.equal((await second.ask('/v1/payments', apart)).status, 200);
  const seen = { 'if-match': `"${body.revision}"` };
  const ended = await first.ask(`/v1/payments/${body.planId}/end`, {}, undefined, seen);
  assert.equal(ended.status, 200, ended.text);
  assert.equal((await first.ask('/v1/payments', named)).status, 200, 'the plan that had the address is over');
});

test('texts of one organisation are in no answer to another', async () => {
  const [
    {
      ask: first,
      plans: [own],
    } = assert.fail(),
  ] = organisations;
  await first(`/v1/payments/${own?.planId}/events`);
  for (const { ask, plans } of organisations)
    for (const { planId } of plans) {
      assert.equal((await ask(`/v1/payments/${planId}`)).status, 200);
      assert.equal((await ask(`/v1/payments/${planId}/events?limit=100`)).status, 200);
      assert.equal((await ask(`/v1/payments/${planId}/recipient/reveal`, {})).status, 200);
    }
  for (const { name, answers } of organisations)
    for (const other of organisations)
      for (const canary of other.canaries) {
        if (other.name === name) continue;
        // An answer does not repeat the ids of the request either.
        const leaking = answers.find((answer) => answer.includes(canary));
        assert.equal(leaking, undefined, `${name} was told ${canary} of ${other.name}`);
      }
  for (const { canaries, unseen, answers } of organisations)
    for (const canary of canaries.filter((each) => !unseen.includes(each)))
      assert.ok(
        answers.some((answer) => answer.includes(canary)),
        `${canary} is seen by its owner`,
      );
});

/** Operations on no plan: they tell nothing of an organisation. Those of the sandbox show all of its e-mails on purpose. */
const ON_NO_PLAN: readonly OperationId[] = [
  'listChains',
  'listTokens',
  'listRouters',
  'listCorridors',
  'getRequirements',
  'getQuote',
  'planSwap',
  'health',
  'livez',
  'readyz',
  'getMailbox',
  'getSandbox',
  'useFaucet',
];
/** Operations with cases in other tests: of webhooks, collect requests, reports, statements, approvals and erasures. */
const isElsewhere = (id: OperationId) =>
  operation(id).tag === 'Webhooks' ||
  /^\/v1\/(collect_requests|reports|reconciliation|(recipients|payments)\/.*\/(approve|reject|erase))/.test(
    operation(id).path,
  );

test('every operation has a case here: its owner carried it out, or it is known to be on no plan', () => {
  const used = new Set(organisations.flatMap((each) => [...each.used]));
  const missing = (Object.keys(OPERATIONS) as OperationId[]).filter(
    (id) => !used.has(id) && !ON_NO_PLAN.includes(id) && !isElsewhere(id),
  );
  assert.deepEqual(missing, []);
  const onPlans = new Set<string>(operations.map(({ id }) => id));
  assert.deepEqual(
    ON_NO_PLAN.filter((id) => onPlans.has(id)),
    [],
  );
});
