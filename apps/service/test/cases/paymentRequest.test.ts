// The interface's rules for a payment request and for a new plan, one by one: accepted values, refused values, and
// the pointers of refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { KNOWN_CONTRACTS } from '@fairway/evm';
import type { Corridor } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getAddress } from 'viem';
import {
  assertProblem,
  AUSTRALIAN,
  freshAddress,
  freshReference,
  type PlanAnswer,
  requestOf,
  startPaymentsTest,
  stepOf,
  endOf,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const ask = (fields: object) => payments.ask('/v1/payments', requestOf(fields));

function pointersOf({ problem }: PlanAnswer): string[] {
  return (problem.errors ?? []).map(({ pointer }) => pointer).sort();
}

test('STANDARD: deposit, swap and payout, with instructions and a custodian action', async () => {
  const plan = await payments.plan({ metadata: { order: '42', note: '' } });
  assert.deepEqual(
    plan.steps.map(({ type, status }) => [type, status]),
    [
      ['AWAIT_DEPOSIT', 'PENDING'],
      ['EXECUTE_SWAP', 'PENDING'],
      ['CUSTODIAN_PAYOUT', 'PENDING'],
    ],
  );
  assert.equal(new Set([plan.planId, ...plan.steps.map(({ stepId }) => stepId)]).size, 4);
  assert.deepEqual([plan.status, plan.revision, plan.next?.why], ['ACTION_REQUIRED', 1, 'DEPOSIT_MISSING']);
  assert.deepEqual(plan.metadata, { order: '42', note: '' });
  const [instruction, ...others] = stepOf(plan, 'EXECUTE_SWAP').instructions ?? [];
  assert.deepEqual(others, []);
  assert.ok(instruction);
  assert.deepEqual([instruction.kind, instruction.chainId, instruction.value], ['EVM_CALL', 31337, '0']);
  assert.match(instruction.to, /^0x[0-9a-fA-F]{40}$/);
  assert.match(instruction.data, /^0x([0-9a-f]{2})+$/);
  assert.equal(instruction.constraints.maxSlippageBps, 50);
  assert.ok(Date.parse(instruction.constraints.notAfter ?? '') > Date.parse(plan.createdAt));
  const { custodianAction } = stepOf(plan, 'CUSTODIAN_PAYOUT');
  assert.ok(custodianAction);
  const { action, amount, isFinal, beneficiary, endToEndId, remittanceInfo } = custodianAction;
  assert.deepEqual([action, isFinal, amount], ['PAYOUT_BANK', false, plan.quote?.amountOut]);
  assert.equal(remittanceInfo, plan.clientReference);
  assert.match(endToEndId, /^[A-Za-z0-9]{1,35}$/);
  assert.deepEqual(beneficiary, plan.recipient);
  assert.deepEqual(
    plan.steps.map((step) => 'instructions' in step),
    [false, true, false],
  );
  assert.deepEqual(
    plan.steps.map((step) => 'custodianAction' in step),
    [false, false, true],
  );
});

test('DIGITAL_COLLECT: deposit, swap and collect, with an e-mail and no custodian action yet', async () => {
  const collect = {
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email: 'josephine@example.com' },
    options: { mode: 'DIGITAL_COLLECT' },
  };
  const plan = await payments.plan(collect);
  assert.deepEqual(
    plan.steps.map(({ type, status }) => [type, status]),
    [
      ['AWAIT_DEPOSIT', 'PENDING'],
      ['EXECUTE_SWAP', 'PENDING'],
      ['SEND_DIGITAL_COLLECT', 'PENDING'],
    ],
  );
  assert.ok(plan.steps.every((step) => !('custodianAction' in step)));
  assert.equal(stepOf(plan, 'EXECUTE_SWAP').instructions?.length, 1);
  const bank = await ask({ ...collect, recipient: AUSTRALIAN });
  assertProblem(bank, 400, 'recipient-invalid', /email/);
  const mail = await ask({ recipient: collect.recipient });
  assertProblem(mail, 400, 'recipient-invalid', /bank/);
  assertProblem(await ask({ options: collect.options }), 400, 'mode-not-supported');
  assertProblem(await ask({ ...collect, options: { mode: 'STANDARD' } }), 400, 'mode-not-supported');
  const early = await payments.report(plan, 'SEND_DIGITAL_COLLECT', { outcome: 'DONE' });
  assertProblem(early, 409, 'step-not-ready');
});

