// Registered recipients over HTTP: they are made once, changed, listed, revealed and deactivated, and events tell of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecipientVersion, RegisteredRecipient } from '@fairway/wire';
import { freshAddress, freshReference, type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { AU_BANK, assertRefused, auBank, recipientsOn, walletAt } from '../recipientsHarness.ts';

let payments: PaymentsTest;
let api: ReturnType<typeof recipientsOn>;
before(async () => {
  payments = await startPaymentsTest();
  api = recipientsOn(payments);
});
after(() => payments?.close());

const GERMAN = { type: 'bank', name: 'Jo Doe', country: 'DE', account: { iban: 'DE89370400440532013000' } };
const create = (body: object) => api.call('POST', '/v1/recipients', body);

test('a recipient of every type is kept, masked, and revealed as it was sent', async () => {
  const given = {
    bank: AU_BANK,
    wallet: walletAt(freshAddress()),
    emoney: {
      ...{ type: 'emoney', name: 'Orla Finch', provider: 'GCash', idType: 'PHONE' },
      ...{ idValue: '+639171234567', currency: 'PHP' },
    },
    email: { type: 'email', email: 'orla.finch@example.com', name: 'Orla Finch' },
  };
  for (const [type, recipient] of Object.entries(given)) {
    const clientReference = freshReference();
    const answer = await create({ recipient, clientReference, label: 'A label', metadata: { a: '1' } });
    assert.equal(answer.status, 201, JSON.stringify(answer.json));
    const { registered } = answer;
    assert.equal(answer.headers.get('location'), `/v1/recipients/${registered.recipientId}`);
    assert.equal(answer.headers.get('etag'), '"1"');
    assert.deepEqual(
      [
        registered.type,
        registered.version,
        registered.revision,
        registered.status,
        registered.label,
        registered.clientReference,
      ],
      [type, 1, 1, 'ACTIVE', 'A label', clientReference],
    );
    assert.deepEqual(registered.metadata, { a: '1' });
    assert.equal(registered.lastUsedAt, undefined);
    const text = JSON.stringify(registered);
    for (const secret of ['Josephine', '12345678', 'Finch', '639171234567', 'orla.finch'])
      assert.ok(!text.includes(secret), `${type} shows ${secret}`);
    assert.deepEqual(await api.get(registered), registered);
    const { status, json } = await api.reveal(registered);
    assert.equal(status, 200);
    const { recipient: revealed, version, recipientId } = json as Record<string, unknown>;
    assert.deepEqual([recipientId, version], [registered.recipientId, 1]);
    const normal =
      type === 'bank' ? { ...AU_BANK, account: { bsb: '062000', accountNumber: '12345678' } } : recipient;
    assert.deepEqual(revealed, normal);
  }
});

test('who holds the key of a wallet is kept, and told to the custodian', async () => {
  const custody = { kind: 'VASP', vasp: 'Example Exchange' };
  const given = (more: object) => ({ ...walletAt(freshAddress()), ...more });
  const held = await api.save({ recipient: given({ custody }) });
  assert.partialDeepStrictEqual(held.recipient, { custody });
  const own = await api.save({ recipient: given({ custody: { kind: 'SELF_HOSTED' } }) });
  assert.partialDeepStrictEqual(own.recipient, { custody: { kind: 'SELF_HOSTED' } });
  const plan = await payments.plan({
    corridorId: 'usdc-wallet',
    recipient: { type: 'saved', recipientId: held.recipientId },
  });
  const beneficiary = plan.steps.at(-1)?.custodianAction?.beneficiary;
  assert.partialDeepStrictEqual(beneficiary, { type: 'wallet', custody });
  const wrong: readonly (readonly [unknown, readonly string[]])[] = [
    ['VASP', ['/recipient/custody']],
    [{}, ['/recipient/custody/kind']],
    [{ kind: 'BANK' }, ['/recipient/custody/kind']],
    [{ kind: 'SELF_HOSTED', vasp: 'Example Exchange' }, ['/recipient/custody/vasp']],
    [{ kind: 'VASP', vasp: 'a\u200bb' }, ['/recipient/custody/vasp']],
    [{ kind: 'VASP', vasp: 7 }, ['/recipient/custody/vasp']],
    [{ kind: 'VASP', name: 'x' }, ['/recipient/custody/name']],
  ];
  for (const [each, pointers] of wrong)
    assertRefused(
      await create({ recipient: given({ custody: each }) }),
      [400, 'recipient-invalid'],
      pointers,
    );
});

test('a request is wrong in many ways, and each answer names the field', async () => {
  const wrong: readonly (readonly [object, string, readonly string[]])[] = [
    [{}, 'validation-failed', ['/recipient']],
    [{ recipient: AU_BANK, labl: 'x' }, 'validation-failed', ['/labl']],
    [{ recipient: AU_BANK, label: ' ' }, 'validation-failed', ['/label']],
    [{ recipient: AU_BANK, label: 'x'.repeat(129) }, 'validation-failed', ['/label']],
    [{ recipient: AU_BANK, label: null }, 'validation-failed', ['/label']],
    [{ recipient: AU_BANK, clientReference: '' }, 'validation-failed', ['/clientReference']],
    [{ recipient: AU_BANK, metadata: { a: 1 } }, 'validation-failed', ['/metadata/a']],
    [{ recipient: 'x' }, 'recipient-invalid', ['/recipient']],
    [{ recipient: { type: 'cash' } }, 'recipient-invalid', ['/recipient/type']],
    [{ recipient: { type: 'saved', recipientId: 'rcp_x' } }, 'recipient-invalid', ['/recipient/type']],
    [{ recipient: { ...AU_BANK, country: 'FR' } }, 'recipient-invalid', ['/recipient/country']],
    [
      { recipient: { ...AU_BANK, account: {} } },
      'recipient-invalid',
      ['/recipient/account/accountNumber', '/recipient/account/bsb'],
    ],
    [{ recipient: { ...AU_BANK, surprise: 1 } }, 'recipient-invalid', ['/recipient/surprise']],
    [{ recipient: { ...walletAt(freshAddress()), chainId: 1 } }, 'recipient-invalid', ['/recipient/chainId']],
    [{ recipient: walletAt(payments.token('USDC')) }, 'recipient-invalid', ['/recipient/address']],
  ];
  for (const [body, code, pointers] of wrong) {
    const answer = await create(body);
    assertRefused(answer, [400, code], pointers);
    assert.ok(!JSON.stringify(answer.json).includes('Josephine'), 'no value is repeated');
  }
});

test('of parallel requests with one reference one makes a recipient, and all get it', async () => {
  const body = { recipient: auBank(), clientReference: freshReference(), label: 'One', metadata: { n: '1' } };
  const answers = await Promise.all(Array.from({ length: 40 }, () => create(body)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  const [{ registered } = assert.fail()] = answers;
  for (const answer of answers) assert.equal(answer.registered.recipientId, registered.recipientId);
  const replays = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
  assert.equal(replays.length, 39);
  assert.equal((await api.events(registered, 1)).length, 1);
});

test('a reference stands for its first request for ever, in any spelling, and for no other', async () => {
  const recipient = { ...auBank(), name: 'Jo Citizen' } as unknown as typeof AU_BANK;
  const body = { recipient, clientReference: freshReference(), label: 'One' };
  const { registered } = await create(body);
  const { bsb, accountNumber } = recipient.account;
  const spelt = { ...recipient, name: ' JO  citizen', account: { accountNumber, bsb: bsb.replace('-', '') } };
  const same = async (more: object) => {
    const answer = await create({ ...body, ...more });
    assert.deepEqual([answer.status, answer.registered.recipientId], [201, registered.recipientId]);
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    return answer.registered;
  };
  assert.deepEqual(await same({}), registered);
  await same({ recipient: spelt });
  await same({ metadata: { other: 'x' } });
  const others = [{ recipient: auBank() }, { label: 'Two' }, { label: undefined }, { recipient: GERMAN }];
  for (const other of others)
    assertRefused(
      await create({ ...body, ...other }),
      [422, 'client-reference-reused'],
      ['/clientReference'],
    );
  const named = await create({ ...body, label: 'Two' });
  assert.match(
    named.problem.detail,
    new RegExp(
      `made the recipient ${registered.recipientId}, with other details or another label; .* with PATCH`,
    ),
  );
  // The same holds after the details became those of another country, and after the recipient was deactivated.
  assert.equal((await api.patch(registered, { recipient: GERMAN, label: 'Later' })).status, 200);
  assert.equal((await same({})).version, 2);
  assertRefused(
    await create({ ...body, recipient: GERMAN }),
    [422, 'client-reference-reused'],
    ['/clientReference'],
  );
  assert.equal((await api.remove(registered)).status, 200);
  assert.equal((await same({})).status, 'DEACTIVATED');
});

test('without a reference each request makes a recipient', async () => {
  const [one, two] = [await api.save(), await api.save()];
  assert.notEqual(one.recipientId, two.recipientId);
  assert.equal(one.clientReference, undefined);
});

test('PATCH changes what it names, and makes a version of new details alone', async () => {
  const registered = await api.save({ recipient: auBank(), label: 'One', metadata: { a: '1' } });
  const labelled = await api.patch(registered, { label: 'Two' });
  assert.deepEqual(
    [
      labelled.registered.label,
      labelled.registered.revision,
      labelled.registered.version,
      labelled.headers.get('etag'),
    ],
    ['Two', 2, 1, '"2"'],
  );
  assert.deepEqual(labelled.registered.metadata, { a: '1' });
  assert.equal((await api.patch(registered, { label: null })).registered.label, undefined);
  assert.deepEqual((await api.patch(registered, { metadata: {} })).registered.metadata, {});
  const replaced = (await api.patch(registered, { recipient: GERMAN })).registered;
  assert.deepEqual([replaced.revision, replaced.version], [5, 2]);
  assert.notEqual(replaced.recipient.fingerprint, registered.recipient.fingerprint);
  for (const body of [{}, { recipient: GERMAN }, { metadata: {} }, { label: null }])
    assert.deepEqual((await api.patch(registered, body)).registered, replaced, 'nothing to change');
  const { json } = await api.versions(registered);
  const { data } = json as { data: RecipientVersion[] };
  assert.deepEqual(
    data.map(({ version }) => version),
    [2, 1],
  );
  assert.deepEqual(data[1]?.recipient, registered.recipient);
  const revealed = (await api.reveal(registered)).json as { version: number };
  assert.equal(revealed.version, 2);
});

test('a letter of a name is a new version, though the fingerprint is the same', async () => {
  const recipient = auBank('jo citizen');
  const registered = await api.save({ recipient });
  const { registered: after } = await api.patch(registered, {
    recipient: { ...recipient, name: 'Jo Citizen' },
  });
  assert.deepEqual([after.version, after.recipient.fingerprint], [2, registered.recipient.fingerprint]);
  const { recipient: revealed } = (await api.reveal(registered)).json as { recipient: { name: string } };
  assert.equal(revealed.name, 'Jo Citizen');
});

test('a wrong PATCH names the field and changes nothing', async () => {
  const registered = await api.save({ recipient: auBank() });
  const wrong: readonly (readonly [object, string, readonly string[]])[] = [
    [{ label: '' }, 'validation-failed', ['/label']],
    [{ metadata: [] }, 'validation-failed', ['/metadata']],
    [{ clientReference: 'x' }, 'validation-failed', ['/clientReference']],
    [{ status: 'ACTIVE' }, 'validation-failed', ['/status']],
    [{ recipient: walletAt(freshAddress()) }, 'recipient-invalid', ['/recipient/type']],
    [{ recipient: { type: 'bank' } }, 'recipient-invalid', ['/recipient/country']],
  ];
  for (const [body, code, pointers] of wrong)
    assertRefused(await api.patch(registered, body), [400, code], pointers);
  assert.deepEqual(await api.get(registered), registered);
});

test('If-Match lets one of parallel changes through, and a repeated one is answered as before', async () => {
  const registered = await api.save({ recipient: auBank() });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => api.patch(registered, { label: `Label ${index}` }, '"1"')),
  );
  const taken = answers.filter(({ status }) => status === 200);
  assert.equal(taken.length, 1);
  const [{ registered: winner } = assert.fail()] = taken;
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assertRefused(answer, [412, 'revision-mismatch']);
    assert.equal(answer.problem.revision, 2);
  }
  assert.deepEqual(await api.get(registered), winner);
  assert.equal((await api.patch(registered, { label: winner.label }, '"1"')).status, 200);
  assertRefused(await api.remove(registered, '"1"'), [412, 'revision-mismatch']);
  assertRefused(await api.patch(registered, { label: 'Other' }, '"no"'), [412, 'revision-mismatch']);
  assert.equal((await api.patch(registered, { label: 'Other' }, '*')).status, 200);
  assert.equal((await api.remove(registered, '"7", "3"')).status, 200);
});

