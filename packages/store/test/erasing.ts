import assert from 'node:assert/strict';
import type { Plan, Recipient } from '@fairway/plan';
import { sql } from 'kysely';
import type { KeptRecipient } from '../src/index.ts';
import { deposit, evidence, hashOf, newPlan, RECIPIENT, REQUEST, swap } from './plans.ts';
import { SAVER } from './registeredRecipients.ts';
import type { TestStore } from './storeOfTest.ts';

/** A plan of a registered recipient. */
export async function planOfRegistered(
  bench: TestStore,
  { registered }: KeptRecipient,
  details: Recipient = RECIPIENT,
): Promise<Plan> {
  const { recipientId, version, recipient } = registered;
  const mode = details.type === 'email' ? 'DIGITAL_COLLECT' : 'STANDARD';
  const plan = newPlan({ mode, recipient: { ...recipient, registeredAs: { recipientId, version } } });
  const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: details };
  const created = await bench.store.payments.createPlan(bench.scope, creation);
  assert.ok(created.ok && created.outcome === 'CREATED', JSON.stringify(created));
  return created.plan;
}

/** The plan after its deposit and its swap. */
export async function swappedPlan(bench: TestStore, plan: Plan): Promise<Plan> {
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)));
  return bench.change(plan, swap(plan, evidence(hashOf(`${plan.planId} out`), 10n ** 77n)));
}

/** A registered recipient once it is taken from use. */
export async function deactivatedRegistered(bench: TestStore, kept: KeptRecipient): Promise<KeptRecipient> {
  const { recipientId } = kept.registered;
  const done = await bench.store.recipients.changeRecipient(
    bench.scope,
    recipientId,
    { type: 'DEACTIVATED' },
    SAVER,
  );
  assert.ok(done.ok);
  return done.kept;
}

/** The sealed bytes that the database holds now, as it writes them in JSON. */
export async function sealedBytes(bench: TestStore): Promise<string[]> {
  const { rows } = await sql<{ sealed: string }>`
    select encode(sealed, 'hex') as sealed from (
      select sealed from recipients union all select sealed from registered_recipient_versions
      union all select sealed from collect_codes union all select sealed from mails
      union all select sealed from statement_entries
    ) as all_sealed where sealed is not null`.execute(bench.database);
  return rows.map(({ sealed }) => sealed);
}
