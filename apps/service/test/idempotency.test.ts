// One clientReference means one plan for ever: for parallel requests, over two services, in other spellings of the
// request, and after a restart.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectToRunning } from '@fairway/postgres';
import {
  type AskedPayment,
  type Caller,
  callerOf,
  type Login,
  makeLogin,
  payment,
  type Reply,
  urlOf,
} from './paymentCalls.ts';
import {
  endEverything,
  freshFolder,
  startProcess,
  type ServiceProcess,
  untilReady,
} from './processHarness.ts';
import { startSecondProcess } from './secondInstance.ts';

const data = join(freshFolder(), 'data');
const env = { FAIRWAY_SEALING_KEYS: `k1:${'5a'.repeat(32)}` };
let first: ServiceProcess;
let acme: Login;
let rival: Login;
let here: Caller;
let there: Caller;

const start = () => startProcess(['--port', '0', '--data', data], env);

before(async () => {
  first = await start();
  [acme, rival] = await Promise.all([makeLogin({ data, env }, 'Acme'), makeLogin({ data, env }, 'Rival')]);
  const running = connectToRunning(join(data, 'postgres'));
  assert.ok(running);
  const ground = { first: first.ready, login: acme, databaseUrl: urlOf(running), env };
  const second = await startSecondProcess(ground);
  await Promise.all([first, second].map(({ ready }) => untilReady(ready.url)));
  here = callerOf(first.ready.url, acme);
  there = callerOf(second.ready.url, acme);
});
after(endEverything);

const plans = (caller: Caller, body: unknown) => caller('/v1/payments', body);

function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/**
 * Sends many requests at once. Asserts that each answer is the same plan or asks to try again later; returns the
 * plan's id.
 */
async function storm(callers: readonly Caller[], asked: AskedPayment, made: number): Promise<string> {
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => plans(callers[index % callers.length] ?? here, asked)),
  );
  const answered = replies.filter(({ status }) => status === 200);
  for (const { status, body, text, headers } of replies.filter((reply) => reply.status !== 200)) {
    assert.ok(['409 request-in-progress', '503 overloaded'].includes(`${status} ${body.code}`), text);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  const [id = '', ...others] = [...new Set(answered.map(({ body }) => body.planId))];
  assert.deepEqual(others, [], 'one plan');
  assert.equal(answered.filter((reply) => !isReplay(reply)).length, made);
  return id;
}

async function plansOf(caller: Caller, clientReference: string): Promise<string[]> {
  const query = new URLSearchParams({ clientReference });
  const { text } = await caller(`/v1/payments?${query}`);
  return (JSON.parse(text) as { data: { planId: string }[] }).data.map(({ planId }) => planId);
}

test('200 parallel requests with one reference make one plan, in one service and over two', async () => {
  for (const [name, callers] of [
    ['one', [here]],
    ['two', [here, there]],
  ] as const) {
    const asked = payment('bank', `storm over ${name}`);
    const planId = await storm(callers, asked, 1);
    assert.deepEqual(await plansOf(there, asked.clientReference), [planId]);
  }
});

test('other spellings of the same request give the same plan', async () => {
  const asked = payment('bank', 'spelled', { metadata: { order: '1' } });
  const { clientReference, corridorId, amountIn, recipient, options } = asked;
  const { body } = await plans(here, asked);
  const account = { accountNumber: '12345678', bsb: '062000' };
  const spellings: unknown[] = [
    { options, recipient, amountIn, corridorId, clientReference },
    { ...asked, metadata: { other: 'metadata' } },
    { ...asked, options: { slippageBps: 50, ...options } },
    { ...asked, recipient: { account, country: 'AU', name: 'Orla Finch', type: 'bank' } },
    JSON.stringify(asked, null, '\t\r\n '),
  ];
  for (const spelling of spellings) {
    const reply = await plans(there, spelling);
    assert.equal(reply.status, 200, `${JSON.stringify(spelling)}: ${reply.text}`);
    assert.ok(isReplay(reply));
    assert.equal(reply.body.planId, body.planId);
    assert.deepEqual(reply.body.metadata, { order: '1' }, 'the metadata of the first request stay');
  }
});

