// Keys that a key management service wraps: made, unwrapped, refused with a remedy, and never shown.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type KeyService, startKeyService } from '@fairway/testing';
import { createWrappedKey, type KeySource, type KmsAccess, readKey } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-keys-'));
const path = join(folder, '2026.json');
let service: KeyService;
let access: KmsAccess;

before(async () => {
  service = await startKeyService();
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  service.setMood('SERVES');
  access = { credentials: { kind: 'STATIC', ...service.credentials }, timeoutMs: 5000 };
  writeFileSync(path, await makeFile('2026'));
  service.asked.length = 0;
});

async function makeFile(id: string): Promise<string> {
  const { region, endpoint, alias: kmsKey } = service;
  const created = await createWrappedKey({ id, kmsKey, region, endpoint }, access);
  assert.ok(created.ok, JSON.stringify(created));
  return created.fileText;
}

function source(id = '2026', changed: KmsAccess = access): KeySource {
  return { kind: 'KMS', id, path, access: changed };
}

async function refusalOf(asked: KeySource): Promise<string> {
  const read = await readKey(asked);
  assert.ok(!read.ok);
  assert.doesNotMatch(read.detail, /canary/);
  for (const secret of [service.credentials.secretAccessKey, service.credentials.sessionToken])
    assert.ok(!JSON.stringify(read).includes(secret));
  return `${read.reason}: ${read.detail}`;
}

test('a wrapped key is made without being seen, and unwraps to the same 32 bytes each time', async () => {
  const [one, again] = [await readKey(source()), await readKey(source())];
  assert.ok(one.ok && again.ok);
  assert.equal(one.key.id, '2026');
  assert.equal(one.key.key.length, 32);
  assert.deepEqual(one, again);
  assert.deepEqual(service.asked, ['Decrypt', 'Decrypt']);
  const text = readFileSync(path, 'utf8');
  assert.ok(!text.includes(one.key.key.toString('base64')) && !text.includes(one.key.key.toString('hex')));
  // An alias can be moved to another key; the file names the key itself.
  assert.equal((JSON.parse(text) as { kmsKey: string }).kmsKey, service.keyName);
  const other = await readKey({ kind: 'KMS', id: '2027', path: await fileOf('2027'), access });
  assert.ok(other.ok && !other.key.key.equals(one.key.key));
});

async function fileOf(id: string): Promise<string> {
  const file = join(folder, `${id}.json`);
  writeFileSync(file, await makeFile(id));
  return file;
}

test('a wrapped key does not open under another id, altered, or with another key of the service', async () => {
  const wrong =
    'the key management service answers InvalidCiphertextException: the ciphertext was altered, or was made for a key of another id.';
  assert.equal(await refusalOf(source('2027')), `KEY_UNUSABLE: The key 2027 cannot be used: ${wrong}`);
  const file = JSON.parse(readFileSync(path, 'utf8')) as { ciphertext: string };
  const bytes = Buffer.from(file.ciphertext, 'base64');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, JSON.stringify({ ...file, ciphertext: bytes.toString('base64') }));
  assert.equal(await refusalOf(source()), `KEY_UNUSABLE: The key 2026 cannot be used: ${wrong}`);
  writeFileSync(path, JSON.stringify(file));
  assert.ok((await readKey(source())).ok);
  service.replaceKey();
  assert.equal(await refusalOf(source()), `KEY_UNUSABLE: The key 2026 cannot be used: ${wrong}`);
});

test('a service that fails, throttles, hangs or is down is away, and a later attempt succeeds', async () => {
  const away = `KEY_UNAVAILABLE: The key 2026 is not available: ${service.endpoint}`;
  service.setMood('FAILS');
  assert.equal(await refusalOf(source()), `${away} answers KMSInternalException.`);
  service.setMood('THROTTLES');
  assert.equal(await refusalOf(source()), `${away} answers ThrottlingException.`);
  service.setMood('RAMBLES');
  assert.equal(await refusalOf(source()), `${away} does not answer as a key management service does.`);
  service.setMood('HANGS');
  assert.equal(
    await refusalOf(source('2026', { ...access, timeoutMs: 100 })),
    `${away} does not answer within 0.1 s.`,
  );
  await service.close();
  assert.equal(await refusalOf(source()), `${away} cannot be reached.`);
  await service.reopen();
  service.setMood('SERVES');
  assert.ok((await readKey(source())).ok);
});