test('a clientReference of up to 128 characters is kept as it is', async () => {
  const references = [
    freshReference().padEnd(128, 'x'),
    // The limit counts characters, not code units: each of these has two code units.
    '𝒳🧾'.repeat(62) + freshReference().slice(0, 4),
    ` two  spaces inside, outside: ${freshReference()}  `,
    `Rechnung Nº 7 – “Zürich” 請求書 ${freshReference()}`,
    // Two Unicode spellings of the same letters: a reference is not normalised.
    'é-é'.normalize('NFC') + freshReference(),
    'é-é'.normalize('NFD') + freshReference(),
  ];
  for (const clientReference of references) {
    const plan = await payments.plan({ clientReference });
    assert.equal(plan.clientReference, clientReference);
    assert.equal((await payments.get(plan.planId)).clientReference, clientReference);
    const query = new URLSearchParams({ clientReference });
    const { json } = await payments.ask(`/v1/payments?${query}`);
    assert.deepEqual(
      (json as { data: { planId: string }[] }).data.map(({ planId }) => planId),
      [plan.planId],
    );
  }
});

test('faults of a bank recipient are named without its values; bsb must be a string', async () => {
  const wrong = await ask({ recipient: { ...AUSTRALIAN, account: { bsb: 62000, accountNumber: 12345678 } } });
  assertProblem(wrong, 400, 'recipient-invalid');
  assert.deepEqual(pointersOf(wrong), ['/recipient/account/accountNumber', '/recipient/account/bsb']);
  assert.ok(!wrong.text.includes('12345678'), 'an account number is never repeated');
  for (const [recipient, pointer] of [
    [{ ...AUSTRALIAN, account: { bsb: '062-000' } }, '/recipient/account/accountNumber'],
    [{ ...AUSTRALIAN, account: { bsb: '06200', accountNumber: '12345678' } }, '/recipient/account/bsb'],
    [{ ...AUSTRALIAN, country: 'NZ' }, '/recipient/country'],
    [{ ...AUSTRALIAN, name: '' }, '/recipient/name'],
    [{ ...AUSTRALIAN, iban: 'x' }, '/recipient/iban'],
    [{ ...AUSTRALIAN, type: undefined }, '/recipient/type'],
    ['Josephine', '/recipient'],
  ] as const) {
    const refused = await ask({ recipient });
    assert.equal(refused.status, 400, JSON.stringify(recipient));
    assert.deepEqual(pointersOf(refused), [pointer], refused.text);
  }
  const plan = await payments.plan();
  assert.deepEqual(plan.recipient, {
    type: 'bank',
    name: 'J. C.',
    country: 'AU',
    account: { accountNumberLast4: '5678' },
    fingerprint: (plan.recipient as { fingerprint: string }).fingerprint,
  });
});

test('every wrong field of a payment request is named at once', async () => {
  const many = await ask({
    amountIn: 5,
    memo: 'x',
    metadata: { a: 1 },
    sender: freshAddress(),
    options: {
      mode: 'standard',
      sender: '0x0000000000000000000000000000000000000000',
      depositAddres: freshAddress(),
      slippageBps: 5001,
      minAmountOut: '-1',
    },
  });
  assert.deepEqual(pointersOf(many), [
    '/amountIn',
    '/memo',
    '/metadata/a',
    '/options/depositAddres',
    '/options/minAmountOut',
    '/options/mode',
    '/options/sender',
    '/options/slippageBps',
    '/sender',
  ]);
  const meant = many.problem.errors?.find(({ pointer }) => pointer === '/sender')?.detail;
  assert.equal(meant, 'sender is not a field of this request; did you mean options.sender?');
  for (const amountIn of ['999999', '100000000001'])
    assertProblem(await ask({ amountIn }), 400, 'amount-out-of-range', /from 1000000 to 100000000000/);
});

/** Addresses at which nobody can use funds on any chain. */
const UNUSABLE_ANYWHERE = [
  ...['3', '1234', 'dead', 'ffff'].map((end) => `0x${end.padStart(40, '0')}`),
  ...Object.values(KNOWN_CONTRACTS),
];

