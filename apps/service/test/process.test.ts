// The service as people start and end it: through npm, by signals, by kill -9, two services at once, and on data that
// is kept.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { basic } from './harness.ts';
import {
  endEverything,
  freshFolder,
  runToEnd,
  startProcess,
  WITH_NPM,
  type ServiceProcess,
  type Ready,
  stillRunning,
  waitForEnd,
} from './processHarness.ts';
import { runFairway } from './commandHarness.ts';

after(endEverything);

const fairway = [process.execPath, 'apps/service/src/main.ts'];

async function statusOf({ url, username, password }: Ready, path = '/v1/markets/chains'): Promise<number> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: basic(username, password) } });
  await response.arrayBuffer();
  return response.status;
}

test('npm start takes options after --, writes the ready file and prints a working curl line', async () => {
  const service = await startProcess(['--port', '0'], {}, WITH_NPM);
  assert.deepEqual(Object.keys(service.ready), ['url', 'username', 'password', 'chainId', 'rpcUrl']);
  const line = service
    .output()
    .split('\n')
    .find((each) => each.includes('/v1/quote'));
  const { stdout } = await promisify(execFile)('sh', ['-c', line ?? 'false']);
  assert.match(stdout, /"amountOut":"\d+"/);
  const [mailbox = ''] = /http\S+\/sandbox\/mailbox$/m.exec(service.output()) ?? [];
  assert.equal((await fetch(mailbox)).status, 200);
  const family = service.family();
  assert.ok(family.length > 4, 'npm, the service, its guardian, the chain and the database');
  service.child.kill('SIGTERM');
  assert.deepEqual(await waitForEnd(family), [], 'SIGTERM to npm alone ends everything');
});

test('Ctrl-C, a SIGINT to the whole process group, ends everything in good order', async () => {
  const service = await startProcess(['--port', '0'], {}, WITH_NPM);
  const family = service.family();
  process.kill(-(service.child.pid ?? 0), 'SIGINT');
  assert.deepEqual(await waitForEnd(family), []);
  await service.ended;
});

test('a second service starts beside the first without a port option', async () => {
  const first = await startProcess([], {}, WITH_NPM);
  const second = await startProcess([], {}, WITH_NPM);
  assert.notEqual(first.ready.url, second.ready.url);
  assert.deepEqual([await statusOf(first.ready), await statusOf(second.ready)], [200, 200]);
  assert.equal(await statusOf({ ...first.ready, ...credentialOf(second.ready) }), 401);
  await stopInOrder(first);
  await stopInOrder(second);
});

async function stopInOrder(service: ServiceProcess): Promise<void> {
  const family = service.family();
  service.child.kill('SIGTERM');
  assert.deepEqual(await waitForEnd(family), []);
}

function credentialOf({ username, password }: Ready) {
  return { username, password };
}

test('kill -9 of the service leaves neither chain nor database running', async () => {
  const service = await startProcess(['--port', '0']);
  const family = service.family();
  service.child.kill('SIGKILL');
  assert.deepEqual(await waitForEnd(family), []);
});

test('with --data everything but the demo credential outlives a kill -9 of all processes', async () => {
  const data = join(freshFolder(), 'data');
  const args = ['--port', '0', '--data', data];
  const first = await startProcess(args);
  const create = [...fairway, 'credentials', 'create', '--organisation', 'Acme', '--data', data, '--json'];
  const made = await runToEnd(create);
  assert.equal(made.code, 0, made.output);
  const acme: { username: string; password: string } = JSON.parse(made.printed);
  assert.equal(await statusOf({ ...first.ready, ...acme }), 200, 'the command works while the service runs');
  const refused = await runToEnd([...fairway, 'start', ...args]);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /in use by the running process \d+/);
  const receiver = '0x00000000000000000000000000000000000fa157';
  await fund(first.ready, receiver);
  const family = first.family();
  // The chain's state is written every second; blocks lost in between look like a reorg.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  // Some of them, such as an idle connection of the database, may have ended by themselves meanwhile.
  for (const pid of stillRunning(family)) process.kill(pid, 'SIGKILL');
  assert.deepEqual(await waitForEnd(family), []);

  const second = await startProcess(args);
  assert.equal(await statusOf({ ...second.ready, ...acme }), 200);
  assert.equal(await statusOf({ ...second.ready, ...credentialOf(first.ready) }), 401);
  assert.equal(await statusOf(second.ready), 200);
  assert.equal(await balanceOf(second.ready, receiver), 5n * 10n ** 18n);
  await stopInOrder(second);
  assert.equal(await second.ended, 0);
});

async function fund(ready: Ready, address: string): Promise<void> {
  const response = await fetch(`${ready.url}/v1/sandbox/faucet`, {
    method: 'POST',
    headers: { authorization: basic(ready.username, ready.password), 'content-type': 'application/json' },
    body: JSON.stringify({ address, native: true, amount: String(5n * 10n ** 18n) }),
  });
  assert.equal(response.status, 200, await response.text());
}

async function balanceOf({ rpcUrl }: Ready, address: string): Promise<bigint> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [address, 'latest'] }),
  });
  const { result } = (await response.json()) as { result: string };
  return BigInt(result);
}

