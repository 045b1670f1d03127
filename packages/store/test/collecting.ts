import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import type {
  CollectLink,
  MaskedRecipient,
  NoticeOptions,
  Plan,
  PlanCommand,
  Recipient,
} from '@fairway/plan';
import { sql } from 'kysely';
import type { CommandContext, LinkMade, MailOrder, NewLink, Submission } from '../src/index.ts';
import type { LinkOrder } from '../src/mail/queue.ts';
import { deposit, evidence, hashOf, instructions, MADE_AT_MS, newPlan, stepId, swap } from './plans.ts';
import type { TestStore } from './storeOfTest.ts';

/** The recipient who is asked where the money goes, as the integrator names them. */
export const COLLECTOR: Recipient = {
  type: 'email',
  email: 'zebedee.q@quill.example',
  name: 'Zebedee Quillfeather',
};

/** What the recipient chooses. */
export const DESTINATION: Recipient = {
  type: 'bank',
  name: 'Zebedee Quillfeather',
  country: 'AU',
  account: { bsb: '062000', accountNumber: '778812345' },
};

/** The same destination as the plan shows it. */
export const MASKED_DESTINATION: MaskedRecipient = {
  type: 'bank',
  name: 'Z. Q.',
  country: 'AU',
  account: { accountNumberLast4: '2345' },
  fingerprint: 'f3',
};

/** A command of the service itself. */
export const contextAt = (atMs: number): CommandContext => ({ actor: 'service', atMs });

/** The hash that is stored for a token. */
export function tokenHashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The hash that is stored for a code. */
export function codeHashOf(code: string): Buffer {
  return createHmac('sha256', 'of the test').update(code).digest();
}

/** A plan that waits for its first link, of an organisation that wants these notices. */
export async function planToCollect(
  bench: Pick<TestStore, 'create' | 'change'>,
  notices?: NoticeOptions,
): Promise<Plan> {
  const plan = await bench.create(
    newPlan({
      mode: 'DIGITAL_COLLECT',
      ...(notices && { options: { slippageBps: 50, collectLifeMs: 14 * 86_400_000, notices } }),
    }),
  );
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)), MADE_AT_MS);
  const told = await bench.change(plan, instructions(plan), MADE_AT_MS);
  return bench.change(told, swap(told, evidence(hashOf(`${plan.planId} out`), 10n ** 77n)), MADE_AT_MS);
}

/** The event that makes the plan's next link. */
export function linkMade(plan: Plan, reason: LinkMade['reason'] = 'FIRST', atMs = MADE_AT_MS): LinkMade {
  const last = plan.steps.at(-1);
  const rounds = last?.type === 'SEND_DIGITAL_COLLECT' ? last.rounds : [];
  const version = Math.max(linkOf(plan)?.version ?? 0, rounds.at(-1)?.version ?? 0) + 1;
  const id = stepId(plan, 'SEND_DIGITAL_COLLECT');
  return { type: 'LINK_MADE', stepId: id, version, reason, expiresAtMs: atMs + 14 * 86_400_000 };
}

/** The newest link of a plan. */
export function linkOf(plan: Plan): CollectLink | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'SEND_DIGITAL_COLLECT' ? last.link : undefined;
}

/** The e-mail with the link. */
export function linkOrder(token: string, kind: LinkOrder['kind'] = 'LINK_FIRST'): LinkOrder {
  return { kind, to: 'zebedee.q@quill.example', name: 'Zebedee Quillfeather', locale: 'en', token };
}

/** A link and its e-mail. */
export function newLink(token: string): NewLink {
  return {
    tokenHash: tokenHashOf(token),
    mail: linkOrder(token),
  };
}

/** A submission with this code. */
export function submission(code: string, changes: Partial<Submission> = {}): Submission {
  const to = { to: 'zebedee.q@quill.example', locale: 'en' };
  const mail: MailOrder = {
    kind: 'CODE',
    ...to,
    code,
    destination: 'Account ending in 4321',
    paidTo: 'bank',
  };
  const codeHash = codeHashOf(code);
  return { destination: DESTINATION, codeHash, codeLifeMs: 600_000, mail, ...changes };
}

/** The event of a confirmed submission. */
export function submitted(plan: Plan): PlanCommand {
  const version = linkOf(plan)?.version ?? 0;
  const id = stepId(plan, 'SEND_DIGITAL_COLLECT');
  return {
    type: 'COLLECT_SUBMITTED',
    stepId: id,
    version,
    destination: MASKED_DESTINATION,
    endToEndId: 'FW-2',
  };
}

/** Makes the plan's next link, with this token. */
export async function link(
  bench: Pick<TestStore, 'store' | 'scope'>,
  plan: Plan,
  token: string,
  reason: LinkMade['reason'] = 'FIRST',
  atMs: number = MADE_AT_MS,
): Promise<Plan> {
  const event = linkMade(plan, reason, atMs);
  const made = await bench.store.collect.makeLink(
    bench.scope,
    plan.planId,
    event,
    newLink(token),
    contextAt(atMs),
  );
  assert.ok(made.ok && made.outcome === 'CHANGED', JSON.stringify(made));
  return made.plan;
}

/** The state of the e-mail with a plan's newest link; `sentAtMs` is when a mail server accepted it. */
export async function linkMailOf({ database }: Pick<TestStore, 'database'>, { planId }: Plan) {
  const { rows } = await sql<{ mail: object }>`
    select jsonb_strip_nulls(jsonb_build_object('state', mails.state, 'attempts', attempts, 'lastError', last_error,
      'sentAtMs', case mails.state when 'ACCEPTED' then extract(epoch from ended_at) * 1000 end)) as mail
    from mails join collect_links using (token_hash)
    where collect_links.plan_id = ${planId} and kind <> 'CODE' and due_at is null
    order by version desc limit 1`.execute(database);
  return rows[0]?.mail;
}