test('a wallet recipient that cannot use the money is refused', async () => {
  const { sandbox, token } = payments;
  const wallet = (address: string, chainId = sandbox.chainId) =>
    ask({ corridorId: 'usdc-wallet', recipient: { type: 'wallet', chainId, address } });
  const zero = `0x${'0'.repeat(40)}`;
  const { swapRouter02 = '', quoterV2 = '' } = sandbox.routers as {
    swapRouter02?: string;
    quoterV2?: string;
  };
  for (const address of [zero, token('USDC'), swapRouter02, quoterV2, ...UNUSABLE_ANYWHERE])
    assert.deepEqual(pointersOf(await wallet(address)), ['/recipient/address'], address);
  assert.deepEqual(pointersOf(await wallet(freshAddress(), 1)), ['/recipient/chainId']);
  assert.equal((await wallet(freshAddress())).status, 200);
});

test('a shared account is refused as deposit address, as sender and as wallet recipient', async () => {
  const settlement = await payments.settlementAddress('usdc-wallet');
  const { quoterV2 = '' } = payments.sandbox.routers as { quoterV2?: string };
  for (const address of [settlement, payments.token('USDC'), quoterV2]) {
    for (const name of ['depositAddress', 'sender']) {
      const refused = await ask({ options: { mode: 'STANDARD', [name]: address } });
      assertProblem(refused, 400, 'validation-failed', /payer/);
      assert.deepEqual(pointersOf(refused), [`/options/${name}`]);
    }
    const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address };
    const paid = await ask({ corridorId: 'usdc-wallet', recipient });
    assertProblem(paid, 400, 'recipient-invalid');
    assert.deepEqual(pointersOf(paid), ['/recipient/address']);
  }
});

test('the deposit address of a payment is no wallet that it pays', async () => {
  const [depositAddress, address] = [freshAddress(), freshAddress()];
  const wallet = (paid: string) => ({ type: 'wallet', chainId: payments.sandbox.chainId, address: paid });
  const asked = (paid: string) => ({
    corridorId: 'usdc-wallet',
    recipient: wallet(paid),
    options: { mode: 'STANDARD', depositAddress },
  });
  const refused = await ask(asked(depositAddress));
  assertProblem(refused, 400, 'recipient-invalid', /deposit address of the payment/);
  assert.deepEqual(pointersOf(refused), ['/recipient/address']);
  const plan = await payments.plan(asked(address));
  const changed = await payments.again(plan, { recipient: wallet(depositAddress) });
  assertProblem(changed, 400, 'recipient-invalid', /deposit address of the payment/);
});

test('an address that nobody can use on any chain is refused as deposit address and as sender', async () => {
  for (const address of UNUSABLE_ANYWHERE) {
    for (const name of ['depositAddress', 'sender']) {
      const refused = await ask({ options: { mode: 'STANDARD', [name]: address } });
      assertProblem(refused, 400, 'validation-failed', /account of the payer/);
      assert.deepEqual(pointersOf(refused), [`/options/${name}`], address);
    }
  }
});

test('corridors are a plain array, and requirementsUrl serves the schema that validates', async () => {
  const { json } = await payments.ask('/v1/markets/corridors');
  const corridors = json as Corridor[];
  assert.ok(Array.isArray(corridors));
  assert.deepEqual(
    corridors.map(({ id }) => id),
    [
      'usdc-aud-bank',
      'usdc-eur-iban',
      'usdc-aud-approval',
      'usdt-usdc-wallet',
      'usdc-wallet',
      'usdc-php-emoney',
      'usdc-eur-collect',
      'usdc-php-collect',
    ],
  );
  for (const corridor of corridors) {
    assert.deepEqual(Object.keys(corridor).sort(), ['constraints', 'id', 'source', 'target']);
    assert.equal(corridor.constraints.status, 'ACTIVE');
    const path = new URL(corridor.constraints.requirementsUrl).pathname;
    const { body: schema } = await payments.ask(path);
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object);
    const { examples } = schema as unknown as { examples?: object[] };
    const [example] = examples ?? [];
    assert.ok(example && check(example), `${corridor.id}: ${JSON.stringify(check.errors)}`);
    assert.ok(!check({ ...example, type: 'other' }));
    const mode = corridor.constraints.modes[0];
    const amountIn = corridor.constraints.minAmountIn;
    const taken = await ask({ corridorId: corridor.id, amountIn, recipient: example, options: { mode } });
    assert.equal(taken.status, 200, `${corridor.id}: ${taken.text.slice(0, 500)}`);
  }
  const unknown = await ask({ corridorId: 'usdc-moon' });
  assertProblem(unknown, 400, 'unknown-corridor', /usdc-moon/);
  assert.deepEqual(pointersOf(unknown), ['/corridorId']);
  assertProblem(await payments.ask('/v1/markets/corridors/usdc-moon/requirements'), 404, 'not-found');
  const other = await payments.ask('/v1/markets/corridors/usdc-wallet/requirements?recipientType=bank');
  assertProblem(other, 400, 'validation-failed');
});