test('denied access, wrong credentials and a wrong file are refused with their remedies', async () => {
  const unusable = 'KEY_UNUSABLE: The key 2026 cannot be used: ';
  service.setMood('DENIES');
  assert.equal(
    await refusalOf(source()),
    `${unusable}the key management service answers AccessDeniedException: allow these credentials kms:Decrypt and, to create keys, kms:GenerateDataKeyWithoutPlaintext; for a key that signs, kms:GetPublicKey and kms:Sign.`,
  );
  service.setMood('SERVES');
  const forged = { ...service.credentials, secretAccessKey: 'x'.repeat(40) };
  assert.equal(
    await refusalOf(source('2026', { credentials: { kind: 'STATIC', ...forged } })),
    `${unusable}the key management service answers InvalidSignatureException: correct the credentials, the region and the key.`,
  );
  assert.match(await refusalOf(source('2026', {})), /there are no AWS credentials: set AWS_ACCESS_KEY_ID/);
  for (const endpoint of ['http://kms.example', 'ftp://127.0.0.1']) {
    writeFileSync(path, JSON.stringify({ kmsKey: 'k', region: 'r', ciphertext: 'x', endpoint }));
    assert.match(await refusalOf(source()), /must be an https URL, because keys are sent over it/);
  }
  for (const text of ['', '{}', 'null', '{"kmsKey":"k","region":"A/b","ciphertext":"x"}']) {
    writeFileSync(path, text);
    assert.match(await refusalOf(source()), /is not a file that "fairway keys create" writes/, text);
  }
  rmSync(path);
  assert.equal(await refusalOf(source()), `${unusable}there is no file ${path}.`);
});

test('credentials come from the platform, and never over plain HTTP from another machine', async () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'the token\n');
  const seen: (string | undefined)[] = [];
  const platform = createServer((request, response) => {
    seen.push(request.headers.authorization);
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken } = service.credentials;
    response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: sessionToken }));
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}/credentials`;
  const served = { kind: 'CONTAINER', url } as const;
  try {
    assert.ok((await readKey(source('2026', { credentials: { ...served, authorizationFile: token } }))).ok);
    assert.ok((await readKey(source('2026', { credentials: { ...served, authorization: 'given' } }))).ok);
    assert.deepEqual(seen, ['the token', 'given']);
  } finally {
    await new Promise((resolve) => platform.close(resolve));
  }
  assert.match(
    await refusalOf(source('2026', { credentials: served })),
    /^KEY_UNAVAILABLE: .* platform that serves/,
  );
  const far = { ...served, url: 'http://credentials.example/x' };
  assert.match(
    await refusalOf(source('2026', { credentials: far })),
    /^KEY_UNUSABLE: .* must be an https URL/,
  );
});

/** A service that gives every request the same answer. Counts the requests. */
async function answering(status: number, headers: Record<string, string>, body: object) {
  const counted = { requests: 0 };
  const server = createServer((request, response) => {
    counted.requests += 1;
    request.resume().on('end', () => response.writeHead(status, headers).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, counted, close: () => new Promise((resolve) => server.close(resolve)) };
}

const useEndpoint = (endpoint: string) =>
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), endpoint }));

test('a redirect is not followed: the signed request goes to no other address', async () => {
  const elsewhere = await answering(200, {}, { Plaintext: Buffer.alloc(32).toString('base64') });
  const redirecting = await answering(307, { location: elsewhere.endpoint }, {});
  useEndpoint(redirecting.endpoint);
  assert.match(await refusalOf(source()), /^KEY_UNAVAILABLE: .* cannot be reached\.$/);
  assert.deepEqual([redirecting.counted.requests, elsewhere.counted.requests], [1, 0]);
  await Promise.all([elsewhere.close(), redirecting.close()]);
});

test('what unwraps to another number of bytes than 32 is no key', async () => {
  for (const length of [0, 16, 31, 33, 64]) {
    const short = await answering(200, {}, { Plaintext: Buffer.alloc(length, 7).toString('base64') });
    useEndpoint(short.endpoint);
    assert.match(await refusalOf(source()), /^KEY_UNUSABLE: .* is not a key of 32 bytes\.$/, `${length}`);
    await short.close();
  }
});
