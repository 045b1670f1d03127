// A corridor that asks for a check of the payee: which details it pays, and that the check is the present one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Corridor, PaymentPlan, RegisteredRecipient } from '@fairway/wire';
import { type ApprovalTest, type Login, startApprovalTest } from '../approvalHarness.ts';
import { freshReference } from '../paymentsHarness.ts';
import { assertRefused, auBank, recipientsOn } from '../recipientsHarness.ts';

let place: ApprovalTest;
let api: ReturnType<typeof recipientsOn>;
before(async () => {
  place = await startApprovalTest();
  const { authorization }: Login = await place.login('Birch');
  api = recipientsOn(place.running, authorization);
});
after(() => place?.close());

const UNCHECKED = [400, 'payee-check-required'] as const;
const named = ({ recipientId }: RegisteredRecipient) => ({ type: 'saved', recipientId });

function pay(recipient: object, clientReference = freshReference(), corridorId = 'usdc-aud-checked') {
  const body = { clientReference, corridorId, amountIn: '20000000', recipient };
  return api.call('POST', '/v1/payments', { ...body, options: { mode: 'STANDARD' } });
}

async function check(registered: RegisteredRecipient, result: string): Promise<void> {
  const told = { provider: 'Example Check', result, checkedAt: '2026-11-20T09:00:00Z', reference: result };
  assert.equal((await api.verify(registered, told)).status, 200);
}

test('details are paid whose check came to what the corridor accepts, as long as it says so', async () => {
  const { json } = await api.call('GET', '/v1/markets/corridors');
  assert.deepEqual(
    (json as Corridor[]).map(({ id, constraints }) => [id, constraints.payeeCheck?.accepted]),
    [
      ['usdc-aud-bank', undefined],
      ['usdc-aud-collect', undefined],
      ['usdc-aud-checked', ['MATCH', 'PARTIAL']],
    ],
  );
  const registered = await api.save({ recipient: auBank() });
  const own = await pay(auBank());
  assertRefused(own, UNCHECKED, ['/recipient']);
  const refused = await pay(named(registered));
  assertRefused(refused, UNCHECKED, ['/recipient/recipientId']);
  assert.match(
    refused.problem.detail,
    /have no check of the payee, and corridor usdc-aud-checked needs one that came to MATCH or PARTIAL/,
  );
  for (const result of ['NO_MATCH', 'NOT_POSSIBLE']) {
    await check(registered, result);
    const still = await pay(named(registered));
    assertRefused(still, UNCHECKED, ['/recipient/recipientId']);
    assert.match(still.problem.detail, new RegExp(`came to ${result}, and corridor`));
  }
  assert.equal(
    (await pay(named(registered), freshReference(), 'usdc-aud-bank')).status,
    200,
    'others ask for none',
  );
  await check(registered, 'PARTIAL');
  const reference = freshReference();
  const made = await pay(named(registered), reference);
  assert.equal(made.status, 200, JSON.stringify(made.json));
  await check(registered, 'NO_MATCH');
  assertRefused(await pay(named(registered)), UNCHECKED, ['/recipient/recipientId']);
  const again = await pay(named(registered), reference);
  const planOf = ({ json: body }: typeof made) => (body as PaymentPlan).planId;
  assert.deepEqual([again.status, planOf(again)], [200, planOf(made)], 'a repeated request is answered');
  await check(registered, 'MATCH');
  await api.patch(registered, { recipient: auBank('Orla Finch') });
  assertRefused(await pay(named(registered)), UNCHECKED, ['/recipient/recipientId']);
});

test('another account of a plan needs the check, too', async () => {
  const registered = await api.save({ recipient: auBank() });
  await check(registered, 'MATCH');
  const { json } = await pay(named(registered));
  const path = `/v1/payments/${(json as PaymentPlan).planId}/again`;
  const other = await api.save({ recipient: auBank('Orla Finch') });
  for (const [recipient, pointer] of [
    [auBank('Orla Finch'), '/recipient'],
    [named(other), '/recipient/recipientId'],
  ] as const)
    assertRefused(await api.call('POST', path, { recipient }), UNCHECKED, [pointer]);
  await check(other, 'MATCH');
  // The check is right now. The plan refuses another account, because no payment has failed.
  assertRefused(await api.call('POST', path, { recipient: named(other) }), [409, 'step-not-ready']);
});
