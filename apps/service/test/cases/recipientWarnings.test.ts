// The facts about recipients that a person sees before money is sent: warnings, checks of the payee, and validations of
// details.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import type { RecipientVersion, RegisteredRecipient, Validation } from '@fairway/wire';
import fc from 'fast-check';
import { freshAddress, type PaymentsTest, requestOf, startPaymentsTest } from '../paymentsHarness.ts';
import {
  AU_BANK,
  assertRefused,
  auBank,
  type RecipientAnswer,
  recipientsOn,
  walletAt,
} from '../recipientsHarness.ts';

let payments: PaymentsTest;
let api: ReturnType<typeof recipientsOn>;
before(async () => {
  payments = await startPaymentsTest();
  api = recipientsOn(payments);
});
after(() => payments?.close());

const codes = ({ warnings }: Pick<RegisteredRecipient, 'warnings'>) => warnings.map(({ code }) => code);
const validated = ({ status, json }: RecipientAnswer) => {
  assert.equal(status, 200, JSON.stringify(json));
  return json as Validation;
};
const CHECK = {
  provider: 'Example Check',
  result: 'MATCH',
  checkedAt: '2026-01-01T00:00:00.000Z',
  reference: 'VOP-1',
};

/** An address with other digits in the middle, and the same ends. */
function lookalikeOf(address: string): string {
  return `${address.slice(0, 6)}${freshAddress().slice(6, 38)}${address.slice(38)}`;
}

