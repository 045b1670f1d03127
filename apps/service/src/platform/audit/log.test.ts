import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { auditKeyOf } from './key.ts';
import { type AuditLog, openAuditLog } from './log.ts';
import { chainedLine } from './line.ts';
import { type KnownHead, verifyAuditLog } from './verifyAuditLog.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-audit-'));
after(() => rmSync(folder, { recursive: true }));

const secret = randomBytes(32);
const key = auditKeyOf(secret);
let files = 0;
const newFile = () => join(folder, `audit-${++files}.log`);

async function opened(file: string, faults: (string | undefined)[] = [], by = key): Promise<AuditLog> {
  const onFault = (detail: string | undefined) => faults.push(detail);
  // Only the test writes, however slow the disk is.
  const never = { flushAfterMs: 60_000, lookEveryMs: 60_000 };
  const outcome = await openAuditLog({ file, key: by, command: 'test', onFault, ...never });
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.log;
}

const listed = (count: number) => ({ event: 'CREDENTIALS_LISTED', count }) as const;
const headOf = (log: AuditLog): KnownHead => log.status();

/** What a verification says, without the files' folder. */
async function findings(paths: readonly string[], heads: readonly KnownHead[] = []) {
  const { faults, notes, lines, chains } = await verifyAuditLog(paths, [key], heads);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  return { kinds: faults.map(({ kind }) => kind), notes: notes.map(short), lines, chains };
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const write = (file: string, lines: readonly string[]) => writeFileSync(file, `${lines.join('\n')}\n`);

/** A file with a long chain, and a short one that was begun and ended meanwhile, as a command does. */
async function twoChains() {
  const file = newFile();
  const service = await opened(file);
  service.record(listed(1));
  await service.flush();
  const command = await opened(file);
  command.record(listed(2));
  await command.close();
  service.record(listed(3));
  await service.flush();
  await service.close();
  return { file, lines: linesOf(file), heads: [headOf(service), headOf(command)] };
}

test('a log that nobody changed has no fault, and holds what was recorded in its order', async () => {
  const { file, lines, heads } = await twoChains();
  const found = await findings([file], heads);
  assert.deepEqual([found.kinds, found.notes, found.lines], [[], [], 7]);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ seq, event, count }) => [seq, event, count]),
    [
      [1, 'OPENED', undefined],
      [2, 'CREDENTIALS_LISTED', 1],
      [1, 'OPENED', undefined],
      [2, 'CREDENTIALS_LISTED', 2],
      [3, 'CLOSED', undefined],
      [3, 'CREDENTIALS_LISTED', 3],
      [4, 'CLOSED', undefined],
    ],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('every line that is taken out, doubled or changed in any character is found', async () => {
  const { lines, heads } = await twoChains();
  const changed = newFile();
  for (const [index, line] of lines.entries()) {
    write(changed, lines.toSpliced(index, 1));
    assert.notDeepEqual((await findings([changed], heads)).kinds, [], `line ${index + 1} is taken out`);
    write(changed, lines.toSpliced(index, 0, line));
    assert.notDeepEqual((await findings([changed], heads)).kinds, [], `line ${index + 1} is doubled`);
    for (let at = 0; at < line.length; at += 1) {
      const other = line[at] === 'x' ? 'y' : 'x';
      write(changed, lines.with(index, line.slice(0, at) + other + line.slice(at + 1)));
      assert.notDeepEqual((await findings([changed], heads)).kinds, [], `line ${index + 1}, character ${at}`);
    }
  }
});

test('a chain that is taken out as a whole is found, because others name its end', async () => {
  const { lines } = await twoChains();
  const cut = newFile();
  write(
    cut,
    lines.filter((_, index) => index < 2 || index > 4),
  );
  assert.deepEqual((await findings([cut])).kinds, ['CHAIN_MISSING']);
});

