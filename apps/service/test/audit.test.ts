// The audit log has all refusals, reveals and changes of credentials, without a secret and without personal data.
// `fairway audit log` finds lines that were taken out of it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, startTestService, type TestService } from './harness.ts';
import { payment } from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway } from './commandHarness.ts';

const data = join(freshFolder(), 'data');
const file = join(data, 'audit.log');
/** A text that nothing else contains, planted wherever a caller can put one. */
const canary = () => `canary${randomBytes(9).toString('hex')}`;
const planted: string[] = [];
const plant = () => {
  const text = canary();
  planted.push(text);
  return text;
};

let service: TestService;
before(async () => {
  service = await startTestService(['--data', data], {
    metrics: { host: '127.0.0.1', port: 0 },
    limits: { requestsPerSecond: 1000, failedLoginsPerMinute: 3 },
  });
});
after(async () => {
  await service?.close();
  await endEverything();
});

type Line = { readonly event: string; readonly [name: string]: unknown };
type Login = { readonly username: string; readonly password: string };

/** Runs a command on the service's data folder; a busy machine can take seconds for each. */
async function command(...args: string[]) {
  const { code, output } = await runFairway([...args, '--data', data, '--json']);
  return { code, output, json: JSON.parse(output.split('\n').at(-2) ?? '{}') };
}

async function credential(...more: string[]): Promise<Login> {
  const made = await command('credentials', 'create', '--organisation', plant(), ...more);
  assert.equal(made.code, 0, made.output);
  planted.push(made.json.password);
  return made.json;
}

/** The lines of an event, once there are as many as wanted. */
async function linesOf(event: string, wanted = 1): Promise<Line[]> {
  for (let turn = 0; ; turn += 1) {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const found = lines.map((line) => JSON.parse(line) as Line).filter((line) => line.event === event);
    if (found.length >= wanted || turn > 100) return found;
    await sleep(50);
  }
}

const as = ({ username, password }: Login, headers: object = {}) => ({
  headers: { authorization: basic(username, password), ...headers },
});

test('the start records its configuration with a digest, and no key of it', async () => {
  const [line] = await linesOf('CONFIGURATION');
  assert.match(String(line?.['digest']), /^[\w-]{43}$/);
  assert.deepEqual((line?.['summary'] as { sealingKeys: string[] }).sealingKeys, ['sandbox']);
});

test('commands on credentials are recorded by user name, also those that are refused', async () => {
  const { username } = await credential();
  planted.push((await command('credentials', 'rotate', username)).json.password);
  await command('credentials', 'revoke', username);
  assert.equal((await command('credentials', 'rotate', username)).code, 1);
  for (const event of ['CREDENTIAL_CREATED', 'CREDENTIAL_ROTATED', 'CREDENTIAL_REVOKED'])
    assert.equal((await linesOf(event)).at(-1)?.['credentialId'], username, event);
  assert.equal((await linesOf('COMMAND_REFUSED')).at(-1)?.['reason'], 'CREDENTIAL_REVOKED');
});

test('sign-ins, refused requests and reveals are recorded with who they were', async () => {
  const [full, poor] = [
    await credential('--permissions', 'payments:read,payments:write,recipients:write,recipients:reveal'),
    await credential('--permissions', 'markets:read'),
  ];
  const text = plant();
  const traces = { 'x-request-id': plant(), 'user-agent': plant(), cookie: plant() };
  const path = `/v1/payments/${plant()}?${plant()}=${plant()}`;
  assert.equal((await service.request(path, as({ username: text, password: plant() }, traces))).status, 401);
  assert.equal((await service.request(path, as({ ...full, password: plant() }, traces))).status, 401);
  assert.equal((await service.request(path, { headers: { authorization: plant() } })).status, 401);
  assert.equal((await service.request(path, as({ ...full, password: plant() }, traces))).status, 429);
  assert.equal((await service.request('/v1/payments', as(poor))).status, 403);
  const refused = await linesOf('SIGN_IN_REFUSED', 4);
  assert.deepEqual(
    refused.map(({ status, reason, credentialId }) => [status, reason, credentialId]),
    [
      [401, 'WRONG', undefined],
      [401, 'WRONG', full.username],
      [401, 'MALFORMED', undefined],
      [429, 'TOO_MANY', full.username],
    ],
  );
  const [forbidden] = await linesOf('REQUEST_REFUSED');
  assert.deepEqual([forbidden?.['status'], forbidden?.['credentialId']], [403, poor.username]);
  assert.equal(forbidden?.['route'], 'GET /v1/payments');
  await reveals(full);
  const grants = await linesOf('SIGN_IN_GRANTED', 2);
  assert.deepEqual(
    grants.map(({ credentialId }) => credentialId),
    [poor.username, full.username],
    'many requests of one credential are one line',
  );
});

async function reveals(full: Login): Promise<void> {
  const recipient = {
    type: 'bank',
    name: plant(),
    country: 'AU',
    account: { bsb: '062-000', accountNumber: '918273645' },
  };
  planted.push('918273645');
  const init = as(full, { 'content-type': 'application/json' });
  const body = JSON.stringify(payment('bank', plant(), { recipient }));
  const made = await service.request('/v1/payments', { ...init, method: 'POST', body });
  const { planId } = made.body as { planId: string };
  const reveal = (id: string) =>
    service.request(`/v1/payments/${id}/recipient/reveal`, { ...as(full), method: 'POST' });
  assert.equal((await reveal(planId)).status, 200, JSON.stringify(made.body));
  assert.equal((await reveal(plant())).status, 404);
  const [granted] = await linesOf('REVEAL_GRANTED');
  assert.deepEqual([granted?.['planId'], granted?.['credentialId']], [planId, full.username]);
  const [refused] = await linesOf('REVEAL_REFUSED');
  assert.deepEqual([refused?.['reason'], refused?.['planId']], ['not-found', undefined]);
}

