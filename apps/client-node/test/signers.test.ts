// Every signer signs what it was asked for, or nothing of it is used; no key is in what it says.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import type { KmsAccess } from '@fairway/keys';
import type { Call, Hex, Order } from '@fairway/relay';
import { type KeyService, startKeyService } from '@fairway/testing';
import { encryptKeystoreJson } from 'ethers';
import { parseTransaction, recoverTransactionAddress, verifyMessage, verifyTypedData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { keySigner } from '../src/platform/signers/keySigner.ts';
import { makeKeystore, unlockKeystore } from '../src/platform/signers/keystore.ts';
import { openKmsSigner } from '../src/platform/signers/kmsSigner.ts';
import { digestOf, type Readable } from '../src/platform/signers/readable.ts';
import { type Signer, signOrder } from '../src/platform/signers/signer.ts';
import { signReadable } from '../src/platform/signers/signReadable.ts';
import { web3Signer } from '../src/platform/signers/web3Signer.ts';
import { type SigningServer, startSigningServer } from './signingServer.ts';

const CHAIN_ID = 31_337;
const LOW_S = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n / 2n;
const PASSWORD = 'correct horse battery staple';

let service: KeyService;
let server: SigningServer;
let access: KmsAccess;
let nonce = 0;

before(async () => {
  [service, server] = await Promise.all([startKeyService(), startSigningServer(CHAIN_ID)]);
  access = { credentials: { kind: 'STATIC', ...service.credentials }, timeoutMs: 5_000 };
});
after(() => Promise.all([service.close(), server.close()]));
beforeEach(() => {
  service.setMood('SERVES');
  service.setSigning('LOW_S');
  server.setMood('SERVES');
  server.setChainId(CHAIN_ID);
});

const place = () => ({ ...service, kmsKey: service.signingKeyName });
const kms = () => openKmsSigner(place(), access);
const web3 = (timeoutMs = 5_000) => web3Signer({ url: server.url, address: server.address, timeoutMs });

/** A new order, so that each is signed with other numbers. */
function orderOf(sender: Hex, purpose: Order['purpose'] = 'EXECUTE'): Order {
  const to: Hex = `0x${'7'.repeat(40)}`;
  const call: Call = { chainId: CHAIN_ID, sender, to, data: '0xabcdef', valueWei: 5n };
  const about = {
    ...{ relayTransactionId: 'exe_0', call, nonce: nonce++, gasLimit: 100_000n },
    ...{ attempts: [], isCancelAsked: false },
  };
  return { about, purpose, fees: { maxFeePerGasWei: 100n, maxPriorityFeePerGasWei: 2n } };
}

/** Signs, and checks what came by another way than the signer does. */
async function assertSigns(signer: Signer, purpose?: Order['purpose']): Promise<void> {
  const order = orderOf(signer.address, purpose);
  const { raw } = await signOrder(signer, order);
  const { r: _r, s, yParity: _y, v: _v, ...fields } = parseTransaction(raw) as Record<string, unknown>;
  assert.ok(BigInt(s as Hex) <= LOW_S, 'the lower s');
  const content =
    order.purpose === 'CANCEL'
      ? { to: signer.address, gas: 21_000n }
      : { to: order.about.call.to, gas: 100_000n, value: 5n, data: '0xabcdef' };
  assert.deepEqual(fields, {
    ...{ type: 'eip1559', chainId: CHAIN_ID, maxFeePerGas: 100n, maxPriorityFeePerGas: 2n, ...content },
    nonce: order.about.nonce,
  });
  const sender = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` });
  assert.equal(sender.toLowerCase(), signer.address);
}

/** Everything that must be nowhere. */
function secrets(): readonly string[] {
  const keys = [service.signingKey.privateKey, server.privateKey].map((key) => key.slice(2));
  const { secretAccessKey, sessionToken } = service.credentials;
  return [...keys, secretAccessKey, sessionToken, PASSWORD, 'canary'];
}

function assertTellsNothing(value: unknown): void {
  const text = inspect(value, { depth: 20, showHidden: true });
  for (const secret of secrets()) assert.ok(!text.includes(secret), `${secret} is in ${text}`);
}

/** The error of an attempt to sign. It must not hold a secret. */
async function refusal(attempt: () => Promise<unknown>): Promise<string> {
  const error = await attempt().then(
    () => assert.fail('it was signed'),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof Error);
  assertTellsNothing(error);
  return `${error.name}: ${error.message}`;
}

const sign = async (signer: Signer) => signOrder(signer, orderOf(signer.address));

test('a key management service signs calls and cancellations by its own key', async () => {
  const signer = await kms();
  assert.equal(signer.address, service.signingKey.address);
  for (let times = 0; times < 8; times += 1)
    await assertSigns(signer, times % 2 === 0 ? 'EXECUTE' : 'CANCEL');
});

test('of the two signatures that fit the lower one is sent, whatever the service gives', async () => {
  const signer = await kms();
  for (const mood of ['HIGH_S', 'LOW_S'] as const) {
    service.setSigning(mood);
    for (let times = 0; times < 8; times += 1) await assertSigns(signer);
  }
});

test('what a key management service signs otherwise is refused before it is kept', async () => {
  const signer = await kms();
  const wrong = `WrongSignatureError: The signer cannot be used: its signature is not one of ${signer.address}`;
  for (const mood of ['OTHER_KEY', 'OTHER_DIGEST'] as const) {
    service.setSigning(mood);
    assert.equal(await refusal(() => sign(signer)), wrong, mood);
  }
  service.setSigning('GARBAGE');
  assert.match(await refusal(() => sign(signer)), /^SignerAwayError: .* answers without a signature\.$/);
});

test('a key management service that is away is told from one that an operator has to mend', async () => {
  const signer = await kms();
  const away = `SignerAwayError: The signer does not sign: ${service.endpoint}`;
  service.setMood('FAILS');
  assert.equal(await refusal(() => sign(signer)), `${away} answers KMSInternalException.`);
  service.setMood('RAMBLES');
  assert.equal(
    await refusal(() => sign(signer)),
    `${away} does not answer as a key management service does.`,
  );
  await service.close();
  assert.equal(await refusal(() => sign(signer)), `${away} cannot be reached.`);
  assert.equal(await refusal(kms), `${away} cannot be reached.`);
  await service.reopen();
  service.setMood('DENIES');
  assert.match(
    await refusal(() => sign(signer)),
    /AccessDeniedException: .*kms:GetPublicKey and kms:Sign\.$/,
  );
  service.setMood('SERVES');
  const wrapping = { ...place(), kmsKey: service.keyName };
  assert.match(await refusal(() => openKmsSigner(wrapping, access)), /SIGN_VERIFY/);
  await assertSigns(signer);
});

test('a signing server signs calls and cancellations, and is told all fields', async () => {
  const signer = web3();
  for (let times = 0; times < 8; times += 1)
    await assertSigns(signer, times % 2 === 0 ? 'EXECUTE' : 'CANCEL');
  const [first] = server.asked;
  assert.equal(first?.method, 'eth_signTransaction');
  assert.deepEqual(Object.keys(first?.params[0] as object), [
    ...['from', 'to', 'data', 'nonce', 'gas', 'value', 'maxFeePerGas', 'maxPriorityFeePerGas'],
  ]);
});

test('a signing server’s higher s and wrong parity are mended', async () => {
  for (const mood of ['HIGH_S', 'WRONG_PARITY'] as const) {
    server.setMood(mood);
    for (let times = 0; times < 4; times += 1) await assertSigns(web3());
  }
});

test('what a signing server signs otherwise is refused before it is kept', async () => {
  const refused = 'WrongSignatureError: The signer cannot be used: it';
  const other = `${refused} signed another transaction than it was asked for`;
  const cases = {
    OTHER_RECIPIENT: other,
    OTHER_NONCE: other,
    GARBAGE: `${refused} answered no signed transaction`,
    OTHER_KEY: `${refused}s signature is not one of ${server.address}`,
  } as const;
  for (const [mood, expected] of Object.entries(cases)) {
    server.setMood(mood as keyof typeof cases);
    assert.equal(await refusal(() => sign(web3())), expected);
  }
  server.setMood('SERVES');
  server.setChainId(1);
  assert.equal(await refusal(() => sign(web3())), `${refused} signed for chain 1, not ${CHAIN_ID}`);
});

test('a signing server that is away, or has no such key, says so without its own words', async () => {
  const away = `SignerAwayError: The signer does not sign: ${server.url}`;
  server.setMood('FAILS');
  assert.equal(await refusal(() => sign(web3())), `${away} answers 503.`);
  server.setMood('RAMBLES');
  assert.equal(await refusal(() => sign(web3())), `${away} does not answer as web3signer does.`);
  server.setMood('HANGS');
  assert.equal(await refusal(() => sign(web3(100))), `${away} does not answer within 0.1 s.`);
  server.setMood('SERVES');
  const stranger = { url: server.url, address: privateKeyToAccount(generatePrivateKey()).address };
  assert.equal(
    await refusal(() => sign(web3Signer({ ...stranger, address: stranger.address.toLowerCase() as Hex }))),
    `${away} answers error -32000 to eth_signTransaction: it has no key of this address: load the key, and restart or reload the server.`,
  );
  await server.close();
  assert.equal(await refusal(() => sign(web3())), `${away} cannot be reached.`);
  await server.reopen();
  await assertSigns(web3());
});

test('a login in the URL of a signing server goes into a header, and into no error', async () => {
  const url = server.url.replace('//', `//node:${encodeURIComponent(PASSWORD)}@`);
  const signer = web3Signer({ url, address: server.address });
  await assertSigns(signer);
  const header = Buffer.from(`node:${PASSWORD}`).toString('base64');
  assert.equal(server.authorizations.at(-1), `Basic ${header}`);
  server.setMood('FAILS');
  assert.doesNotMatch(await refusal(() => sign(signer)), /node:|horse/);
});