test('the first payment to details is named until one is completed, and again for new details', async () => {
  const registered = await api.save({ recipient: auBank() });
  assert.deepEqual(codes(registered), ['FIRST_PAYMENT']);
  const planOf = () => {
    const recipient = { type: 'saved', recipientId: registered.recipientId };
    return payments.plan({ recipient, options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  };
  const [cancelled, paid] = [await planOf(), await planOf()];
  assert.equal((await payments.end(cancelled)).status, 200);
  const listed = async () => {
    const { json } = await api.call('GET', '/v1/recipients?limit=100');
    const { data } = json as { data: RegisteredRecipient[] };
    return data.find(({ recipientId }) => recipientId === registered.recipientId) ?? assert.fail();
  };
  for (const [type, event, expected] of [
    ['AWAIT_DEPOSIT', 'deposit.exact', ['FIRST_PAYMENT']],
    ['EXECUTE_SWAP', 'swap.done', ['FIRST_PAYMENT']],
    ['CUSTODIAN_PAYOUT', 'payout.done', []],
    ['CUSTODIAN_PAYOUT', 'payout.returned', ['FIRST_PAYMENT']],
  ] as const) {
    assert.equal((await payments.simulate(paid, type, event)).status, 200);
    assert.deepEqual(codes(await api.get(registered)), expected, event);
    assert.deepEqual(codes(await listed()), expected, event);
  }
  const changed = (await api.patch(registered, { recipient: auBank() })).registered;
  assert.deepEqual(codes(changed), ['DETAILS_CHANGED_RECENTLY', 'FIRST_PAYMENT']);
});

test('a payment to earlier details says nothing of the present ones, nor of another recipient', async () => {
  const [registered, other] = [
    await api.save({ recipient: auBank() }),
    await api.save({ recipient: auBank() }),
  ];
  const recipient = { type: 'saved', recipientId: registered.recipientId };
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const paid = await payments.plan({ recipient, options });
  await api.patch(registered, { recipient: auBank() });
  await payments.played(paid, 'deposit.exact', 'swap.done', 'payout.done');
  assert.equal((await payments.get(paid.planId)).status, 'COMPLETED');
  assert.deepEqual(codes(await api.get(registered)), ['DETAILS_CHANGED_RECENTLY', 'FIRST_PAYMENT']);
  assert.deepEqual(codes(await api.get(other)), ['FIRST_PAYMENT']);
});

test('equal details in any spelling are named on both, with the other', async () => {
  const recipient = auBank('Mary Major');
  const one = await api.save({ recipient });
  const two = await api.save({ recipient: { ...recipient, name: 'MARY  MAJOR' } });
  const namedBy = ({ warnings }: RegisteredRecipient) =>
    warnings.find(({ code }) => code === 'DUPLICATE_DETAILS')?.recipientId;
  assert.equal(namedBy(two), one.recipientId);
  assert.equal(namedBy(await api.get(one)), two.recipientId);
  await api.patch(two, { recipient: auBank() });
  assert.equal(namedBy(await api.get(one)), undefined, 'only details that are used now');
});

test('an address that looks like one of a plan or of an earlier version is named', async () => {
  const paid = freshAddress();
  const asked = requestOf({ corridorId: 'usdc-wallet', recipient: walletAt(paid) });
  const { body: plan } = await payments.ask('/v1/payments', asked);
  const ofPlan = await api.save({ recipient: walletAt(lookalikeOf(paid)) });
  const [warning] = ofPlan.warnings;
  assert.deepEqual([warning?.code, warning?.recipientId], ['LOOKALIKE_ADDRESS', undefined]);
  assert.ok(warning?.detail.includes(plan.planId));
  const first = freshAddress();
  const registered = await api.save({ recipient: walletAt(first) });
  const { registered: swapped } = await api.patch(registered, { recipient: walletAt(lookalikeOf(first)) });
  assert.equal(swapped.warnings[0]?.code, 'LOOKALIKE_ADDRESS');
  assert.equal(swapped.warnings[0]?.recipientId, registered.recipientId);
});

test('a lookalike is what has the ends of a known address and is another one', async () => {
  console.log(`seed ${seed}`);
  const known = freshAddress();
  const registered = await api.save({ recipient: walletAt(known) });
  const digits = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 40, maxLength: 40 });
  /** Each digit of the known address is kept or replaced: the ends mostly as a whole. */
  const near = fc
    .record({
      other: digits,
      head: fc.boolean(),
      tail: fc.boolean(),
      middle: fc.boolean(),
      at: fc.option(fc.nat(39)),
    })
    .map(({ other, head, tail, middle, at }) => {
      const own = [...known.slice(2)];
      const mixed = own.map((digit, index) => {
        const isKept = index < 4 ? head : index >= 36 ? tail : middle;
        return (isKept ? digit : other[index]) ?? digit;
      });
      if (at !== null) mixed[at] = mixed[at] === 'f' ? '0' : 'f';
      return `0x${mixed.join('')}`;
    });
  await fc.assert(
    fc.asyncProperty(near, fc.constantFrom('lower', 'upper'), async (address, letters) => {
      const written = letters === 'upper' ? `0x${address.slice(2).toUpperCase()}` : address;
      const answer = validated(await api.validate({ recipient: walletAt(written) }));
      const same = [...address].filter((digit, index) => digit === known[index]).length === 42;
      const hasEnds = address.slice(0, 6) === known.slice(0, 6) && address.slice(-4) === known.slice(-4);
      const found = answer.warnings.filter(({ code }) => code === 'LOOKALIKE_ADDRESS');
      assert.equal(found.length, hasEnds && !same ? 1 : 0, address);
      if (found.length > 0) assert.equal(found[0]?.recipientId, registered.recipientId);
      assert.equal(
        answer.warnings.some(({ code }) => code === 'DUPLICATE_DETAILS'),
        same,
        address,
      );
    }),
    { seed, numRuns: 150 },
  );
});