test('a beginning that is cut off is found, and an end with its number from the metrics', async () => {
  const { lines, heads } = await twoChains();
  const cut = newFile();
  write(cut, lines.slice(1));
  assert.ok((await findings([cut])).kinds.includes('BEGINNING_MISSING'));
  write(cut, lines.slice(0, 5));
  const unknown = await findings([cut]);
  assert.deepEqual([unknown.kinds, unknown.notes.length], [[], 1]);
  assert.match(
    unknown.notes[0] ?? '',
    /has no end: its process runs, was killed, or lines after 2 were cut off/,
  );
  assert.deepEqual((await findings([cut], heads)).kinds, ['END_MISSING']);
  const other = heads.map((head) => ({ ...head, head: head.head + 1 }));
  write(cut, lines);
  assert.deepEqual((await findings([cut], other)).kinds, ['LINE_CHANGED', 'LINE_CHANGED']);
});

test('lines with another key are found, also where they make a chain of their own', async () => {
  const file = newFile();
  const own = await opened(file);
  const foreign = await opened(file, [], auditKeyOf(randomBytes(32)));
  foreign.record(listed(1));
  await foreign.close();
  await own.close();
  assert.deepEqual((await findings([file])).kinds, ['KEY_UNKNOWN']);
});

test('an idle process witnesses the lines of others, but not lines that only witness', async () => {
  const file = newFile();
  const [one, other] = [await opened(file), await opened(file)];
  await one.flush();
  await other.flush();
  const before = linesOf(file).length;
  for (let turn = 0; turn < 5; turn += 1) {
    await one.flush();
    await other.flush();
  }
  assert.equal(linesOf(file).length, before, 'two idle processes write nothing');
  const command = await opened(file);
  await command.close();
  await one.flush();
  assert.match(linesOf(file).at(-1) ?? '', /"event":"WITNESSED"/);
  await one.close();
  await other.close();
  assert.deepEqual((await findings([file])).kinds, []);
});

const writer = join(import.meta.dirname, '../../../test/auditWriter.ts');
const writerArgs = (file: string, ...more: string[]) => [writer, file, secret.toString('hex'), ...more];

test('four processes write at the same time, and no line is lost or broken', async () => {
  const file = newFile();
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, writerArgs(file, '500'), { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0, 0, 0]);
  const found = await findings([file]);
  assert.deepEqual([found.kinds, found.notes], [[], []]);
  const facts = linesOf(file).filter((line) => line.includes('CREDENTIALS_LISTED'));
  assert.equal(facts.length, 2000);
});

