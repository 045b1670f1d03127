// Messages and typed data over HTTP: the chain recovers who signed, and the database has what was signed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { SignatureAnswer, SignatureRecord } from '@fairway/wire';
import { hashMessage, hashTypedData, keccak256, serializeTransaction } from 'viem';
import { ask } from './asking.ts';
import { createProcesses, type NodePlace, type Place, type ServicePlace, type Started } from './processes.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SHOP = `0x${'5'.repeat(40)}` as const;
const processes = await createProcesses();
after(() => processes.close());

let service: ServicePlace;
let node: Started<NodePlace>;
let rpc: AskNode;

before(async () => {
  service = (await processes.service()).ready;
  rpc = nodeAt(service.rpcUrl);
  node = await start();
});

/** The rules name a permit, too: an operator can be careless. */
const start = (messages: 'ALLOWED' | 'REFUSED' = 'ALLOWED') =>
  processes.node(service, 'signing', policy(messages));

const policy = (messages: 'ALLOWED' | 'REFUSED') => ({
  chains: [
    {
      ...{ chainId: service.chainId, routers: [], tokens: [], recipients: 'ANY', maxLifeSec: 60 },
      ...{ simulation: 'DEMANDED', mostGas: '1', keepWei: '0' },
    },
  ],
  messages,
  typedData: ['Order', 'Permit', 'TransferWithAuthorization'].flatMap((primaryType) =>
    [service.chainId, 1].map((chainId) => ({ chainId, verifyingContract: SHOP, primaryType })),
  ),
});

type Answer = SignatureAnswer & {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
};

const path = (what: string) => `/relay/relayers/${node.ready.relayers[0]?.relayerId}/${what}`;
const say = (message: unknown, place: Place = node.ready) =>
  ask<Answer>(place, path('sign-message'), { body: { message } });
const order = () => ({
  domain: { name: 'Shop', chainId: service.chainId, verifyingContract: SHOP },
  types: {
    Order: [
      { name: 'item', type: 'Item' },
      { name: 'note', type: 'string' },
    ],
    Item: [{ name: 'amounts', type: 'uint256[]' }],
  },
  primaryType: 'Order',
  message: { item: { amounts: ['1000000000000000000', 2] }, note: 'two' },
});
const signTyped = (body: object) => ask<Answer>(node.ready, path('sign-typed-data'), { body });

async function recorded(query = ''): Promise<readonly SignatureRecord[]> {
  return (await ask<{ data: SignatureRecord[] }>(node.ready, `/relay/signatures${query}`)).body.data;
}

/** Whom the chain itself takes for the signer. */
async function recovered({ signature, digest }: SignatureAnswer): Promise<string> {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  const data = `${digest}${v.padStart(64, '0')}${r}${s}`;
  const word = await rpc<string>('eth_call', [{ to: `0x${'1'.padStart(40, '0')}`, data }, 'latest']);
  return `0x${word.slice(-40)}`;
}

test('a message is signed as EIP-191 has it, and is in the record with who asked', async () => {
  const text = 'shop.example wants you to sign in.\n\nNonce: 7';
  const { status, body } = await say(text);
  assert.equal(status, 200, body.detail);
  assert.equal(body.digest, hashMessage(text));
  const { address = '', relayerId } = node.ready.relayers[0] ?? {};
  assert.equal(body.address.toLowerCase(), address);
  assert.equal(await recovered(body), address);
  const [line] = await recorded();
  assert.deepEqual(
    { ...line, signedAt: undefined },
    {
      ...{ relayerId, kind: 'MESSAGE', digest: body.digest, signedAt: undefined },
      credentialId: node.ready.username,
    },
  );
});