test('orphaned processes of a killed service do not block the next start on their folder', async () => {
  const data = join(freshFolder(), 'data');
  const args = ['--port', '0', '--data', data];
  const first = await startProcess(args);
  const family = first.family();
  const guardians = family.filter(
    (pid) => stillRunning([pid]).length > 0 && commandOf(pid).includes('guardian'),
  );
  assert.equal(guardians.length, 1);
  // A service that is killed together with its guardian leaves orphans.
  for (const pid of [...guardians, first.child.pid ?? 0]) process.kill(pid, 'SIGKILL');
  await waitForEnd([...guardians, first.child.pid ?? 0]);
  assert.notDeepEqual(stillRunning(family), []);
  const second = await startProcess(args);
  assert.equal(await statusOf(second.ready), 200);
  assert.deepEqual(await waitForEnd(family), [], 'the next start ends the orphans');
  await stopInOrder(second);
});

test('every command gives help', async () => {
  const helpOf = async (...args: string[]) => {
    const { code, output } = await runFairway(args);
    assert.equal(code, 0, output);
    return output;
  };
  const whole = await helpOf('help');
  assert.equal(await helpOf('-h'), whole);
  const commands = new Set(Array.from(whole.matchAll(/^  fairway (\w+)/gm), ([, name = '']) => name));
  assert.ok(whole.split('\n').length < 25, 'it fits a screen');
  for (const word of ['help', 'version']) commands.delete(word);
  assert.ok(commands.size >= 10, [...commands].join());
  for (const command of commands) {
    const own = await helpOf('help', command);
    assert.match(own, new RegExp(`^  fairway ${command}\\b`, 'm'));
    assert.equal(await helpOf(command, '--help'), own);
  }
  assert.equal(await helpOf('credentials', 'create', '--help'), await helpOf('help', 'credentials'));
  const { code, output } = await runToEnd([...fairway, 'help', 'strat']);
  assert.deepEqual([code, output], [2, 'There is no command strat. Did you mean start? See: fairway help\n']);
});

test('commands on one folder at the same time take turns and leave no process running', async () => {
  const data = join(freshFolder(), 'data');
  const create = [...fairway, 'credentials', 'create', '--organisation', 'Acme', '--data', data, '--json'];
  const made = await Promise.all([1, 2, 3].map(() => runToEnd(create)));
  assert.deepEqual(
    made.map(({ code }) => code),
    [0, 0, 0],
    made.map(({ output }) => output).join(),
  );
  const [first] = made;
  const { username } = JSON.parse(first?.printed ?? '{}');
  const rotate = ['credentials', 'rotate', username, '--overlap', 'PT0S', '--data', data];
  assert.equal((await runFairway(rotate)).code, 0);
  const unknown = await runFairway(['credentials', 'revoke', 'nobody', '--data', data, '--json']);
  assert.equal(unknown.code, 1);
  assert.match(
    unknown.output,
    /"error":\{"code":"CREDENTIAL_UNKNOWN","detail":"There is no credential nobody/,
  );
});

test('a data folder works below a folder that only its owner can enter', async () => {
  const parent = join(freshFolder(), 'private');
  mkdirSync(parent, { mode: 0o700 });
  chmodSync(parent, 0o700);
  const service = await startProcess(['--port', '0', '--data', join(parent, 'data')]);
  assert.equal(await statusOf(service.ready), 200);
  await stopInOrder(service);
});

const REFUSALS: [name: string, args: string[], env: NodeJS.ProcessEnv, code: number, says: RegExp][] = [
  [
    'another host',
    ['start', '--host', '0.0.0.0'],
    {},
    1,
    /--host 0\.0\.0\.0: the sandbox .* this machine only/,
  ],
  ['a port out of range', ['start', '--port', '70000'], {}, 1, /--port 70000: must be a number from 0/],
  [
    'an unknown option',
    ['start', '--prot', '1'],
    {},
    2,
    /There is no option --prot here\. See: fairway help start/,
  ],
  ['an unknown command', ['strat'], {}, 2, /There is no command strat/],
  [
    'a configuration that is not there',
    ['start', '--config', '/nowhere.json'],
    {},
    1,
    /\/nowhere\.json: there is no such file/,
  ],
  [
    'a database that is none',
    ['start'],
    { DATABASE_URL: 'mysql://x' },
    1,
    /DATABASE_URL: must start with postgres/,
  ],
  [
    'a server key of another length',
    ['start'],
    { FAIRWAY_SERVER_KEY: 'abc' },
    1,
    /FAIRWAY_SERVER_KEY: must be 32 bytes/,
  ],
  ['credentials without a database', ['credentials', 'list'], {}, 1, /Which database\? Give --data DIR/],
  ['a credential without an organisation', ['credentials', 'create'], {}, 2, /needs --organisation NAME/],
  [
    'a permission that is none',
    ['credentials', 'create', '--organisation', 'A', '--permissions', 'all'],
    {},
    2,
    /no such role or permission: all\. Roles are integrator/,
  ],
];
for (const [name, args, env, code, says] of REFUSALS) {
  test(`${name} is refused with a sentence that says what to do`, async () => {
    const ended = await runFairway(args, env);
    assert.equal(ended.code, code, ended.output);
    assert.match(ended.output, says);
    assert.doesNotMatch(ended.output, /\n +at /, 'no stack trace');
  });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
