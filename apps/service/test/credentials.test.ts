// Credentials are made, rotated and revoked on the command line while a service runs on the same data folder. The
// tests show what the service answers to each credential. Plans are looked at and changed in the same way.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '@fairway/values';
import type { PaymentPlan } from '@fairway/wire';
import { CommandError } from '../src/cli/commandError.ts';
import { recoverCommand } from '../src/cli/recover.ts';
import { plansCommand } from '../src/cli/plans/plans.ts';
import { UsageError } from '../src/platform/config/error.ts';
import { paymentsClient } from './paymentsHarness.ts';
import { DEFAULT_PERMISSIONS, PERMISSION_OF, PERMISSIONS } from './permissions.ts';
import { basic, postOf } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway, startFairway, type StartedService, testTerminal } from './commandHarness.ts';

const { terminal } = testTerminal();

type Login = { username: string; password: string };
type Created = Login & {
  organisation: string;
  environment: string;
  permissions: string[];
  expiresAt: string | null;
};
type Listed = Omit<Created, 'password'> & {
  status: string;
  createdAt: string;
  revokedAt: string | null;
  previousValidUntil: string | null;
};

/** A recipient of the sandbox. */
const PAID = { type: 'email', email: 'jo@example.com' };

let data: string;
let service: StartedService;
let bodies: Record<string, unknown>;
const logins: Login[] = [];
const outputs: string[] = [];

