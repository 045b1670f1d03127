import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeCertificate } from '@fairway/testing/certificate';
import { readConfig } from './config.ts';
import { ConfigError } from './error.ts';
import { readTls } from './tls.ts';
import { clearTextWarnings, reachWarnings } from './reachWarnings.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-tls-'));
after(() => rmSync(folder, { recursive: true }));

/** Writes a file into the test's folder and returns its path. */
function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The message of the refusal of two files, without the test's folder. */
function refusalOf(cert: string | undefined, key: string | undefined): string {
  try {
    readTls(cert, key);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message.replaceAll(`${folder}/`, '');
  }
  return assert.fail('The files were accepted.');
}

const [own, other] = [makeCertificate(), makeCertificate()];
const certFile = fileOf('cert.pem', own.cert);
const keyFile = fileOf('key.pem', own.key);

test('a certificate and its key are read from options or from the environment', () => {
  const tls = { cert: own.cert, key: own.key };
  assert.deepEqual(readConfig(['--tls-cert', certFile, '--tls-key', keyFile], {}).tls, tls);
  assert.deepEqual(readConfig([], { FAIRWAY_TLS_CERT: certFile, FAIRWAY_TLS_KEY: keyFile }).tls, tls);
  assert.equal(readConfig([], { FAIRWAY_TLS_CERT: '', FAIRWAY_TLS_KEY: '' }).tls, undefined);
});

test('one of the two files alone is refused, and the missing option is named', () => {
  assert.equal(
    refusalOf(certFile, undefined),
    '--tls-key: is missing; --tls-cert needs it. Give both files or none.',
  );
  assert.match(refusalOf(undefined, keyFile), /^--tls-cert: is missing; --tls-key needs it\./);
});

test('files that cannot be read are named with the reason', () => {
  assert.equal(refusalOf(join(folder, 'none.pem'), keyFile), '--tls-cert none.pem: there is no such file.');
  assert.equal(refusalOf(certFile, join(folder, 'none.pem')), '--tls-key none.pem: there is no such file.');
  assert.match(refusalOf(folder, keyFile), /^--tls-cert .*: this is a folder; give the file\.$/);
});

test('files with other content are refused without showing it', () => {
  const text = fileOf('text.pem', 'canary-5c5c5c');
  const damaged = fileOf('damaged.pem', own.cert.replace(/\n[^-\n]{64}\n/, '\n'));
  const issuers = fileOf('chain.pem', `${own.cert}${own.cert.replace(/\n[^-\n]{64}\n/, '\n')}`);
  const locked = createPrivateKey(own.key).export({
    ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  } as const);
  for (const [cert, key, says] of [
    [text, keyFile, /^--tls-cert text\.pem: holds no certificate in PEM form/],
    [keyFile, keyFile, /^--tls-cert key\.pem: holds no certificate/],
    [damaged, keyFile, /^--tls-cert damaged\.pem: holds no certificate/],
    [certFile, text, /^--tls-key text\.pem: holds no private key in PEM form/],
    [certFile, certFile, /^--tls-key cert\.pem: holds no private key/],
    [certFile, fileOf('locked.pem', String(locked)), /^--tls-key locked\.pem: is encrypted/],
    [issuers, keyFile, /^--tls-cert chain\.pem: cannot be used: a certificate in it is damaged/],
  ] as const) {
    const refusal = refusalOf(cert, key);
    assert.match(refusal, says);
    assert.doesNotMatch(refusal, /canary/);
  }
});

test('a key of another certificate is refused, and both files are named', () => {
  assert.match(
    refusalOf(certFile, fileOf('other.pem', other.key)),
    /^--tls-key other\.pem: is not the key of the first certificate in cert\.pem\. /,
  );
  const wrongOrder = fileOf('order.pem', other.cert + own.cert);
  assert.match(refusalOf(wrongOrder, keyFile), /The certificate of this server comes first/);
});

test('a warning names what is missing between the callers and the service', () => {
  const tls = { cert: own.cert, key: own.key };
  const expired = makeCertificate({ endMs: Date.now() - 1000 });
  const safe = { host: '127.0.0.1', trustedProxies: [] };
  const proxied = { ...safe, publicUrl: 'https://pay.example.com' };
  const open = { ...safe, host: '0.0.0.0' };
  const said = (reach: Parameters<typeof reachWarnings>[0]) =>
    reachWarnings(reach, Date.now()).map((warning) => warning.slice(0, 14));
  assert.deepEqual(said(safe), []);
  assert.deepEqual(said({ ...safe, publicUrl: 'http://localhost:8080' }), []);
  assert.deepEqual(said(proxied), ['publicUrl is h']);
  assert.deepEqual(said({ ...proxied, trustedProxies: ['10.0.0.1'] }), []);
  assert.deepEqual(said({ ...proxied, tls }), []);
  assert.deepEqual(said(open), ['--host 0.0.0.0']);
  assert.deepEqual(said({ ...open, trustedProxies: ['10.0.0.1'] }), []);
  for (const local of [['127.0.0.1', '::1'], ['127.0.0.0/8']])
    assert.deepEqual(said({ ...open, trustedProxies: local }), ['--host 0.0.0.0']);
  assert.deepEqual(said({ ...open, trustedProxies: ['127.0.0.1', '10.0.0.1'] }), []);
  assert.deepEqual(said({ ...safe, trustedProxies: ['127.0.0.1'] }), []);
  assert.deepEqual(said({ ...open, tls }), []);
  assert.deepEqual(said({ ...proxied, host: '::' }), ['publicUrl is h', '--host ::: pas']);
  assert.deepEqual(said({ ...safe, tls: expired }), ['--tls-cert: th']);
  const clear = { ...safe, publicUrl: 'http://pay.example.com' };
  for (const reach of [clear, { ...clear, tls }, { ...clear, trustedProxies: ['10.0.0.1'] }])
    assert.match(reachWarnings(reach, Date.now()).join(), /^publicUrl is http:.*Make it https\.$/);
});

test('a warning names nodes and a database that are asked in clear text, and shows no URL', () => {
  const chainOn = (...urls: string[]) => [{ name: 'Ethereum', nodes: [{ name: 'own', urls }] }];
  const said = (chains: object, url: string) =>
    clearTextWarnings({ chains, database: { kind: 'SERVER', url } } as Parameters<
      typeof clearTextWarnings
    >[0]);
  const local = 'postgres://me:secret@localhost/fairway';
  for (const safe of [
    'https://node.example/key',
    'wss://x.example',
    'http://127.0.0.1:8545',
    'ws://[::1]:1',
    '/geth.ipc',
  ])
    assert.deepEqual(said(chainOn(safe), local), []);
  for (const open of ['http://node.example/secret', 'ws://10.0.0.5:8546/secret']) {
    const [line = '', ...others] = said(chainOn('https://x.example', open), local);
    assert.match(line, /^Ethereum, node own: what it says crosses the network in clear text/);
    assert.doesNotMatch(line, /secret|example/);
    assert.deepEqual(others, []);
  }
  const remote = 'postgres://me:secret@db.example/fairway';
  const inParameter = 'postgresql://u:pw@/x?host=10.0.0.5';
  for (const open of [remote, `${remote}?sslmode=disable`, `${remote}?sslmode=no-verify`, inParameter])
    assert.match(said([], open)[0] ?? '', /^DATABASE_URL: the connection may be without TLS/);
  for (const safe of [
    `${remote}?sslmode=verify-full`,
    'postgres://me@/fairway?host=%2Frun',
    'postgresql://u:pw@/x?host=/run',
  ])
    assert.deepEqual(said([], safe), []);
});
