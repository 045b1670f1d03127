// A request that was acknowledged is answered again, although the rules for new requests have become stricter since.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { KNOWN_CONTRACTS } from '@fairway/evm';
import { amountOf, type Corridor, type Plan, type Recipient } from '@fairway/plan';
import { canonicalRecipient } from '@fairway/recipients';
import { createCorridors } from '../corridors/corridors.ts';
import { createPaymentOnce } from './createPayment.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { canonicalRequest, type PaymentRequest } from '../paymentRequest.ts';

const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;
const ACTING = { scope: SCOPE, actor: 'cred_1' };
const MULTICALL = KNOWN_CONTRACTS['Multicall3'] ?? assert.fail();

function corridorTo(target: Partial<Corridor['target']>, changes: Partial<Corridor> = {}): Corridor {
  return {
    id: 'corridor',
    source: { chainId: 1, token: `0x${'01'.repeat(20)}` },
    target: {
      type: 'BANK',
      currency: 'EUR',
      chainId: 1,
      token: `0x${'02'.repeat(20)}`,
      custodian: 'Test custodian',
      settlementAddress: `0x${'03'.repeat(20)}`,
      ...target,
    },
    status: 'ACTIVE',
    modes: ['STANDARD', 'DIGITAL_COLLECT'],
    recipientTypes: ['bank', 'wallet'],
    minAmountIn: amountOf(1n),
    maxAmountIn: amountOf(1_000_000n),
    minConfirmations: 2,
    settlementTime: { min: 'PT1M', max: 'P1D' },
    ...changes,
  };
}

const GERMAN = corridorTo({ country: 'DE' });

function requestOf(recipient: Recipient, changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    clientReference: 'INV-1',
    corridorId: 'corridor',
    amountIn: amountOf(500n),
    recipient: { type: recipient.type, plain: recipient },
    mode: 'STANDARD',
    options: { slippageBps: 50, collectLifeMs: 1_209_600_000 },
    metadata: {},
    ...changes,
  };
}

const fingerprint = (...parts: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest();

/** What the use case reads of a plan that is over. */
function planAt(corridor: Corridor): Plan {
  const steps = [{ stepId: 'step_1', type: 'AWAIT_DEPOSIT', status: 'PENDING' }];
  return { planId: 'plan_1', corridor, steps, ended: { reason: 'CANCELLED', atMs: 0 } } as unknown as Plan;
}

/** The use case of a service with `corridors` now, whose database has the plan of `made` with the corridor of then. */
function serviceWith(corridors: readonly Corridor[], then: Corridor, made?: [PaymentRequest, Recipient]) {
  const found = made && {
    plan: planAt(then),
    bodyFingerprint: fingerprint(
      'request',
      SCOPE.organisationId,
      canonicalRequest(made[0], canonicalRecipient(made[1])),
    ),
  };
  return createPaymentOnce({
    corridors: createCorridors(corridors, new Map(), () => 0),
    store: { fingerprint, payments: { findByReference: () => Promise.resolve({ ok: true, found }) } },
    organisationOf: () => Promise.resolve({}),
    nowMs: () => 0,
    // The requests under test need only these members.
  } as unknown as PaymentParts);
}

const JANE = { type: 'bank', name: 'Jane Doe', country: 'DE' } as const;
const IBAN = 'DE36000000000000000000';
const BANK: Recipient = { ...JANE, account: { iban: IBAN } };

const REFUSED_TODAY: Readonly<
  Record<string, { recipient: Recipient; of?: Corridor; mode?: 'DIGITAL_COLLECT' }>
> = {
  'a BIC of another country': { recipient: { ...JANE, account: { iban: IBAN, bic: 'XMPLFR22' } } },
  'an invisible character in a name': { recipient: { ...BANK, name: 'Jane\u{e0041} Doe' } },
  'a name of heaped up marks': { recipient: { ...BANK, name: `Jane D${'\u0301'.repeat(20)}oe` } },
  'a wallet that nobody can use': {
    recipient: { type: 'wallet', chainId: 1, address: MULTICALL.toLowerCase() as `0x${string}` },
    of: corridorTo({ type: 'WALLET' }, { recipientTypes: ['wallet'] }),
  },
  'an encoded word in an e-mail address': {
    recipient: { type: 'email', email: '=?utf-8?q?jane?=@example.com' },
    mode: 'DIGITAL_COLLECT',
  },
};

for (const [what, { recipient, of = GERMAN, mode = 'STANDARD' }] of Object.entries(REFUSED_TODAY)) {
  test(`a repeated request gets its plan, though ${what} is refused today`, async () => {
    const request = requestOf(recipient, { mode });
    const anew = await serviceWith([of], of)(ACTING, request);
    assert.equal(anew.ok ? 'made' : anew.problem.code, 'recipient-invalid');
    const create = serviceWith([of], of, [request, recipient]);
    const again = await create(ACTING, request);
    assert.ok(again.ok, JSON.stringify(again));
    assert.deepEqual([again.value.plan.planId, again.value.isReplayed], ['plan_1', true]);
    const other = await create(ACTING, { ...request, amountIn: amountOf(501n) });
    assert.equal(other.ok ? 'answered' : other.problem.code, 'client-reference-reused');
  });
}

test('a repeated request gets its plan, though its sender is refused today', async () => {
  const sender = MULTICALL.toLowerCase() as `0x${string}`;
  const request = requestOf(BANK, { options: { slippageBps: 50, collectLifeMs: 1, sender } });
  const anew = await serviceWith([GERMAN], GERMAN)(ACTING, request);
  assert.deepEqual(anew.ok ? 'made' : anew.problem.errors?.map(({ pointer }) => pointer), [
    '/options/sender',
  ]);
  assert.ok((await serviceWith([GERMAN], GERMAN, [request, BANK])(ACTING, request)).ok);
});

test('a repeated request gets its plan, though its corridor has changed or is gone', async () => {
  const request = requestOf(BANK);
  const later: readonly (readonly Corridor[])[] = [
    [],
    [{ ...GERMAN, status: 'SUSPENDED' }],
    [{ ...GERMAN, modes: ['DIGITAL_COLLECT'] }],
    [corridorTo({ country: 'FR' })],
    [{ ...GERMAN, maxAmountIn: amountOf(499n) }],
  ];
  for (const corridors of later) {
    assert.ok(!(await serviceWith(corridors, GERMAN)(ACTING, request)).ok);
    assert.ok((await serviceWith(corridors, GERMAN, [request, BANK])(ACTING, request)).ok);
  }
});

test('a recipient without any form is another request than the one that used the reference', async () => {
  const create = serviceWith([GERMAN], GERMAN, [requestOf(BANK), BANK]);
  for (const plain of [
    null,
    7,
    {},
    { type: 'bank' },
    { ...BANK, type: 'pigeon' },
    { ...BANK, account: [] },
  ]) {
    const answer = await create(ACTING, requestOf(BANK, { recipient: { type: 'bank', plain } }));
    assert.equal(
      answer.ok ? 'answered' : answer.problem.code,
      'client-reference-reused',
      JSON.stringify(plain),
    );
  }
});