test('typed data that the policy names is signed as EIP-712 has it, chain and contract included', async () => {
  const { status, body } = await signTyped(order());
  assert.equal(status, 200, JSON.stringify(body));
  const given = order();
  assert.equal(body.digest, hashTypedData(given as Parameters<typeof hashTypedData>[0]));
  assert.equal(await recovered(body), node.ready.relayers[0]?.address);
  const domainType = ['string name', 'uint256 chainId', 'address verifyingContract'].map((each) => {
    const [type, name] = each.split(' ');
    return { name, type };
  });
  const whole = await signTyped({ ...given, types: { ...given.types, EIP712Domain: domainType } });
  assert.equal(whole.body.digest, body.digest);
  assert.deepEqual(
    (await recorded('?limit=2')).map(({ kind, digest }) => [kind, digest]),
    [1, 2].map(() => ['TYPED_DATA', body.digest]),
  );
});

test('what lets another one spend, or no rule names, is refused, and leaves no line', async () => {
  const before = await recorded();
  const given = order();
  const permit = [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
  ];
  const values = { owner: SHOP, spender: SHOP };
  const hostile: readonly [object, RegExp][] = [
    [{ ...given, types: { Permit: permit }, primaryType: 'Permit', message: values }, /^GRANTS_SPENDING/],
    [
      {
        ...given,
        types: { Order: [{ name: 'inner', type: 'Inner' }], Inner: permit },
        message: { inner: values },
      },
      /^GRANTS_SPENDING/,
    ],
    [
      {
        ...{ ...given, primaryType: 'TransferWithAuthorization', message: { to: SHOP } },
        types: { TransferWithAuthorization: [{ name: 'to', type: 'address' }] },
      },
      /^GRANTS_SPENDING/,
    ],
    [{ ...given, primaryType: 'Item', message: given.message.item }, /^TYPED_DATA_NOT_ALLOWED/],
    [
      { ...given, domain: { ...given.domain, verifyingContract: `0x${'6'.repeat(40)}` } },
      /^TYPED_DATA_NOT_ALLOWED/,
    ],
    [{ ...given, domain: { name: 'Shop', chainId: service.chainId } }, /^TYPED_DATA_NOT_ALLOWED/],
  ];
  for (const [body, said] of hostile) {
    const { status, body: answer } = await signTyped(body);
    assert.deepEqual([status, answer.code], [422, 'policy-refused'], JSON.stringify([body, answer]));
    assert.match(answer.detail, said);
  }
  assert.deepEqual(await recorded(), before);
});

test('typed data whose text or domain would be another one than is judged names its field', async () => {
  const before = await recorded();
  const given = order();
  const hostile: readonly [object, string][] = [
    // The policy names it for chain 1, and the relayer is on another one.
    [{ domain: { ...given.domain, chainId: 1 } }, '/domain'],
    [{ domain: { name: 'Shop', verifyingContract: SHOP } }, '/domain'],
    [{ domain: { ...given.domain, chainId: String(service.chainId) } }, '/domain'],
    [{ domain: { ...given.domain, surprise: 'x' } }, '/domain'],
    // A domain whose type leaves the chain and the contract out would be signed for all of them.
    [{ types: { ...given.types, EIP712Domain: [{ name: 'name', type: 'string' }] } }, '/types'],
    [{ types: { Order: [{ name: 'owner,address spender', type: 'address' }] } }, '/types'],
    [{ types: { Order: [{ name: 'x', type: 'address spender)Permit(address' }] } }, '/types'],
    [{ types: { ...given.types, 'Inner(address spender)': [] } }, '/types'],
    [{ types: { Order: 'x' } }, '/types'],
    [{ primaryType: 'EIP712Domain' }, '/primaryType'],
    [{ primaryType: 'Nothing' }, '/primaryType'],
    [{ message: { note: 'two' } }, '/message'],
    [{ message: { ...given.message, item: { amounts: [-1] } } }, '/message'],
    [{ message: { ...given.message, item: { amounts: ['x'] } } }, '/message'],
    [{ message: [] }, '/message'],
  ];
  for (const [change, pointer] of hostile) {
    const { status, body } = await signTyped({ ...given, ...change });
    const pointers = body.errors?.map((error) => error.pointer);
    assert.deepEqual([status, pointers], [400, [pointer]], JSON.stringify([change, body]));
  }
  assert.deepEqual(await recorded(), before);
});