before(async () => {
  data = join(freshFolder(), 'data');
  service = await startFairway(['--port', '0', '--data', data, '--log-level', 'trace']);
  const { tokens, accounts } = (await ask('GET /v1/sandbox', demo())).body as {
    tokens: { address: string }[];
    accounts: { address: string }[];
  };
  const [tokenIn, tokenOut] = tokens.map(({ address }) => address);
  const trade = { chainId: 31337, tokenIn, tokenOut, tradeType: 'EXACT_IN', amount: '1000000000000000000' };
  bodies = {
    'GET /v1/quote': trade,
    'POST /v1/swap': trade,
    'POST /v1/recipients': { recipient: PAID },
    'POST /v1/recipients/validate': { recipient: PAID },
    'POST /v1/webhook_endpoints': { url: 'http://127.0.0.1:9999/' },
    'POST /v1/reports': {
      ...{ type: 'movements', format: 'csv' },
      ...{ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    },
    'PUT /v1/reconciliation/maps/bank': {
      ...{ account: 'AU1', currency: 'AUD', columns: { bookedOn: 'Day', amount: 'Amount' } },
    },
    'POST /v1/sandbox/clock': { advance: 'PT1S' },
    'POST /v1/sandbox/faucet': { address: accounts[0]?.address, native: true, amount: '1' },
  };
});
after(endEverything);

const demo = () => basic(service.ready.username, service.ready.password);
const loginOf = ({ username, password }: Login) => basic(username, password);

type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

/** Sends a request that the operation answers with 200, with this Authorization header or without one. */
async function ask(operation: string, authorization?: string): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const body = bodies?.[operation];
  const query = new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, String(value)]));
  const where = method === 'GET' && body !== undefined ? `${path}?${query}` : path;
  const { headers, ...init } = method === 'GET' ? { headers: {} } : { ...postOf(body), method };
  const response = await fetch(`${service.ready.url}${where}`, {
    ...init,
    headers: { ...(headers as object), ...defined({ authorization }) },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
}

const statusOf = async (authorization?: string) =>
  (await ask('GET /v1/markets/chains', authorization)).status;

/** Runs `fairway credentials` on the running service's data folder. */
async function credentials(...args: string[]): Promise<{ code: number | null; output: string }> {
  const ended = await runFairway(['credentials', ...args, '--data', data]);
  outputs.push(ended.output);
  return ended;
}

async function inJson<T>(...args: string[]): Promise<T> {
  const { code, output } = await credentials(...args, '--json');
  assert.equal(code, 0, output);
  const result = JSON.parse(output) as T & Partial<Login>;
  assert.equal(output, `${JSON.stringify(result)}\n`, 'one object on one line');
  const { username = '', password } = result;
  if (password !== undefined) logins.push({ username, password });
  return result;
}

const create = (...args: string[]) => inJson<Created>('create', '--organisation', 'Acme', ...args);
const withPermissions = (list: readonly string[]) => create('--permissions', list.join(','));

test('create, rotate, revoke and list print JSON for scripts and text for people', async () => {
  const made = await create('--expires-in', 'P30D');
  assert.match(made.username, /^cred_[0-9a-f]{32}$/);
  assert.ok(Buffer.from(made.password, 'base64url').length >= 32, '256 random bits');
  assert.deepEqual(Object.keys(made).sort(), [
    ...['environment', 'expiresAt', 'organisation', 'password', 'permissions', 'username'],
  ]);
  assert.partialDeepStrictEqual(made, { organisation: 'Acme', environment: 'sandbox' });
  assert.deepEqual(made.permissions, DEFAULT_PERMISSIONS);
  const lifetimeDays = (Date.parse(made.expiresAt ?? '') - Date.now()) / 86_400_000;
  assert.ok(lifetimeDays > 29.9 && lifetimeDays <= 30, String(lifetimeDays));
  const { credentials: listed } = await inJson<{ credentials: Listed[] }>('list');
  const { password: _, ...shown } = made;
  const entry = listed.find(({ username }) => username === made.username);
  assert.partialDeepStrictEqual(entry, {
    ...shown,
    status: 'ACTIVE',
    revokedAt: null,
    previousValidUntil: null,
  });
  assert.ok(!JSON.stringify(listed).includes(made.password));
  const rotated = await inJson<Login & { previousValidUntil: string }>('rotate', made.username);
  assert.deepEqual(Object.keys(rotated).sort(), ['password', 'previousValidUntil', 'username']);
  assert.notEqual(rotated.password, made.password);
  const revoked = await inJson<{ username: string; revokedAt: string }>('revoke', made.username);
  assert.deepEqual(Object.keys(revoked).sort(), ['revokedAt', 'username']);
  const text = await credentials('list');
  assert.match(text.output, /^ {2}USERNAME +ORGANISATION +ENVIRONMENT +STATUS +EXPIRES +PERMISSIONS$/m);
  const row = [made.username, 'Acme', 'sandbox', 'REVOKED', made.expiresAt, made.permissions.join(', ')];
  assert.match(text.output, new RegExp(`^  ${row.join(' +')}$`, 'm'));
  assert.match(text.output, / ACTIVE +never +[a-z:, ]+$/m);
  const again = await credentials('rotate', made.username);
  assert.equal(again.code, 1);
  assert.match(again.output, /is revoked and stays so/);
});

test('a new credential says what it may do, and until when', async () => {
  const asked = ['create', '--organisation', 'Acme', '--permissions', 'quotes:read,reports:read'];
  const { code, output } = await credentials(...asked);
  assert.equal(code, 0, output);
  assert.match(output, /^expires +never\npermissions +quotes:read, reports:read$/m);
});

test('every operation answers 403 without exactly its permission, and a success with it alone', async () => {
  for (const permission of [
    'markets:read',
    'quotes:read',
    'swaps:plan',
    'recipients:write',
    'reports:write',
  ]) {
    const [lacking, holding] = await Promise.all([
      withPermissions(PERMISSIONS.filter((each) => each !== permission)),
      withPermissions([permission]),
    ]);
    for (const [operation, needed] of Object.entries(PERMISSION_OF)) {
      const refused = await ask(operation, loginOf(lacking));
      const success =
        operation === 'POST /v1/reports'
          ? 202
          : /^POST .*(recipients|webhook_endpoints)$/.test(operation)
            ? 201
            : 200;
      assert.equal(
        refused.status,
        needed === permission ? 403 : success,
        `${operation} without ${permission}`,
      );
      const allowed = await ask(operation, loginOf(holding));
      assert.equal(allowed.status, needed === permission || needed === null ? success : 403, operation);
      const problems = [refused, allowed].filter(({ status }) => status === 403);
      for (const { body } of problems) {
        assert.partialDeepStrictEqual(body, { code: 'forbidden', status: 403 });
        assert.match(
          String(body['detail']),
          new RegExp(`\\b${needed}\\b`),
          'the answer names the missing permission',
        );
      }
    }
  }
});

test('a credential of an environment that is not served is refused when it is made', async () => {
  const { code, output } = await credentials(
    ...['create', '--organisation', 'Acme', '--environment', 'production'],
  );
  assert.equal(code, 2);
  assert.match(output, /--environment: a credential of production would be refused: .* served as sandbox\./);
});

test('a credential that is made without saying more may do what the demo credential may', async () => {
  const made = await create();
  const { credentials: listed } = await inJson<{ credentials: Listed[] }>('list');
  const demoNow = listed.find(({ username }) => username === service.ready.username);
  assert.deepEqual(demoNow?.permissions, made.permissions);
  const approver = loginOf(await withPermissions(['approver']));
  for (const [path, permission] of [
    ['/v1/payments/plan_x/approve', 'payments:approve'],
    ['/v1/recipients/rcp_x/approve', 'recipients:approve'],
  ] as const) {
    for (const login of [demo(), loginOf(made)]) {
      const { status, body } = await ask(`POST ${path}`, login);
      assert.deepEqual([status, body['code']], [403, 'forbidden'], path);
      assert.match(String(body['detail']), new RegExp(permission));
    }
    assert.notEqual((await ask(`POST ${path}`, approver)).body['code'], 'forbidden', path);
  }
});

test('a role is what it names, and roles and single permissions add up', async () => {
  const roles = ['integrator', 'finance', 'approver', 'operator', 'read-only'];
  for (const role of roles) {
    const { permissions } = await withPermissions([role]);
    assert.ok(permissions.length > 2 && permissions.length < PERMISSIONS.length, role);
    assert.equal(
      permissions.some((each) => each.endsWith(':approve')),
      role === 'approver',
    );
    if (role === 'read-only') assert.ok(permissions.every((each) => each.endsWith(':read')));
  }
  const both = await withPermissions(['finance', 'quotes:read', 'payments:read']);
  assert.deepEqual(both.permissions, [
    ...['quotes:read', 'payments:read', 'recipients:read', 'events:read', 'reports:read', 'reports:write'],
  ]);
  const { code, output } = await credentials('create', '--organisation', 'Acme', '--permissions', 'boss');
  assert.equal(code, 2);
  assert.match(output, /no such role or permission: boss\. Roles are integrator, finance, approver/);
});

test('every wrong credential gets the same 401', async () => {
  const { username, password } = await withPermissions(['markets:read']);
  const [right, other] = [basic(username, password), basic(username, 'x')];
  const base64 = right.slice('Basic '.length);
  const bare = base64.replace(/=+$/, '');
  const wrong: Record<string, string | undefined> = {
    'no header': undefined,
    'an empty header': '',
    'the scheme alone': 'Basic',
    'the scheme and a space': 'Basic ',
    'the right value under another scheme': `Digest ${base64}`,
    'no base64': `Basic ${username}:${password}`,
    'a wrong password': other,
    'a password that goes on': basic(username, `${password}x`),
    'a password cut short': basic(username, password.slice(0, -1)),
    'a password in another case': basic(username, password.toUpperCase()),
    'an empty password': basic(username, ''),
    'an empty user': basic('', password),
    'no colon': `Basic ${Buffer.from(username + password).toString('base64')}`,
    'an unknown user': basic(`cred_${'f'.repeat(32)}`, password),
    'a user in another case': basic(username.toUpperCase(), password),
    'a user that is no id': basic("' OR 1=1 --", password),
    'a password with a control character': basic(username, `${password}\0`),
    'bytes that are no UTF-8': `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`,
    'padding too much': `Basic ${bare}====`,
    'one sign of padding too much': `Basic ${base64}=`,
    'padding where it does not belong': `Basic ${bare}${bare === base64 ? '==' : ''}`,
    'junk before': `Basic !!${base64}`,
    'a space within': `Basic ${base64.slice(0, 8)} ${base64.slice(8)}`,
    'something after': `Basic ${base64} x`,
    'two credentials': `${right}, ${right}`,
  };
  const answers = new Set<string>();
  for (const [name, authorization] of Object.entries(wrong)) {
    const { status, headers, body } = await ask('GET /v1/markets/chains', authorization);
    assert.equal(status, 401, name);
    assert.equal(headers.get('www-authenticate'), 'Basic realm="fairway", charset="UTF-8"', name);
    answers.add(JSON.stringify({ ...body, requestId: '' }));
  }
  assert.equal(answers.size, 1, 'the answers do not show whether a user exists');
  assert.equal(await statusOf(right), 200);
  assert.equal(await statusOf(`bAsIc ${base64}`), 200, 'the scheme is case-insensitive');
});

/** Runs `fairway plans` on the running service's data folder and chain. Answers what it prints, as one JSON object. */
async function plans<T>(...args: string[]): Promise<T> {
  const printed = await plansCommand([...args, '--data', data, '--json'], terminal);
  return JSON.parse(printed) as T;
}

type Listing = { count: number; plans: { planId: string; organisation: string; stuck: boolean }[] };
type Story = { organisation: string; plan: PaymentPlan; events: { actor: string; type: string }[] };

/** Asserts that what is due is listed, and told in the story of its plan, with what a custodian's list is compared with. */
async function assertDue(plan: PaymentPlan, story: string): Promise<void> {
  type Due = { payouts: { planId: string; endToEndId: string; amountOpen: string; dueSince: string }[] };
  const action = plan.steps[2]?.custodianAction ?? assert.fail('Its custodian is told.');
  const due = (await plans<Due>('list', '--due')).payouts.find((each) => each.planId === plan.planId);
  // The command reads no chain, so that it does not know what tokens are called, nor how many decimals they have.
  const { symbol: _symbol, decimals: _decimals, ...asset } = action.asset;
  const { amount: _amount, ...target } = action.target ?? assert.fail('Its currency is told.');
  assert.partialDeepStrictEqual(due, {
    ...action,
    asset,
    target,
    organisation: 'Sandbox demo',
    next: 'STEP_FAILED',
  });
  assert.match(due?.dueSince ?? '', /^20\d\d-/);
  assert.deepEqual([plan.next?.pay, due?.amountOpen], [undefined, action.amount], 'it failed');
  const list = await plansCommand(['list', '--due', '--data', data], terminal);
  for (const printed of [list, story]) {
    const lines = printed.split('\n');
    const from = lines.findIndex((line) => line.trim().replace(/^end-to-end id +/, '') === action.endToEndId);
    const facts = lines.slice(from, from + 7);
    for (const told of [
      new RegExp(`to pay +not now, ${action.amount} units, \\d+\\.\\d+ in whole tokens$`),
      /of 0x\w{40} on chain 31337, pegged to AUD$/,
      /custodian +Sandbox custodian, NPP$/,
      /paid to +bank account in AU, …5678$/,
      /due +since 20.*Z, late after 20.*Z$/,
    ])
      assert.ok(
        facts.some((line) => told.test(line)),
        `${told}\n${facts.join('\n')}`,
      );
    assert.deepEqual(
      facts.filter(({ length }) => length > 100),
      [],
    );
  }
}

test('plans are listed, told, tried again and ended by the operator, over all organisations', async () => {
  const client = paymentsClient(service.ready.url, demo());
  const depositAddress = `0x${'c0ffee'.padEnd(40, '7')}`;
  const made = await client.plan({ options: { mode: 'STANDARD', depositAddress } });
  await client.simulate(made, 'AWAIT_DEPOSIT', 'deposit.exact');
  const swapped = (await client.simulate(made, 'EXECUTE_SWAP', 'swap.done')).body;
  const failure = { outcome: 'FAILED', providerReference: 'NPP-1', failure: { code: 'RAIL_UNAVAILABLE' } };
  const failed = (await client.report(swapped, 'CUSTODIAN_PAYOUT', failure)).body;
  assert.equal(failed.next?.why, 'STEP_FAILED');
  const chain = join(freshFolder(), 'chain.json');
  writeFileSync(chain, JSON.stringify(service.ready));
  const { planId } = made;

  const listed = await plans<Listing>('list', '--stuck');
  assert.partialDeepStrictEqual(
    listed.plans.find((each) => each.planId === planId),
    { organisation: 'Sandbox demo', stuck: true },
  );
  const text = await plansCommand(['show', planId, '--data', data], terminal);
  await assertDue(failed, text);
  for (const told of [/status +ACTION_REQUIRED/, /STEP_FAILED/, /SWAP_OUT/, /AT_HEAD/, /STEP_FAILED|PAYOUT/])
    assert.match(text, told);
  assert.ok(!text.includes('Josephine') && !text.includes('12345678'), 'no details of the recipient');

  const native = { address: depositAddress, native: true, amount: '1500000000000000000' };
  assert.equal((await client.ask('/v1/sandbox/faucet', native)).status, 200);
  const held = await plansCommand(['show', planId, '--data', data, '--ready-file', chain], terminal);
  assert.match(
    held,
    /At the deposit address now\n {2}\d+ units of 0x\w{40}\n {2}1\.\d+ ETH, which counts for no plan/,
  );

  const retried = await plans<Story>('again', planId, '--ready-file', chain);
  assert.deepEqual([retried.plan.status, retried.plan.next?.why], ['ACTION_REQUIRED', 'PAYOUT_DUE']);
  assert.deepEqual(retried.events.at(-1)?.actor, 'operator');
  const seen = retried.plan.revision;
  const end = (revision: number, ...more: string[]) =>
    plans<Story>('end', planId, '--revision', String(revision), ...more, '--ready-file', chain);
  const reason = ['--reason', 'SETTLED_ELSEWHERE', '--note', 'paid by hand'];
  const refused = (says: RegExp) => (error: unknown) =>
    error instanceof CommandError && error.code === 'REFUSED' && says.test(error.message);
  await assert.rejects(end(seen), refused(/reason/), 'its money has moved');
  await assert.rejects(end(seen - 1, ...reason), refused(/revision-mismatch/));
  const ended = await end(seen, ...reason);
  const { status, ended: how } = ended.plan;
  assert.deepEqual([status, how?.reason, how?.note], ['ENDED', 'SETTLED_ELSEWHERE', 'paid by hand']);
  assert.equal((await client.get(planId)).status, 'ENDED', 'the service sees it');
  const log = readFileSync(join(data, 'audit.log'), 'utf8');
  for (const event of ['PLAN_AGAIN', 'PLAN_ENDED'])
    assert.match(log, new RegExp(`"event":"${event}","planId":"${planId}","organisationId":"org_`));
});

test('a command line of plans that cannot be understood is refused before a database is opened', async () => {
  const planId = `plan_${'0'.repeat(32)}`;
  const wrong: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['show'], /needs a PLAN/],
    [['list', '--limit', '0'], /1 to 1000/],
    [['list', '--force'], /does not take --force/],
    [['list', '--due', '--limit', '5'], /every payout that is due; leave --limit out/],
    [['show', 'plan_1'], /no id of a plan/],
    [['end', planId, '--reason', 'OTHER'], /needs --revision N/],
    [['end', planId, '--revision', '0'], /needs --revision N/],
    [['end', planId, '--reason', 'WHIM', '--revision', '1'], /^--reason must be REFUNDED/],
    [['end', planId, '--note', 'why', '--revision', '1'], /^--note goes with reason/],
    [['again', planId, '--revision', '1'], /does not take --revision/],
    [['delete', planId], /Use one of/],
  ];
  for (const [args, says] of wrong)
    await assert.rejects(
      plansCommand([...args, '--data', '/nowhere'], terminal),
      (error) => error instanceof UsageError && says.test(error.message),
      args.join(' '),
    );
  await assert.rejects(
    plansCommand(['show', planId, '--data', data], terminal),
    (error) => error instanceof CommandError && error.code === 'PLAN_UNKNOWN',
  );
});