test('no password, no personal data and no text that a caller chose is in the log', () => {
  const text = readFileSync(file, 'utf8');
  assert.ok(planted.length > 20);
  for (const secret of planted) {
    assert.ok(!text.includes(secret), secret);
    assert.ok(!text.includes(Buffer.from(secret).toString('base64url').slice(1, -3)), secret);
  }
  const [configuration = ''] = text.split('\n').filter((line) => line.includes('"CONFIGURATION"'));
  assert.doesNotMatch(text.replace(configuration, ''), /127\.0\.0\.1|::1/);
});

test('a command verifies the log against the metrics, and fails when its end was cut off', async () => {
  const { metricsUrl = '' } = service.running;
  const metrics = await (await fetch(metricsUrl)).text();
  const valueOf = (name: string) => new RegExp(`^${name}\\{chain="(\\w+)"\\} (\\d+)$`, 'm').exec(metrics);
  const [, chain = '', lines = ''] = valueOf('fairway_audit_lines') ?? [];
  const [, , head = ''] = valueOf('fairway_audit_head') ?? [];
  const known = `${chain}:${lines}:${head}`;
  const right = await command('audit', 'log', '--head', known);
  assert.deepEqual([right.code, right.json.faults], [0, []], right.output);
  const before = readFileSync(file, 'utf8');
  const kept = before
    .split('\n')
    .filter((line) => !(line.includes(chain) && line.includes(`"seq":${lines},`)));
  const cut = join(freshFolder(), 'audit.log');
  writeFileSync(cut, kept.join('\n'));
  const wrong = await command('audit', 'log', cut, '--head', known);
  assert.deepEqual([wrong.code, wrong.json.error.code], [1, 'AUDIT_LOG_FAULTY']);
});

test('an address is found in the log by its name, which a command tells', async () => {
  const { output } = await runFairway(['audit', 'address', '127.0.0.1', '--data', data]);
  const [refused] = await linesOf('SIGN_IN_REFUSED');
  const [opened] = await linesOf('OPENED');
  assert.equal(
    output.trim(),
    `${refused?.['from']}  in chains whose first line has "key":"${opened?.['key']}"`,
  );
});

test('the name of an address needs the key of the log, and neither the log nor the data folder', async () => {
  const asked = ['audit', 'address', '192.0.2.7'];
  const named = await runFairway(asked, { FAIRWAY_AUDIT_KEY: '5a'.repeat(32) });
  const again = await runFairway([...asked, '--data', freshFolder()], { FAIRWAY_AUDIT_KEY: '5a'.repeat(32) });
  assert.deepEqual([named.code, again.code, named.output], [0, 0, again.output]);
  const other = await runFairway(asked, { FAIRWAY_AUDIT_KEY: 'a5'.repeat(32) });
  assert.notEqual(other.output, named.output);
});

const keyed = (byte: string) => ({ FAIRWAY_AUDIT_KEY: byte.repeat(32) });

test('a command without a key refuses a log that was begun with another key, and does nothing', async () => {
  const other = join(freshFolder(), 'other.log');
  const options = ['--data', data, '--audit-log', other, '--json'];
  const begun = await runFairway(['credentials', 'list', ...options], keyed('5a'));
  assert.equal(begun.code, 0, begun.output);
  const before = readFileSync(other, 'utf8');
  const refused = await runFairway(['credentials', 'create', '--organisation', 'Unkeyed', ...options]);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /was begun with a key of its own.*Give it the environment of the service/);
  assert.equal(readFileSync(other, 'utf8'), before);
  assert.doesNotMatch((await command('credentials', 'list')).output, /Unkeyed/);
});

test('a log with an audit key verifies without sealing keys, which older lines alone need', async () => {
  const other = join(freshFolder(), 'other.log');
  const list = ['credentials', 'list', '--data', data, '--audit-log', other];
  const verify = async (env: Record<string, string>) => (await runFairway(['audit', 'log', other], env)).code;
  await runFairway(list, keyed('5a'));
  assert.equal(await verify({ ...keyed('5a'), FAIRWAY_SEALING_KEYS: 'one:file:/nowhere' }), 0);
  const sealing = `one:${'a5'.repeat(32)}`;
  await runFairway(list, { FAIRWAY_SEALING_KEYS: sealing });
  assert.equal(await verify(keyed('5a')), 1);
  assert.equal(await verify({ ...keyed('5a'), FAIRWAY_SEALING_KEYS: sealing }), 0);
});

test('a command that changes credentials and has no audit log says so', async () => {
  const env = { DATABASE_URL: 'postgres://fairway@127.0.0.1:1/none' };
  const warned = await runFairway(['credentials', 'revoke', 'cred_1'], env);
  assert.match(
    warned.output,
    /^No audit log has what this command does\. Give the service's with --audit-log FILE/,
  );
  assert.match(warned.output, /The database does not answer/);
  const listed = await runFairway(['credentials', 'list'], env);
  assert.doesNotMatch(listed.output, /audit/);
});

test('a command that cannot write the audit log does nothing', async () => {
  const env = { FAIRWAY_AUDIT_LOG: join(data, 'nowhere', 'audit.log') };
  const args = ['credentials', 'create', '--organisation', 'Unrecorded', '--data', data, '--json'];
  const refused = await runFairway(args, env);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /"AUDIT_LOG_UNWRITABLE".*so nothing was done: ENOENT/);
  const { output } = await command('credentials', 'list');
  assert.doesNotMatch(output, /Unrecorded/);
});