test('a process that is killed leaves a log without a fault, and the next one goes on', async () => {
  const file = newFile();
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, writerArgs(file), { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await sleep(50);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const next = await opened(file);
  await next.close();
  const found = await findings([file], [headOf(next)]);
  assert.deepEqual([found.kinds, found.chains.length], [[], 4]);
});

test('a line that was cut off in the middle is told apart, and the next line begins on its own', async () => {
  const file = newFile();
  const killed = await opened(file);
  killed.record(listed(1));
  await killed.flush();
  appendFileSync(file, `{"chain":"${killed.status().chain}","seq":3,"at":"20`);
  const next = await opened(file);
  next.record(listed(2));
  await next.close();
  const found = await findings([file]);
  assert.deepEqual([found.kinds, found.lines], [[], 5]);
  assert.match(found.notes[0] ?? '', /line 3: is not a whole line/);
  await killed.close();
});

test('only the line that a process was writing at its end may be torn', async () => {
  const { lines, heads } = await twoChains();
  const file = newFile();
  const torn = (index: number, length: number) => {
    const line = lines[index] ?? '';
    write(file, lines.with(index, line.slice(0, length)));
  };
  torn(1, 60);
  assert.ok((await findings([file], heads)).kinds.includes('LINE_CHANGED'), 'its chain goes on');
  const [chain = ''] = /[0-9a-f]{16}/.exec(lines[6] ?? '') ?? [];
  for (const text of ['words', '{"chain":"', `{"chain":"${chain}","seq":9,`, '{}', '{"chain":"x']) {
    write(file, [...lines, text]);
    const { kinds } = await findings([file], heads);
    assert.deepEqual(kinds, text === '{"chain":"' ? [] : ['LINE_CHANGED'], text);
  }
  for (const length of [1, 20, 33, 34, 35, 36, 60]) {
    torn(6, length);
    const found = await findings([file]);
    assert.deepEqual([found.kinds, found.notes.length], [[], 2], `the last line, ${length} characters of it`);
  }
});

test('a line after the end of its chain is found', async () => {
  const file = newFile();
  const log = await opened(file);
  await log.close();
  const { chain } = log.status();
  const mac = (JSON.parse(linesOf(file).at(-1) ?? '') as { mac: string }).mac;
  const next = chainedLine(key, { chain, seq: 2, mac }, { at: '2026', event: 'CREDENTIALS_LISTED' });
  appendFileSync(file, `${next.text}\n`);
  assert.deepEqual((await findings([file])).kinds, ['LINE_AFTER_END']);
});

test('a file without a line of a log is a fault, and so is one that cannot be read', async () => {
  const file = newFile();
  for (const text of ['', '\n\n', '{"environment":"production"}\n']) {
    writeFileSync(file, text);
    assert.deepEqual((await findings([file])).kinds, ['FILE_WITHOUT_LINES'], text);
  }
  assert.deepEqual((await findings([folder])).kinds, ['FILE_UNREADABLE']);
  assert.deepEqual((await findings([join(folder, 'nowhere')])).kinds, ['FILE_UNREADABLE']);
  writeFileSync(`${file}.gz`, 'not compressed');
  assert.deepEqual((await findings([`${file}.gz`])).kinds, ['FILE_UNREADABLE']);
});

test('a compressed file is read as the file that it was made of', async () => {
  const { file, heads } = await twoChains();
  const { lines, kinds } = await findings([file], heads);
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
  const compressed = await findings([`${file}.gz`], heads);
  assert.deepEqual([compressed.lines, compressed.kinds], [lines, kinds]);
});

test('a full disk in the middle of a line stops nothing, and the log goes on when there is room', async () => {
  const file = newFile();
  // The limit of a file's size stops a write as a full disk does: a part is written, then nothing.
  const command = `ulimit -f 8; trap '' XFSZ; exec "$0" "$@"`;
  const args = ['-c', command, process.execPath, ...writerArgs(file, '200')];
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, 'the process ends as usual');
  assert.match(said, /fault: /);
  const text = readFileSync(file, 'utf8');
  assert.ok(!text.endsWith('\n'), 'the last line is cut off');
  const [, waiting] = /waiting: (\d+)/.exec(said) ?? [];
  const whole = text.split('\n').length - 1;
  assert.equal(
    whole + Number(waiting),
    202,
    'what is not in the file still waits, with the first and the last line',
  );
  const next = await opened(file);
  await next.close();
  const found = await findings([file]);
  assert.deepEqual(found.kinds, []);
  assert.ok(found.notes.some((note) => note.includes('is not a whole line')));
});

test('while the file cannot be written facts wait, and those without a place are counted', async () => {
  const file = newFile();
  const faults: (string | undefined)[] = [];
  const log = await opened(file, faults);
  renameSync(file, `${file}.1`);
  mkdirSync(file);
  for (let count = 0; count < 10_050; count += 1) log.record(listed(count));
  assert.equal(await log.flush(), false);
  assert.equal(await log.flush(), false);
  assert.equal(faults.length, 1, 'a fault is told once');
  const { waiting, lost, failures } = log.status();
  assert.ok(waiting >= 10_000 && lost >= 50 && failures >= 2, JSON.stringify(log.status()));
  rmdirSync(file);
  assert.equal(await log.flush(), true);
  await log.close();
  assert.equal(faults.at(-1), undefined, 'the recovery is told');
  const found = await findings([`${file}.1`, file], [headOf(log)]);
  assert.deepEqual([found.kinds, found.notes], [[], []]);
  assert.match(readFileSync(file, 'utf8'), /"event":"LOST","count":50,/);
});