const MESSAGE = { kind: 'MESSAGE', text: 'I agree.\n0xabcd' } as const;
const TYPED_DATA = {
  kind: 'TYPED_DATA',
  typedData: {
    domain: { name: 'Shop', chainId: CHAIN_ID, verifyingContract: `0x${'5'.repeat(40)}` },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Order: [
        { name: 'amount', type: 'uint256' },
        { name: 'note', type: 'string' },
      ],
    },
    primaryType: 'Order',
    message: { amount: '1000000000000000000', note: 'two' },
  },
} as const satisfies Readable;

const signOne = (signer: Signer, readable: Readable) => signReadable(signer, readable, digestOf(readable));

test('every signer signs messages and typed data, as any wallet checks them', async () => {
  service.setSigning('HIGH_S');
  for (const signer of [await kms(), web3(), keySigner(generatePrivateKey())]) {
    const { address } = signer;
    const signature = await signOne(signer, MESSAGE);
    assert.ok(await verifyMessage({ address, message: MESSAGE.text, signature }));
    assert.ok(BigInt(`0x${signature.slice(66, 130)}`) <= LOW_S);
    const typed = await signOne(signer, TYPED_DATA);
    const given = { ...TYPED_DATA.typedData, address, signature: typed };
    assert.ok(await verifyTypedData(given as Parameters<typeof verifyTypedData>[0]));
  }
});