test('the same request gives the plan as it is now', async () => {
  const request = requestOf();
  const first = await payments.ask('/v1/payments', request);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const reordered = Object.fromEntries(Object.entries(request).toReversed());
  for (const again of [request, reordered, { ...request, metadata: { changed: 'yes' } }]) {
    const answer = await payments.ask('/v1/payments', again);
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(answer.body, first.body);
  }
  await payments.end(first.body);
  assert.equal(endOf((await payments.ask('/v1/payments', request)).body), 'CANCELLED');
});

test('a plan says its options with their defaults, and where and in what to deposit', async () => {
  const depositAddress = freshAddress();
  const watched = (await ask({ options: { mode: 'STANDARD', depositAddress } })).body;
  assert.deepEqual(watched.options, {
    mode: 'STANDARD',
    slippageBps: 50,
    depositAddress: getAddress(depositAddress),
  });
  const { asset, amount, to } = watched.next?.send ?? assert.fail();
  const token = getAddress(payments.token('USDC'));
  assert.equal(
    watched.next?.detail,
    `Send 250 USDC on Fairway sandbox (250000000 units of ${token}) to ${getAddress(depositAddress)}.`,
  );
  assert.deepEqual(
    [asset, amount, to],
    [
      { chainId: 31337, address: token, symbol: 'USDC', decimals: 6 },
      '250000000',
      getAddress(depositAddress),
    ],
  );
  const sender = freshAddress();
  const told = (await ask({ options: { mode: 'STANDARD', sender, slippageBps: 7 } })).body;
  assert.deepEqual(told.options, { mode: 'STANDARD', slippageBps: 7, sender: getAddress(sender) });
  assert.equal(told.next?.send?.to, getAddress(sender));
  assert.match(told.next?.detail ?? '', new RegExp(`to ${getAddress(sender)}, then report it\\.$`));
});

test('If-Match: a plan that has changed is 412, a repeated report is answered all the same', async () => {
  const made = await ask({});
  assert.equal(made.headers.get('etag'), '"1"');
  const plan = made.body;
  const reports = `/v1/payments/${plan.planId}/steps/${stepOf(plan, 'AWAIT_DEPOSIT').stepId}/reports`;
  const report = { outcome: 'DONE' };
  for (const tags of ['"2"', 'W/"1"', '1', '"01"', '"2", "3"']) {
    const refused = await payments.ask(reports, report, tags);
    assertProblem(refused, 412, 'revision-mismatch', /at revision 1, .* send it with If-Match: "1"/);
    assert.equal((refused.json as { revision?: number }).revision, 1, tags);
  }
  const done = await payments.ask(reports, report, '"9", "1"');
  assert.equal(done.status, 200, done.text);
  const { revision } = done.body;
  assert.ok(revision > 1);
  assert.equal(done.headers.get('etag'), `"${revision}"`);
  const again = await payments.ask(reports, report, '"1"');
  assert.deepEqual([again.status, again.body.revision], [200, revision]);
  const refresh = `/v1/payments/${plan.planId}/again`;
  // Other instructions than the open ones change the plan; the same again do not.
  const other = { slippageBps: 90 };
  assertProblem(await payments.ask(refresh, other, '"1"'), 412, 'revision-mismatch');
  assert.equal((await payments.ask(refresh, {}, '"1"')).body.revision, revision);
  const reveal = `/v1/payments/${plan.planId}/recipient/reveal`;
  assertProblem(await payments.ask(reveal, {}, '"1"'), 412, 'revision-mismatch');
  assert.equal((await payments.ask(`/v1/payments/${plan.planId}`)).headers.get('etag'), `"${revision}"`);
  for (const tags of ['*', `"${revision + 1}"`])
    assert.equal((await payments.ask(refresh, {}, tags)).status, 200, tags);
});