test('DELETE is for ever and no error when it is repeated', async () => {
  const registered = await api.save({ recipient: auBank() });
  const gone = await api.remove(registered);
  assert.deepEqual([gone.status, gone.registered.status, gone.registered.warnings], [200, 'DEACTIVATED', []]);
  for (const ifMatch of [undefined, '"1"'])
    assert.deepEqual((await api.remove(registered, ifMatch)).registered, gone.registered);
  assertRefused(await api.patch(registered, { label: 'Back' }), [409, 'recipient-not-active']);
  assertRefused(await api.patch(registered, { recipient: GERMAN }), [409, 'recipient-not-active']);
  assert.equal((await api.reveal(registered)).status, 200, 'a person may still have to know');
});

test('every change is told once, with the recipient as GET shows it and what changed', async () => {
  const registered = await api.save({ recipient: auBank(), label: 'One' });
  const labelled = (await api.patch(registered, { label: 'Two' })).registered;
  await api.patch(registered, { label: 'Two' });
  await api.reveal(registered);
  const gone = (await api.remove(registered)).registered;
  await api.remove(registered);
  const events = await api.events(registered, 3);
  assert.deepEqual(
    events.map(({ type, sequence, subject }) => [type, sequence, subject]),
    ['created', 'updated', 'deactivated'].map((word, index) => [
      `recipient.${word}`,
      index + 1,
      { type: 'recipient', id: registered.recipientId },
    ]),
  );
  assert.deepEqual(
    events.map(({ data }) => data.object),
    [registered, labelled, gone],
  );
  assert.equal(events[0]?.data.previous, undefined);
  assert.deepEqual(events[1]?.data.previous, { revision: 1, label: 'One', updatedAt: registered.updatedAt });
  assert.deepEqual(Object.keys(events[2]?.data.previous ?? {}).sort(), [
    ...['revision', 'status', 'updatedAt', 'warnings'],
  ]);
});

