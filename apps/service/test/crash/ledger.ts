import { isDeepStrictEqual } from 'node:util';
import type { Recipient } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import type { AskedPayment } from '../paymentCalls.ts';

/** A request that was sent, whatever became of it. */
export type Sent = { readonly organisation: number; readonly asked: AskedPayment };

/** A plan that an answer told of: the latest body, and the request that made it. */
export type Acknowledged = Sent & { readonly plan: PaymentPlan };

/** What was entered for a link, whatever became of it: as fields of the form, and as the destination that they mean. */
export type Submitted = {
  readonly token: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly destination: Recipient;
};

/** What a load has asked for and been told. The truth that a database is compared with after a crash. */
export type Ledger = {
  readonly sent: Sent[];
  readonly plans: Map<string, Acknowledged>;
  /** What cannot be, as sentences. */
  readonly findings: string[];
  send(sent: Sent): void;
  /** Takes a plan that was answered. */
  acknowledge(sent: Sent, plan: PaymentPlan): void;
  /** Tokens of links that a receipt was answered for. */
  readonly confirmed: ReadonlySet<string>;
  /** Notes a recipient that a plan is about to be readdressed to. */
  address(planId: string, recipient: Recipient): void;
  /** Every recipient that a plan may be addressed to, the first first. */
  recipientsOf(planId: string): readonly Recipient[];
  /** Their e-mail addresses. */
  addressesOf(planId: string): readonly string[];
  /** Notes what is about to be entered for a plan. */
  submit(planId: string, submitted: Submitted): void;
  /** Oldest first. */
  submissionsOf(planId: string): readonly Submitted[];
  confirm(token: string): void;
};

/** Makes an empty ledger. */
export function createLedger(): Ledger {
  const planOf = new Map<string, string>();
  const plans = new Map<string, Acknowledged>();
  const findings: string[] = [];
  const sent: Sent[] = [];
  const readdressed = new Map<string, Recipient[]>();
  const submissions = new Map<string, Submitted[]>();
  const confirmed = new Set<string>();
  const recipientsOf = (planId: string) => {
    const asked = plans.get(planId)?.asked.recipient as Recipient | undefined;
    return [...(asked === undefined ? [] : [asked]), ...(readdressed.get(planId) ?? [])];
  };
  return {
    sent,
    plans,
    findings,
    confirmed,
    address: (planId, recipient) => append(readdressed, planId, recipient),
    recipientsOf,
    addressesOf: (planId) =>
      recipientsOf(planId).flatMap((each) => (each.type === 'email' ? [each.email] : [])),
    submit: (planId, submitted) => append(submissions, planId, submitted),
    submissionsOf: (planId) => submissions.get(planId) ?? [],
    confirm: (token) => void confirmed.add(token),
    send: (each) => void sent.push(each),
    acknowledge({ organisation, asked }, plan) {
      const name = `${organisation} ${asked.clientReference}`;
      const known = planOf.get(name);
      if (known !== undefined && known !== plan.planId)
        findings.push(`The reference ${name} was answered with two plans: ${known} and ${plan.planId}.`);
      planOf.set(name, plan.planId);
      const before = plans.get(plan.planId);
      findings.push(...contradictions(before?.plan, asked, plan));
      if (before === undefined || before.plan.revision <= plan.revision)
        plans.set(plan.planId, { organisation, asked, plan });
    },
  };
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  lists.set(key, [...(lists.get(key) ?? []), item]);
}

/** What an answer says against the request, or against an answer before it. */
function contradictions(before: PaymentPlan | undefined, asked: AskedPayment, plan: PaymentPlan): string[] {
  const found: string[] = [];
  for (const field of ['clientReference', 'corridorId', 'amountIn'] as const)
    if (plan[field] !== asked[field]) found.push(`${plan.planId} has another ${field} than was asked for.`);
  if (before === undefined) return found;
  if (!isDeepStrictEqual(unchanging(before), unchanging(plan)))
    found.push(`${plan.planId} was made anew: what never changes is not what was answered before.`);
  if (before.revision === plan.revision && !isDeepStrictEqual(settled(before), settled(plan)))
    found.push(`${plan.planId} is not at revision ${plan.revision} what it was at that revision before.`);
  return found;
}

function unchanging({ planId, createdAt, mode, recipient, metadata, steps }: PaymentPlan): object {
  return {
    planId,
    createdAt,
    mode,
    // One that is e-mailed can be readdressed.
    ...(recipient.type === 'email' ? {} : { recipient }),
    metadata,
    steps: steps.map(({ stepId, type }) => [stepId, type]),
  };
}

/** A body without what follows from the time of asking. */
function settled({ nextAction: _nextAction, ...plan }: PaymentPlan): object {
  return plan;
}