test('a signature of something else, or by another key, is not answered', async () => {
  const signer = await kms();
  const wrong = `WrongSignatureError: The signer cannot be used: its signature is not one of`;
  for (const readable of [MESSAGE, TYPED_DATA]) {
    for (const mood of ['OTHER_KEY', 'OTHER_DIGEST'] as const) {
      service.setSigning(mood);
      assert.equal(await refusal(() => signOne(signer, readable)), `${wrong} ${signer.address}`);
    }
    server.setMood('OTHER_KEY');
    assert.equal(await refusal(() => signOne(web3(), readable)), `${wrong} ${server.address}`);
    server.setMood('GARBAGE');
    assert.match(await refusal(() => signOne(web3(), readable)), /it answered no signature$/);
    server.setMood('KNOWS_TRANSACTIONS_ALONE');
    assert.match(
      await refusal(() => signOne(web3(), readable)),
      /^SignerAwayError: .* answers error -32601 to eth_sign(TypedData)?: it does not know this method/,
    );
  }
});

test('a keystore opens with its password alone, and signs', async () => {
  const privateKey = generatePrivateKey();
  const { fileText, address } = await makeKeystore(PASSWORD, privateKey);
  assert.ok(!fileText.includes(privateKey.slice(2)));
  const unlocked = await unlockKeystore(fileText, PASSWORD);
  assert.deepEqual(unlocked, { ok: true, privateKey, address });
  const signer = keySigner(privateKey);
  assert.ok(!inspect(signer, { depth: 20, showHidden: true }).includes(privateKey.slice(2)));
  await assertSigns(signer);
  const wrong = await unlockKeystore(fileText, 'another');
  assert.deepEqual(wrong, {
    ok: false,
    detail: 'The key cannot be unlocked: the password is wrong, or the file was altered.',
  });
});

