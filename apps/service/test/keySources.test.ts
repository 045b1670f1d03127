// Sealing keys from files and from a key management service: made, waited for, refused, and then not needed any more.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeyService, startKeyService } from '@fairway/testing';
import { callerOf, makeLogin, payment } from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { beginFairway, runFairway, startFairway } from './commandHarness.ts';

const folder = freshFolder();
const data = join(folder, 'data');
const wrapped = join(folder, '2026.json');
let service: KeyService;
let aws: NodeJS.ProcessEnv;

before(async () => {
  service = await startKeyService();
  const { accessKeyId, secretAccessKey, sessionToken } = service.credentials;
  aws = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  };
});
after(async () => {
  await endEverything();
  await service.close();
});

const create = (out: string, ...more: string[]) => {
  const place = ['--kms', service.alias, '--region', service.region, '--endpoint', service.endpoint];
  return runFairway(['keys', 'create', '2026', ...place, '--out', out, ...more], aws);
};
const withKeys = (keys: string) => ({ ...aws, FAIRWAY_SEALING_KEYS: keys });
const startArguments = ['--port', '0', '--data', data];

function assertSecretless(text: string): void {
  for (const secret of [service.credentials.secretAccessKey, service.credentials.sessionToken])
    assert.ok(!text.includes(secret));
}

test('fairway keys create writes a wrapped key, and never replaces a file', async () => {
  const made = await create(wrapped);
  assert.equal(
    made.output,
    `${wrapped} holds the key 2026, wrapped. Keep a copy of the file, and add 2026:kms:${wrapped} to FAIRWAY_SEALING_KEYS.\n`,
  );
  const text = readFileSync(wrapped, 'utf8');
  const again = await create(wrapped);
  assert.deepEqual(
    [again.code, again.output],
    [1, `--out ${wrapped}: cannot be written: there is such a file already.\n`],
  );
  assert.equal(readFileSync(wrapped, 'utf8'), text);
  const wrong = [
    ['keys', 'create', '2026'],
    ['keys', 'create', 'a b', '--kms', 'k', '--region', 'r', '--out', 'x'],
    ['keys', 'make', '2026'],
  ];
  for (const args of wrong) assert.equal((await runFairway(args, aws)).code, 2);
  service.setMood('FAILS');
  const away = await create(join(folder, 'none.json'));
  service.setMood('SERVES');
  assert.deepEqual(
    [away.code, away.output, existsSync(join(folder, 'none.json'))],
    [1, `The key 2026 is not available: ${service.endpoint} answers KMSInternalException.\n`, false],
  );
});

test('a start waits for the key service, which is not needed any more once the key is there', async () => {
  await service.close();
  const readyFile = join(folder, 'ready.json');
  const env = withKeys(`2026:kms:${wrapped}`);
  const started = beginFairway(['start', ...startArguments, '--ready-file', readyFile], env);
  await until(() => started.output().includes('Waiting for a sealing key: The key 2026 is not available'));
  assert.equal(existsSync(readyFile), false);
  const asked = service.asked.length;
  await service.reopen();
  await until(() => existsSync(readyFile));
  // Once for all that needs the key: the service may be away again by the time that the audit log is opened.
  assert.deepEqual(service.asked.slice(asked), ['Decrypt']);
  const login = await makeLogin({ data, env }, 'Acme');
  await service.close();
  const { url } = JSON.parse(readFileSync(readyFile, 'utf8')) as { url: string };
  const ask = callerOf(url, login);
  const { status, body, text } = await ask('/v1/payments', payment('bank', 'with KMS'));
  assert.equal(status, 200, text);
  assert.equal((await ask(`/v1/payments/${body.planId}/recipient/reveal`, {})).status, 200);
  await service.reopen();
  assert.equal(await started.stop(), 0);
  assertSecretless(started.output());
});

test('a start and reseal say at once what a denied or changed key service answers', async () => {
  service.setMood('DENIES');
  for (const [command, prefix] of [
    [['start', ...startArguments], 'FAIRWAY_SEALING_KEYS: '],
    [['reseal', '--data', data], ''],
  ] as const) {
    const { code, output } = await runFairway(command, withKeys(`2026:kms:${wrapped}`));
    assert.equal(code, 1);
    const line = output.trim().split('\n').at(-1);
    assert.equal(
      line,
      `${prefix}The key 2026 cannot be used: the key management service answers AccessDeniedException: allow these credentials kms:Decrypt and, to create keys, kms:GenerateDataKeyWithoutPlaintext; for a key that signs, kms:GetPublicKey and kms:Sign.`,
    );
    assertSecretless(output);
  }
  service.setMood('SERVES');
});

test('a file of the audit key that cannot be used is told with the name of the variable', async () => {
  const env = { ...withKeys(`2026:kms:${wrapped}`), FAIRWAY_AUDIT_KEY: `file:${join(folder, 'none')}` };
  for (const command of [
    ['start', ...startArguments],
    ['credentials', 'list', '--data', data],
  ]) {
    const { code, output } = await runFairway(command, env);
    assert.equal(code, 1);
    const line = output.trim().split('\n').at(-1) ?? '';
    assert.ok(line.startsWith('FAIRWAY_AUDIT_KEY: The key audit cannot be used: '), line);
  }
});

test('a key from a file takes the place of a wrapped one if it is not open to others', async () => {
  const path = join(folder, 'file.key');
  writeFileSync(path, `${'5c'.repeat(32)}\n`, { mode: 0o644 });
  chmodSync(path, 0o644);
  const keys = `file:file:${path},2026:kms:${wrapped}`;
  const open = await runFairway(['reseal', '--data', data], withKeys(keys));
  assert.deepEqual(
    [open.code, open.output],
    [
      1,
      `The key file cannot be used: ${path} can be read by other users or changed by its group; run: chmod 0400 ${path}\n`,
    ],
  );
  chmodSync(path, 0o400);
  const done = await runFairway(['reseal', '--data', data, '--json'], withKeys(keys));
  assert.equal(done.code, 0, done.output);
  const { resealed, unreadable, isRewrapped } = JSON.parse(done.output) as Record<string, unknown>;
  assert.deepEqual([resealed, unreadable, isRewrapped], [1, 0, true]);
  await service.close();
  const started = await startFairway(startArguments, withKeys(`file:file:${path}`));
  assert.equal(await started.stop(), 0);
  assert.ok(!started.output().includes('5c5c'));
  await service.reopen();
});

async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 60_000;
  while (!isSo()) {
    assert.ok(performance.now() < deadlineMs, 'it did not happen within 60 s');
    await sleep(20);
  }
}
