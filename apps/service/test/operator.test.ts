// Mistakes of operators: each is answered with one sentence that names what to change, without a stack trace.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakePostgres } from './fakePostgres.ts';
import { endEverything, freshFolder, launch, stillRunning, waitForEnd } from './processHarness.ts';
import { beginFairway, runFairway } from './commandHarness.ts';

after(endEverything);

const fairway = [process.execPath, 'apps/service/src/main.ts'];
const example = join(import.meta.dirname, '../../../examples/config');
/** The example offers payments, which need a key that seals recipients' details. */
const sealing = { FAIRWAY_SEALING_KEYS: `one:${'1f'.repeat(32)}` };
/** Long enough for a busy machine, and ends a test that hangs. */
const PATIENCE = { timeout: 60_000 };

/** The command that starts the example configuration with changes, on nodes that do not answer. */
function startOn(changes: object) {
  const config = JSON.parse(readFileSync(join(example, 'fairway.json'), 'utf8'));
  const file = join(freshFolder(), 'fairway.json');
  const tokenLists = [join(example, 'tokens.json')];
  const nodes = [{ name: 'away', urls: ['http://127.0.0.1:1'] }];
  const chains = config.chains.map((chain: object) => ({ ...chain, nodes }));
  writeFileSync(file, JSON.stringify({ ...config, tokenLists, chains, ...changes }));
  return ['start', '--port', '0', '--config', file];
}

async function assertRefused(command: readonly string[], env: NodeJS.ProcessEnv, code: number, says: RegExp) {
  const ended = await runFairway(command, { ...sealing, ...env });
  assert.match(ended.output, says);
  assert.doesNotMatch(ended.output, /\n +at /, 'no stack trace');
  assert.equal(ended.code, code, ended.output);
}

test('a metrics port that is taken is named', PATIENCE, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = new RegExp(`metrics\\.port ${port}: another program`);
  const command = [...startOn({ metrics: { port } }), '--data', freshFolder()];
  await assertRefused(command, {}, 1, taken).finally(() => other.close());
});

test('payments without a sealing key are refused, and the missing variable is named', PATIENCE, async () => {
  const env = { FAIRWAY_SEALING_KEYS: '' };
  await assertRefused(startOn({}), env, 1, /^FAIRWAY_SEALING_KEYS: is missing/);
});

test('a ready file that cannot be written is reported before anything starts', PATIENCE, async () => {
  const command = ['start', '--ready-file', '/nowhere/ready.json'];
  await assertRefused(command, {}, 1, /^--ready-file \/nowhere\/ready\.json: .*there is no folder \/nowhere/);
});

test('a command line that cannot be understood ends with exit code 2', PATIENCE, async () => {
  await assertRefused(
    ['migrate', '--bogus'],
    {},
    2,
    /^There is no option --bogus here\. See: fairway help migrate$/m,
  );
  await assertRefused(
    ['start', '--bogus'],
    {},
    2,
    /^There is no option --bogus here\. See: fairway help start$/m,
  );
});

test('an empty DATABASE_URL is treated as unset', PATIENCE, async () => {
  await assertRefused(['credentials', 'list'], { DATABASE_URL: '' }, 1, /Which database\?/);
});

for (const command of ['list', 'rotate cred_1', 'revoke cred_1']) {
  test(`credentials ${command} on a mistyped folder makes no database there`, PATIENCE, async () => {
    const data = join(freshFolder(), 'mistyped');
    const line = ['credentials', ...command.split(' '), '--data', data];
    await assertRefused(line, {}, 1, /There is no database in .*mistyped/);
    assert.equal(existsSync(data), false);
  });
}

test('with --json an error is printed as a JSON object', PATIENCE, async () => {
  const { code, printed } = await runFairway(['credentials', 'list', '--json'], { DATABASE_URL: '' });
  assert.equal(code, 1);
  const { error } = JSON.parse(printed);
  assert.equal(error.code, 'CONFIGURATION');
  assert.match(error.detail, /Which database\?/);
});

for (const [state, name] of [
  ['28P01', 'a wrong password'],
  ['3D000', 'a database that is not there'],
] as const) {
  test(`${name} ends a start and a command, and DATABASE_URL is named`, PATIENCE, async () => {
    const server = await startFakePostgres(state);
    const env = { DATABASE_URL: server.url };
    await assertRefused(startOn({}), env, 1, /^DATABASE_URL: the server refuses it/m);
    await assertRefused(['credentials', 'list'], env, 1, /^DATABASE_URL: the server refuses it/);
    await assertRefused(['migrate'], env, 1, /^DATABASE_URL: the server refuses it/);
    server.close();
  });
}

test('a database that is starting is waited for, and SIGTERM ends the wait', PATIENCE, async () => {
  const server = await startFakePostgres('57P03');
  const { stop, output } = beginFairway(startOn({}), { ...sealing, DATABASE_URL: server.url });
  while (!output().includes('Waiting for the database')) await sleep(20);
  assert.equal(await stop(), 0, output());
  server.close();
});

test('SIGTERM ends a start that hangs on its database', PATIENCE, async () => {
  const server = await startFakePostgres();
  const { child, ended, output } = launch([...fairway, ...startOn({})], {
    ...sealing,
    DATABASE_URL: server.url,
  });
  await server.asked;
  child.kill('SIGTERM');
  assert.equal(await ended, 0, output());
  server.close();
});

test(
  'a command whose database does not answer ends with exit code 1 and an error in JSON',
  PATIENCE,
  async () => {
    const env = { DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' };
    const line = ['credentials', 'list', '--json'];
    await assertRefused(line, env, 1, /"code":"DATABASE_UNAVAILABLE"/);
  },
);

test(
  'Ctrl-C on a command ends the database that it started and removes its socket folder',
  PATIENCE,
  async () => {
    const data = join(freshFolder(), 'data');
    const { child, ended } = launch([
      ...fairway,
      ...['credentials', 'create', '--organisation', 'A', '--data', data],
    ]);
    const { pid, socketFolder } = await postmasterOf(data);
    assert.ok(existsSync(socketFolder));
    child.kill('SIGINT');
    await ended;
    assert.deepEqual(await waitForEnd([pid]), []);
    // The guardian removes the folder when the server has ended.
    for (let waitedMs = 0; waitedMs < 5000 && existsSync(socketFolder); waitedMs += 50) await sleep(50);
    assert.equal(existsSync(socketFolder), false);
    const again = await runFairway(['credentials', 'create', '--organisation', 'A', '--data', data]);
    assert.equal(again.code, 0, again.output);
    assert.deepEqual(stillRunning([lastPostmaster(data).pid]), []);
  },
);

type Postmaster = { readonly pid: number; readonly socketFolder: string };

async function postmasterOf(data: string): Promise<Postmaster> {
  for (;;) {
    const postmaster = lastPostmaster(data);
    if (postmaster.socketFolder !== '') return postmaster;
    await sleep(5);
  }
}

/** Reads the server's postmaster.pid; process id 0 and no folder while the file is incomplete. */
function lastPostmaster(data: string): Postmaster {
  try {
    const lines = readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), socketFolder: lines[4] ?? '' };
  } catch {
    return { pid: 0, socketFolder: '' };
  }
}