test('keystores of other programs open, with the r and p that they name', async () => {
  const privateKey: Hex = `0x${'01'.repeat(32)}`;
  const { address } = privateKeyToAccount(privateKey);
  for (const scrypt of [
    { N: 131_072, r: 8, p: 1 },
    { N: 65_536, r: 16, p: 2 },
  ]) {
    const text = await encryptKeystoreJson({ address, privateKey }, PASSWORD, { scrypt });
    assert.deepEqual(await unlockKeystore(text, PASSWORD), {
      ...{ ok: true, privateKey, address: address.toLowerCase() },
    });
  }
});

test('a keystore that is weak, foreign or not the one it says is refused with the remedy', async () => {
  const { fileText } = await makeKeystore(PASSWORD);
  type File = {
    crypto: { kdf: string; kdfparams: Record<string, unknown>; cipher: string };
    address: string;
  };
  const altered = async (change: (file: File) => void) => {
    const file = JSON.parse(fileText) as File;
    change(file);
    const unlocked = await unlockKeystore(JSON.stringify(file), PASSWORD);
    assert.ok(!unlocked.ok);
    assertTellsNothing(unlocked);
    return unlocked.detail.replace('The key cannot be unlocked: ', '');
  };
  const none = 'the file is no keystore of version 3 with aes-128-ctr. Make one with "keys import".';
  assert.equal(
    await altered(({ crypto }) => (crypto.kdfparams['n'] = 65_536)),
    'its scrypt must have n times r from 1048576 to 8388608. Encrypt the key anew.',
  );
  assert.equal(
    await altered(({ crypto }) => {
      crypto.kdf = 'pbkdf2';
      crypto.kdfparams = { ...crypto.kdfparams, c: 262_144, prf: 'hmac-sha256' };
    }),
    'its pbkdf2 must have from 600000 to 10000000 rounds. Encrypt the key anew.',
  );
  assert.equal(await altered(({ crypto }) => (crypto.cipher = 'aes-128-cbc')), none);
  assert.equal(
    await altered((file) => (file.address = '0'.repeat(40))),
    'the file names another address than its key has.',
  );
  for (const text of ['', 'null', '{}', '[]', '{"crypto":{}}']) {
    const unlocked = await unlockKeystore(text, PASSWORD);
    assert.deepEqual(unlocked, { ok: false, detail: `The key cannot be unlocked: ${none}` });
  }
});