test('details can be looked at without being kept', async () => {
  const count = async () => {
    const { json } = await api.call('GET', '/v1/recipients?limit=100');
    return (json as { data: unknown[] }).data.length;
  };
  const before = await count();
  const recipient = auBank();
  const good = validated(await api.validate({ recipient }));
  assert.deepEqual([good.valid, good.errors, good.warnings], [true, [], []]);
  assert.equal(good.recipient?.type, 'bank');
  assert.ok(!JSON.stringify(good).includes('Josephine'));
  const registered = await api.save({ recipient });
  assert.deepEqual(validated(await api.validate({ recipient })), {
    ...good,
    recipient: registered.recipient,
    warnings: [
      {
        code: 'DUPLICATE_DETAILS',
        detail: `The recipient ${registered.recipientId} has the same details. Payments to both reach one account.`,
        recipientId: registered.recipientId,
      },
    ],
  });
  assert.equal(await count(), before + 1);
  const bad = validated(await api.validate({ recipient: { ...AU_BANK, account: { bsb: '1' } } }));
  assert.deepEqual([bad.valid, bad.recipient, bad.warnings], [false, null, []]);
  assert.deepEqual(bad.errors.map(({ pointer }) => pointer).sort(), [
    '/recipient/account/accountNumber',
    '/recipient/account/bsb',
  ]);
});

test('details are looked at for a corridor, and a corridor that is not offered is named', async () => {
  const recipient = auBank();
  const at = (corridorId: string) => api.validate({ recipient, corridorId });
  assert.equal(validated(await at('usdc-aud-bank')).valid, true);
  const german = validated(await at('usdc-eur-iban'));
  assert.ok(german.errors.some(({ pointer }) => pointer === '/recipient/country'));
  assert.equal(validated(await at('usdc-eur-collect')).valid, false);
  assertRefused(await at('nowhere'), [400, 'unknown-corridor'], ['/corridorId']);
  assertRefused(await api.validate({ recipient, more: 1 }), [400, 'validation-failed'], ['/more']);
  assertRefused(await api.validate({}), [400, 'validation-failed'], ['/recipient']);
});

test('a check of the payee is of the version that was there, and new details have none', async () => {
  const registered = await api.save({ recipient: auBank() });
  const checked = await api.verify(registered, CHECK, '"1"');
  assert.deepEqual(
    [checked.registered.verification, checked.registered.revision, checked.registered.version],
    [{ ...CHECK, by: registered.detailsBy }, 2, 1],
  );
  assert.deepEqual(
    (await api.verify(registered, CHECK, '"1"')).registered,
    checked.registered,
    'the same again',
  );
  const partial = (await api.verify(registered, { ...CHECK, result: 'PARTIAL' })).registered;
  assert.deepEqual([partial.verification?.result, partial.revision], ['PARTIAL', 3]);
  const changed = (await api.patch(registered, { recipient: auBank() })).registered;
  assert.equal(changed.verification, undefined);
  assertRefused(await api.verify(registered, CHECK, '"3"'), [412, 'revision-mismatch']);
  const { json } = await api.versions(registered);
  const { data } = json as { data: RecipientVersion[] };
  assert.deepEqual(
    data.map(({ verification }) => verification?.result),
    [undefined, 'PARTIAL'],
  );
  const events = await api.events(registered, 4);
  assert.deepEqual(
    events.map(({ type }) => type.split('.')[1]),
    ['created', 'updated', 'updated', 'updated'],
  );
  await api.remove(registered);
  assertRefused(await api.verify(registered, CHECK), [409, 'recipient-not-active']);
});

test('a wrong check names each field', async () => {
  const registered = await api.save({ recipient: auBank() });
  // Other tests move the sandbox's clock on by days.
  const future = new Date(Date.now() + 3_650 * 86_400_000).toISOString();
  const fields = ['/checkedAt', '/provider', '/reference', '/result'];
  assertRefused(await api.verify(registered, {}), [400, 'validation-failed'], fields);
  for (const [change, pointer] of [
    [{ result: 'YES' }, '/result'],
    [{ checkedAt: 'yesterday' }, '/checkedAt'],
    [{ checkedAt: future }, '/checkedAt'],
    [{ provider: 'x'.repeat(65) }, '/provider'],
    [{ name: 'Jo' }, '/name'],
  ] as const)
    assertRefused(
      await api.verify(registered, { ...CHECK, ...change }),
      [400, 'validation-failed'],
      [pointer],
    );
});