test('a request for a collect link without a field equals one with its default', async () => {
  const mode = 'DIGITAL_COLLECT';
  const { body } = await plans(here, payment('email', 'collect defaults'));
  for (const collect of [{}, { expiresIn: 'P14D' }, { expiresIn: 'PT336H' }]) {
    const reply = await plans(there, payment('email', 'collect defaults', { options: { mode, collect } }));
    assert.deepEqual([reply.status, reply.body.planId], [200, body.planId], JSON.stringify(collect));
  }
  const other = { mode, collect: { expiresIn: 'P15D' } };
  const reply = await plans(there, payment('email', 'collect defaults', { options: other }));
  assert.equal(reply.body.code, 'client-reference-reused');
});

test('the order of allowed destinations does not matter', async () => {
  const asked = (allowedDestinations: string[]) =>
    payment('email', 'destinations', {
      options: { mode: 'DIGITAL_COLLECT', collect: { allowedDestinations } },
    });
  const { body } = await plans(here, asked(['wallet', 'bank']));
  const reply = await plans(there, asked(['bank', 'wallet']));
  assert.deepEqual([reply.status, reply.body.planId], [200, body.planId]);
});

test('a request that differs in one digit is refused and changes nothing', async () => {
  const asked = payment('bank', 'digits');
  const { body } = await plans(here, asked);
  const account = { bsb: '062-000', accountNumber: '12345679' };
  const others: AskedPayment[] = [
    { ...asked, amountIn: '5000001' },
    { ...asked, recipient: { ...asked.recipient, account } },
    { ...asked, recipient: { ...asked.recipient, name: 'Orla Fynch' } },
    { ...asked, options: { ...asked.options, slippageBps: 51 } },
    payment('iban', 'digits'),
  ];
  for (const other of others) {
    const reply = await plans(there, other);
    const { errors = [] } = reply.body;
    assert.deepEqual([reply.status, reply.body.code], [422, 'client-reference-reused'], reply.text);
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      ['/clientReference'],
    );
    assert.ok(!reply.text.includes(body.planId));
  }
  assert.deepEqual((await plans(here, asked)).body.steps, body.steps);
});

test('a refused request can be corrected under the same reference', async () => {
  const asked = payment('bank', 'corrected');
  const refused: [string, unknown][] = [
    ['validation-failed', { ...asked, amountIn: '-1' }],
    ['unknown-corridor', { ...asked, corridorId: 'nowhere' }],
    ['amount-out-of-range', { ...asked, amountIn: '1' }],
    ['recipient-invalid', { ...asked, recipient: { ...asked.recipient, account: { bsb: '1' } } }],
    ['malformed-json', JSON.stringify(asked).slice(0, -1)],
  ];
  for (const [code, body] of refused) assert.equal((await plans(here, body)).body.code, code);
  const reply = await plans(there, asked);
  assert.equal(reply.status, 200);
  assert.ok(!isReplay(reply));
});

test('two organisations can use the same reference', async () => {
  const asked = payment('bank', 'everyone numbers from 1');
  const own = await plans(here, asked);
  const theirs = await plans(callerOf(first.ready.url, rival), { ...asked, amountIn: '7000000' });
  assert.deepEqual([own.status, theirs.status], [200, 200]);
  assert.ok(!isReplay(theirs));
  assert.notEqual(own.body.planId, theirs.body.planId);
});

test('after a kill and a restart the same request gives the same plan', async () => {
  const asked = payment('bank', 'restarted');
  const made = await plans(here, asked);
  first.child.kill('SIGKILL');
  await first.ended;
  first = await start();
  here = callerOf(first.ready.url, acme);
  const reply = await plans(here, asked);
  assert.equal(reply.status, 200, reply.text);
  assert.ok(isReplay(reply));
  assert.deepEqual(reply.body, made.body);
  const changed = await plans(here, { ...asked, amountIn: '5000001' });
  assert.equal(changed.body.code, 'client-reference-reused');
  assert.equal(await storm([here], asked, 0), made.body.planId);
});