test('a hash is never signed, in whatever way it is written', async () => {
  const before = await recorded();
  const transaction = serializeTransaction({ type: 'eip1559', chainId: service.chainId, nonce: 0 });
  const hash = keccak256(transaction);
  for (const message of [hash, hash.slice(2), hash.toUpperCase(), ` ${hash}\n`, 'x'.repeat(32)]) {
    const { status, body } = await say(message);
    assert.deepEqual([status, body.code], [422, 'policy-refused'], message);
    assert.match(body.detail, /^MESSAGE_NOT_ALLOWED/);
  }
  for (const message of ['', 5, null, 'a\u0000b', '\ud800', 'x'.repeat(4097)]) {
    const { status, body } = await say(message);
    assert.deepEqual([status, body.errors?.[0]?.pointer], [400, '/message'], JSON.stringify(message));
  }
  // The transaction itself, as a text, is signed with a prefix in front: no chain takes that for its signature.
  const { body } = await say(transaction);
  assert.notEqual(body.digest, hash);
  assert.equal((await recorded()).length, before.length + 1);
});

test('relay:sign signs, and nothing else does', async () => {
  const credential = (permissions: string) => {
    const env = { ...process.env, DATABASE_URL: '', FAIRWAY_NODE_DATA: join(processes.folder, 'signing') };
    const args = [MAIN, 'credentials', 'create', '--permissions', permissions, '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    return { ...node.ready, ...(JSON.parse(stdout || assert.fail(stderr)) as Place), url: node.ready.url };
  };
  for (const role of ['executor', 'operator', 'read-only', 'integrator'])
    assert.equal((await say('hello', credential(role))).status, 403, role);
  const signer = credential('signer');
  assert.equal((await say('hello', signer)).status, 200);
  assert.equal((await recorded('?limit=1'))[0]?.credentialId, signer.username);
  assert.equal((await ask(signer, `/relay/relayers/x/pause`, { method: 'POST' })).status, 403);
  const none = await ask<Answer>(signer, '/relay/relayers/x/sign-message', { body: { message: 'hello' } });
  assert.equal(none.status, 404);
  const nobody = await ask<Answer>(signer, '/relay/relayers/x/sign-typed-data', { body: order() });
  assert.equal(nobody.status, 404);
});

test('what was signed at once is all in the record, in pages, also after the node was killed', async () => {
  const texts = Array.from({ length: 25 }, (_, index) => `at once ${index}`);
  await Promise.all(texts.map((text) => say(text)));
  await node.kill('SIGKILL');
  node = await start('REFUSED');
  const seen: string[] = [];
  let cursor = '';
  do {
    const query = `?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await ask<{ data: SignatureRecord[]; nextCursor?: string }>(
      node.ready,
      `/relay/signatures${query}`,
    );
    seen.push(...body.data.map(({ digest }) => digest));
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  assert.deepEqual(new Set(seen.slice(0, 25)), new Set(texts.map((text) => hashMessage(text))));
  assert.deepEqual(await recorded('?relayerId=none'), []);
  assert.equal((await say('hello')).body.code, 'policy-refused');
});

test('the policy in force is the one of the file, and the order of its keys is not in its hash', async () => {
  type Shown = { readonly hash: string; readonly document: object };
  const shown = async () => (await ask<Shown>(node.ready, '/relay/policies')).body;
  const { hash, document } = await shown();
  assert.deepEqual(document, policy('REFUSED'));
  assert.equal(hash, createHash('sha256').update(sorted(document)).digest('hex'));
  await node.kill('SIGTERM');
  node = await processes.node(service, 'signing', Object.fromEntries(Object.entries(document).toReversed()));
  assert.equal((await shown()).hash, hash);
  await node.kill('SIGTERM');
  node = await start('ALLOWED');
  assert.notEqual((await shown()).hash, hash);
  // Beside a sandbox the node has written it by itself.
  const own = await ask<Shown>(service.clientNode, '/relay/policies');
  assert.match(own.body.hash, /^[0-9a-f]{64}$/);
  assert.equal((await ask({ ...node.ready, password: 'wrong' }, '/relay/policies')).status, 401);
});

/** A document as JSON without spaces, its keys sorted. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => one.localeCompare(other, 'en'));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`).join()}}`;
}