test('lists are newest first, in pages, and filtered; details are not searched', async () => {
  const mark = freshReference();
  const made: RegisteredRecipient[] = [];
  for (const [index, recipient] of [auBank(), GERMAN, walletAt(freshAddress())].entries())
    made.unshift(
      await api.save({ recipient, label: `${mark} Number ${index}`, clientReference: `${mark}/${index}` }),
    );
  const [wallet, german, australian] = made.map(({ recipientId }) => recipientId);
  const list = async (query: Record<string, string>) => {
    const { status, json } = await api.call('GET', `/v1/recipients?${new URLSearchParams(query)}`);
    assert.equal(status, 200, JSON.stringify(json));
    return json as { data: RegisteredRecipient[]; nextCursor?: string };
  };
  const ids = async (query: Record<string, string>) =>
    (await list(query)).data.map(({ recipientId }) => recipientId);
  assert.deepEqual(await ids({ q: mark }), [wallet, german, australian]);
  assert.deepEqual(await ids({ q: `${mark.toLowerCase()} num` }), [wallet, german, australian]);
  assert.deepEqual(await ids({ q: `${mark}/1` }), [german]);
  assert.deepEqual(await ids({ q: mark, type: 'bank' }), [german, australian]);
  assert.deepEqual(await ids({ q: mark, country: 'AU' }), [australian]);
  assert.deepEqual(await ids({ clientReference: `${mark}/2` }), [wallet]);
  assert.deepEqual(await ids({ q: '%' }), []);
  assert.deepEqual(await ids({ q: 'DE89370400440532013000' }), []);
  await api.remove(made[2] ?? assert.fail());
  assert.deepEqual(await ids({ q: mark, status: 'DEACTIVATED' }), [australian]);
  assert.deepEqual(await ids({ q: mark, status: 'ACTIVE' }), [wallet, german]);
  const first = await list({ q: mark, limit: '2' });
  assert.deepEqual(
    first.data.map(({ recipientId }) => recipientId),
    [wallet, german],
  );
  const { nextCursor = '' } = first;
  assert.deepEqual(await ids({ q: mark, limit: '2', cursor: nextCursor }), [australian]);
  for (const [query, pointer] of [
    ['status=GONE', '/query/status'],
    ['type=cash', '/query/type'],
    ['country=au', '/query/country'],
    ['q=', '/query/q'],
    ['limit=0', '/query/limit'],
    [`cursor=${nextCursor}`, '/query/cursor'],
    ['name=Jo', '/query/name'],
  ] as const)
    assertRefused(await api.call('GET', `/v1/recipients?${query}`), [400, 'validation-failed'], [pointer]);
});