test('a log that was renamed goes on in a new file, and both verify together', async () => {
  const file = newFile();
  const [one, other] = [await opened(file), await opened(file)];
  one.record(listed(1));
  await one.flush();
  renameSync(file, `${file}.1`);
  one.record(listed(2));
  await one.flush();
  other.record(listed(3));
  await other.close();
  await one.close();
  const heads = [headOf(one), headOf(other)];
  const together = await findings([`${file}.1`, file], heads);
  assert.deepEqual(together.kinds, []);
  const alone = await findings([file], heads);
  assert.deepEqual(alone.kinds, ['EARLIER_FILE_MISSING', 'EARLIER_FILE_MISSING'], 'for each process');
  write(`${file}.2`, linesOf(`${file}.1`).slice(0, -1));
  assert.notDeepEqual((await findings([`${file}.2`, file], heads)).kinds, [], 'the end of the older file');
  write(`${file}.2`, linesOf(file).slice(1));
  assert.notDeepEqual((await findings([`${file}.2`], heads)).kinds, [], 'the beginning of the newer file');
});

test('a file verifies alone when the ends of the earlier file are given, and these alone', async () => {
  const file = newFile();
  const [one, other] = [await opened(file), await opened(file)];
  one.record(listed(1));
  await one.flush();
  await other.flush();
  renameSync(file, `${file}.1`);
  one.record(listed(2));
  other.record(listed(3));
  await other.close();
  await one.close();
  const earlier = await findings([`${file}.1`]);
  const ends = earlier.chains.map(({ chain, lastLine, head }) => ({ chain, lines: lastLine, head }));
  assert.equal(ends.length, 2);
  for (const { chain, lines, head } of ends)
    assert.ok(earlier.notes.some((note) => note.includes(`--head ${chain}:${lines}:${head}`)));
  assert.deepEqual((await findings([file], ends)).kinds, []);
  const [first, second] = ends;
  assert.ok(first && second);
  assert.deepEqual((await findings([file], [first])).kinds, ['EARLIER_FILE_MISSING']);
  for (const wrong of [
    { ...second, head: second.head + 1 },
    { ...second, lines: second.lines - 1 },
  ])
    assert.ok((await findings([file], [first, wrong])).kinds.includes('EARLIER_FILE_MISSING'));
});

test('a log that was removed while its process goes on is a fault that says so', async () => {
  const file = newFile();
  const log = await opened(file);
  log.record(listed(1));
  await log.flush();
  rmSync(file);
  log.record(listed(2));
  await log.close();
  const { faults } = await verifyAuditLog([file], [key], [headOf(log)]);
  assert.deepEqual(
    faults.map(({ kind }) => kind),
    ['EARLIER_FILE_MISSING'],
  );
  assert.match(
    faults[0]?.detail ?? '',
    /lines 1 to 2 .*or the log was removed while its process ran; give that file/,
  );
});

test('a log that was removed or emptied goes on, and says how many lines were before', async () => {
  const file = newFile();
  const log = await opened(file);
  log.record(listed(1));
  await log.flush();
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
  log.record(listed(2));
  await log.flush();
  assert.match(linesOf(file)[0] ?? '', /"seq":3,.*"event":"CONTINUED"/);
  rmSync(file);
  log.record(listed(3));
  await log.close();
  assert.ok(existsSync(file));
  assert.match(linesOf(file)[0] ?? '', /"seq":5,.*"event":"CONTINUED"/);
});

test('a file that cannot be opened is a refusal with its reason', async () => {
  const onFault = () => undefined;
  const file = join(folder, 'nowhere', 'audit.log');
  const outcome = await openAuditLog({ file, key, command: 'test', onFault });
  assert.ok(!outcome.ok && outcome.detail.includes('ENOENT'));
});

test('addresses are written as keyed names: one for an IPv6 network, and none without the key', async () => {
  const file = newFile();
  const log = await opened(file);
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '2001:db8::2', '192.0.2.8'])
    log.record({ event: 'REQUEST_REFUSED', status: 403, route: 'GET /', address });
  await log.close();
  const names = linesOf(file).flatMap((line) => JSON.parse(line).from ?? []);
  assert.deepEqual(
    names.map((name) => names.indexOf(name)),
    [0, 0, 2, 2, 4],
  );
  assert.doesNotMatch(readFileSync(file, 'utf8'), /192\.0|2001:/);
});