test('a restore that has not come yet is refused with the time of the database', async () => {
  await assert.rejects(
    recoverCommand(['--since', '2999-01-01T00:00:00Z', '--data', data], terminal),
    (error) => error instanceof UsageError && /clock says 20\d\d-.*a sandbox's time/.test(error.message),
  );
});

test('a revoked credential is refused within 5 s, even while it is in constant use', async () => {
  const made = await withPermissions(['markets:read']);
  assert.equal(await statusOf(loginOf(made)), 200);
  await inJson('revoke', made.username);
  const using = Array.from({ length: 50 }, async (_, index) => {
    await sleep(index * 100);
    await statusOf(loginOf(made));
  });
  await Promise.all([...using, sleep(5000)]);
  assert.equal(await statusOf(loginOf(made)), 401);
});

test('a rotated password works until its overlap ends, a credential until it expires', async () => {
  const [rotating, ending, expiring] = await Promise.all([
    withPermissions(['markets:read']),
    withPermissions(['markets:read']),
    create('--expires-in', 'PT2H'),
  ]);
  for (const made of [rotating, ending]) assert.equal(await statusOf(loginOf(made)), 200);
  const [overlapping, ended] = await Promise.all([
    inJson<Login & { previousValidUntil: string }>('rotate', rotating.username, '--overlap', 'PT2H'),
    inJson<Login>('rotate', ending.username, '--overlap', 'PT1S'),
  ]);
  assert.ok(Date.parse(overlapping.previousValidUntil) > Date.now() + 3_500_000);
  for (const login of [rotating, overlapping, expiring, ended]) {
    assert.equal(await statusOf(loginOf(login)), 200);
  }
  bodies['POST /v1/sandbox/clock'] = { advance: 'PT1H' };
  await ask('POST /v1/sandbox/clock', demo());
  for (const login of [rotating, overlapping, expiring, ended]) {
    assert.equal(await statusOf(loginOf(login)), 200);
  }
  assert.equal(await statusOf(loginOf(ending)), 401, 'its overlap was one second');
  await ask('POST /v1/sandbox/clock', demo());
  assert.equal(await statusOf(loginOf(rotating)), 401);
  assert.equal(await statusOf(loginOf(expiring)), 401);
  for (const login of [overlapping, ended]) assert.equal(await statusOf(loginOf(login)), 200);
  assert.equal(await statusOf(demo()), 200);
});

test('the log holds no password and no Authorization value, not even for a failed request', async () => {
  const used = await create('--permissions', 'payments:operate');
  const node = service
    .family()
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bin/anvil'));
  assert.ok(node);
  // The node hangs and is killed during the request, so that the log records a failed request.
  process.kill(node, 'SIGSTOP');
  const failing = ask('POST /v1/sandbox/faucet', loginOf(used));
  await sleep(200);
  process.kill(node, 'SIGKILL');
  const { status, body } = await failing;
  assert.equal(status, 503);
  while (!service.output().includes(String(body['requestId']))) await sleep(20);
  assert.ok(logins.length > 8);
  for (const login of logins) {
    assert.ok(!service.output().includes(login.password));
    assert.ok(!service.output().includes(loginOf(login).slice('Basic '.length)));
    assert.equal(outputs.filter((output) => output.includes(login.password)).length, 1, 'shown once');
  }
  assert.doesNotMatch(service.output(), /authorization|Basic [A-Za-z0-9+/]{16}/i);
});