test('versions come in pages', async () => {
  const registered = await api.save({ recipient: auBank() });
  for (let index = 0; index < 3; index += 1) await api.patch(registered, { recipient: auBank() });
  type Page = { data: RecipientVersion[]; nextCursor?: string };
  const { data, nextCursor } = (await api.versions(registered, '?limit=3')).json as Page;
  assert.deepEqual(
    data.map(({ version }) => version),
    [4, 3, 2],
  );
  const rest = (await api.versions(registered, `?limit=3&cursor=${nextCursor}`)).json as Page;
  assert.deepEqual([rest.data.map(({ version }) => version), rest.nextCursor], [[1], undefined]);
});

test('ids that nobody has are answered alike by every operation', async () => {
  for (const recipientId of [`rcp_${'0'.repeat(32)}`, 'rcp_x', 'validate', '%00']) {
    const absent = { recipientId } as RegisteredRecipient;
    const check = { provider: 'P', result: 'MATCH', checkedAt: '2026-01-01T00:00:00Z', reference: 'R' };
    for (const answer of [
      await api.call('GET', `/v1/recipients/${recipientId}`),
      await api.patch(absent, { label: 'x' }),
      await api.patch(absent, { recipient: AU_BANK }),
      await api.remove(absent),
      await api.verify(absent, check),
      await api.reveal(absent),
      await api.versions(absent),
    ])
      assertRefused(answer, [404, 'not-found']);
  }
});
