import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { snapshotFile } from './snapshotFile.ts';

const root = mkdtempSync(join(tmpdir(), 'fairway-snapshot-'));
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(root, 'data-'));
  path = join(folder, 'market-1.snapshot');
});
after(() => rmSync(root, { recursive: true, force: true }));

const pieces = [Buffer.from('a market of '), Buffer.alloc(100_000, 7), Buffer.from([0])];
const content = Buffer.concat(pieces);

async function assertUnusable(says: RegExp): Promise<void> {
  const found = await snapshotFile(path).read();
  assert.ok(found.state === 'UNUSABLE', found.state);
  assert.match(found.detail, says);
}

test('a saved snapshot is read back, and only its owner may read the file', async () => {
  const store = snapshotFile(path);
  assert.deepEqual(await store.read(), { state: 'ABSENT' });
  await store.save(pieces);
  const found = await store.read();
  assert.ok(found.state === 'READ');
  assert.ok(content.equals(found.bytes));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['market-1.snapshot']);
});

test('a snapshot with any byte changed is refused', async () => {
  await snapshotFile(path).save([Buffer.from('short')]);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    writeFileSync(path, whole.with(at, (whole[at] ?? 0) ^ 1));
    await assertUnusable(/^it is damaged or cut off: its checksum does not match$/);
  }
});

test('a snapshot cut off at any length is refused', async () => {
  await snapshotFile(path).save([Buffer.from('short')]);
  for (let length = statSync(path).size - 1; length >= 0; length--) {
    truncateSync(path, length);
    await assertUnusable(/damaged or cut off/);
  }
});

test('a path that is not a file is reported at once', async () => {
  mkdirSync(path);
  await assertUnusable(/^it is not a file$/);
});

test('a save that fails midway leaves the earlier snapshot and no other file', async () => {
  const store = snapshotFile(path);
  await store.save(pieces);
  function* failing() {
    yield Buffer.from('half');
    throw new Error('a pool of nothing known');
  }
  await assert.rejects(store.save(failing()), /nothing known/);
  assert.equal((await store.read()).state, 'READ');
  assert.deepEqual(readdirSync(folder), ['market-1.snapshot']);
});

test('the unfinished file of a killed save is replaced, and a link there is not followed', async () => {
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, 'untouched');
  symlinkSync(elsewhere, `${path}.new`);
  await snapshotFile(path).save(pieces);
  assert.equal(readFileSync(elsewhere, 'utf8'), 'untouched');
  assert.equal((await snapshotFile(path).read()).state, 'READ');
  assert.equal(existsSync(`${path}.new`), false);
});

test('saving fails when the folder is missing or is not a folder', async () => {
  await assert.rejects(snapshotFile(join(folder, 'gone', 'market')).save(pieces), { code: 'ENOENT' });
  writeFileSync(join(folder, 'file'), '');
  await assert.rejects(snapshotFile(join(folder, 'file', 'market')).save(pieces), { code: 'ENOTDIR' });
});

test('a file that this user may not read is reported', { skip: process.getuid?.() === 0 }, async () => {
  await snapshotFile(path).save(pieces);
  chmodSync(path, 0);
  await assertUnusable(/^it cannot be read: EACCES/);
});

test('other work can run after every piece that is saved', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const turnsAt: number[] = [];
  function* slow() {
    for (let piece = 0; piece < 20; piece++) {
      turnsAt.push(turns);
      yield Buffer.alloc(1000);
    }
  }
  await snapshotFile(path).save(slow());
  clearImmediate(timer);
  assert.equal(new Set(turnsAt).size, 20);
});
