// The commands about credentials, on the database of a running node and of one that does not run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask } from './asking.ts';
import { until } from './ground.ts';
import { createProcesses, type NodePlace, type ServicePlace } from './processes.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const processes = await createProcesses();
after(() => processes.close());

/** Runs a command and gives its object, or what it says is wrong. */
function command<Said>(data: string, ...args: string[]): Said {
  const env = { ...process.env, DATABASE_URL: '', FAIRWAY_NODE_DATA: data };
  const given = ['credentials', ...args, '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...given], { env, encoding: 'utf8' });
  return status === 0 ? (JSON.parse(stdout) as Said) : assert.fail(stderr);
}

type Made = { readonly username: string; readonly password: string; readonly permissions: string[] };
type Listed = Made & { readonly status: string };

let service: ServicePlace;
let node: NodePlace;
const data = () => join(processes.folder, 'node');

test('a credential may do what its roles say, and no more, as soon as it is made', async () => {
  service = (await processes.service()).ready;
  node = (await processes.node(service, 'node')).ready;
  const statusesOf = async (made: Made) => {
    const place = { ...node, ...made };
    const asked: [string, string?][] = [
      ['/v1/markets/chains'],
      ['/relay/relayers'],
      ['/v1/swap?executionMode=execute', 'POST'],
      [`/relay/relayers/${node.relayers[0]?.relayerId}/resume`, 'POST'],
    ];
    const statuses: number[] = [];
    for (const [path, method] of asked)
      statuses.push((await ask(place, path, method === undefined ? {} : { method, body: {} })).status);
    return statuses;
  };
  const executor = command<Made>(data(), 'create');
  assert.ok(executor.permissions.includes('execute'));
  // 400: it may, and the request has no key.
  assert.deepEqual(await statusesOf(executor), [200, 200, 400, 403]);
  assert.deepEqual(
    await statusesOf(command(data(), 'create', '--permissions', 'operator')),
    [403, 200, 403, 200],
  );
  assert.deepEqual(
    await statusesOf(command(data(), 'create', '--permissions', 'read-only')),
    [200, 200, 403, 403],
  );
  assert.deepEqual(command<Made>(data(), 'create', '--permissions', 'relay:operate,execute').permissions, [
    'execute',
    'relay:operate',
  ]);
  assert.deepEqual(command<Made>(data(), 'create', '--permissions', 'payments:write').permissions, [
    'payments:write',
    'payments:operate',
  ]);
});

test('a credential is rotated, revoked and listed beside the running node', async () => {
  const made = command<Made>(data(), 'create', '--expires-in', 'P1D', '--organisation', 'Treasury');
  const statusOf = async (password: string) =>
    (await ask({ ...node, ...made, password }, '/relay/relayers')).status;
  assert.equal(await statusOf(made.password), 200);
  const rotated = command<Made>(data(), 'rotate', made.username, '--overlap', 'PT0S');
  assert.equal(await statusOf(rotated.password), 200);
  await until(async () => (await statusOf(made.password)) === 401, 'the old password is refused');
  command(data(), 'revoke', made.username);
  await until(async () => (await statusOf(rotated.password)) === 401, 'it is refused');
  const listed = command<Listed[]>(data(), 'list');
  const found = listed.find(({ username }) => username === made.username);
  assert.deepEqual([found?.status, 'password' in (found ?? {})], ['REVOKED', false]);
  assert.equal(listed.find(({ username }) => username === node.username)?.status, 'ACTIVE');
});

test('a folder without a node gets its credential before the first start', () => {
  const fresh = join(processes.folder, 'fresh');
  mkdirSync(fresh);
  const { username } = command<Made>(fresh, 'create', '--permissions', 'executor');
  assert.deepEqual(
    command<Listed[]>(fresh, 'list').map((each) => [each.username, each.status]),
    [[username, 'ACTIVE']],
  );
});

test('a command line that is wrong is refused with what to give, and no database is opened', () => {
  for (const [args, said] of [
    [['create', '--permissions', 'boss'], /--permissions: there is no role or permission boss\. Roles are /],
    [['create', '--expires-in', 'soon'], /--expires-in soon: must be an ISO 8601 duration/],
    [['rotate'], /Use one of: credentials create/],
    [['revoke', 'a', 'b'], /Unexpected argument: b/],
  ] as const)
    assert.throws(() => command('/dev/null/nowhere', ...args), said);
  assert.throws(() => command(data(), 'revoke', 'cred_0'), /There is no credential cred_0/);
});

test('a folder that is mistyped gets no database, and no key is overwritten', () => {
  const typo = join(processes.folder, 'nod');
  for (const args of [['list'], ['create'], ['rotate', 'cred_0'], ['revoke', 'cred_0']])
    assert.throws(() => command(typo, ...args), /nod: there is no such folder/);
  const empty = join(processes.folder, 'empty');
  mkdirSync(empty);
  assert.throws(() => command(empty, 'list'), /empty: no node has its data there/);
  assert.ok(!existsSync(typo) && !existsSync(join(empty, 'postgres')));
  const run = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [MAIN, ...args], { input, encoding: 'utf8' });
  const file = join(empty, 'key.json');
  assert.equal(run(['keys', 'new', file], 'correct horse battery\n').status, 0);
  const again = run(['keys', 'new', file], 'correct horse battery\n');
  assert.deepEqual([again.status, again.stdout], [1, '']);
  assert.match(again.stderr, /key\.json: no key was made: the file is there already/);
  for (const args of [['--help'], ['start', '--help'], ['credentials', '-h']]) {
    const { status, stdout } = run(args);
    assert.equal(status, 0);
    assert.match(stdout, /client-node keys new FILE/);
  }
});
