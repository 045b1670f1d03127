// A corridor that asks for a check of the payee: which details it pays, and that the check is the present one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Corridor, PaymentPlan, SavedRecipient } from '@fairway/wire';
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
const named = ({ recipientId }: SavedRecipient) => ({ type: 'saved', recipientId });

function pay(recipient: object, clientReference = freshReference(), corridorId = 'usdc-aud-checked') {
  const body = { clientReference, corridorId, amountIn: '20000000', recipient };
  return api.call('POST', '/v1/payments', { ...body, options: { mode: 'STANDARD' } });
}

async function check(saved: SavedRecipient, result: string): Promise<void> {
  const told = { provider: 'Example Check', result, checkedAt: '2026-11-20T09:00:00Z', reference: result };
  assert.equal((await api.verify(saved, told)).status, 200);
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
  const saved = await api.save({ recipient: auBank() });
  const own = await pay(auBank());
  assertRefused(own, UNCHECKED, ['/recipient']);
  const refused = await pay(named(saved));
  assertRefused(refused, UNCHECKED, ['/recipient/recipientId']);
  assert.match(
    refused.problem.detail,
    /have no check of the payee, and corridor usdc-aud-checked needs one that came to MATCH or PARTIAL/,
  );
  for (const result of ['NO_MATCH', 'NOT_POSSIBLE']) {
    await check(saved, result);
    const still = await pay(named(saved));
    assertRefused(still, UNCHECKED, ['/recipient/recipientId']);
    assert.match(still.problem.detail, new RegExp(`came to ${result}, and corridor`));
  }
  assert.equal(
    (await pay(named(saved), freshReference(), 'usdc-aud-bank')).status,
    200,
    'others ask for none',
  );
  await check(saved, 'PARTIAL');
  const reference = freshReference();
  const made = await pay(named(saved), reference);
  assert.equal(made.status, 200, JSON.stringify(made.json));
  await check(saved, 'NO_MATCH');
  assertRefused(await pay(named(saved)), UNCHECKED, ['/recipient/recipientId']);
  const again = await pay(named(saved), reference);
  const planOf = ({ json: body }: typeof made) => (body as PaymentPlan).planId;
  assert.deepEqual([again.status, planOf(again)], [200, planOf(made)], 'a repeated request is answered');
  await check(saved, 'MATCH');
  await api.patch(saved, { recipient: auBank('Orla Finch') });
  assertRefused(await pay(named(saved)), UNCHECKED, ['/recipient/recipientId']);
});

test('another account of a plan needs the check, too', async () => {
  const saved = await api.save({ recipient: auBank() });
  await check(saved, 'MATCH');
  const { json } = await pay(named(saved));
  const path = `/v1/payments/${(json as PaymentPlan).planId}/recipient`;
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
