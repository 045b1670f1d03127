import { isDeepStrictEqual } from 'node:util';
import type { PlanCommandType, Recipient } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import type { AskedPayment } from '../paymentCalls.ts';

/** A request that was sent, with any outcome. */
export type Sent = { readonly organisation: number; readonly asked: AskedPayment };

/** A plan that was answered: its latest body, and the request that made it. */
export type Acknowledged = Sent & { readonly plan: PaymentPlan };

/** A submission for a link, with any outcome: the fields of the form, and the destination that they mean. */
export type Submitted = {
  readonly token: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly destination: Recipient;
};

/**
 * What a request asked for, as the history of its plan has to show it. That is an event with a text that only this
 * request had, or with this recipient. WALLET_PAID: any event that records this transaction as a payment.
 */
export type PromisedEvent =
  | { readonly type: Exclude<PlanCommandType, 'RECIPIENT_REPLACED'>; readonly mark: string }
  | { readonly type: 'WALLET_PAID'; readonly mark: string }
  | { readonly type: 'RECIPIENT_REPLACED'; readonly recipient: Recipient };

/** The requests of a load and their answers. After a crash the database is compared with them. */
export type Ledger = {
  readonly sent: Sent[];
  readonly plans: Map<string, Acknowledged>;
  /** Contradictions that were found, as sentences. */
  readonly findings: string[];
  send(sent: Sent): void;
  /** Records a plan that was answered, and what the answer says was done. */
  acknowledge(sent: Sent, plan: PaymentPlan, promised?: PromisedEvent): void;
  /** What answers said was done with a plan, oldest first. */
  promisedOf(planId: string): readonly PromisedEvent[];
  /** How many of each kind were done. */
  promisedCounts(): ReadonlyMap<PromisedEvent['type'], number>;
  /** Tokens of links that were answered with a receipt. */
  readonly confirmed: ReadonlySet<string>;
  /** Records a recipient before a plan is readdressed to it, or pays it in place of another. */
  address(planId: string, recipient: Recipient): void;
  /** Every recipient that a plan may be addressed to, oldest first. */
  recipientsOf(planId: string): readonly Recipient[];
  /** The e-mail addresses of these recipients. */
  addressesOf(planId: string): readonly string[];
  /** Records a submission before it is sent. */
  submit(planId: string, submitted: Submitted): void;
  /** The submissions of a plan, oldest first. */
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
  const promisedByPlan = new Map<string, PromisedEvent[]>();
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
    promisedOf: (planId) => promisedByPlan.get(planId) ?? [],
    promisedCounts() {
      const kinds = Map.groupBy([...promisedByPlan.values()].flat(), ({ type }) => type);
      return new Map([...kinds].map(([type, alike]) => [type, alike.length]));
    },
    acknowledge({ organisation, asked }, plan, promised) {
      if (promised !== undefined) append(promisedByPlan, plan.planId, promised);
      const name = `${organisation} ${asked.clientReference}`;
      const known = planOf.get(name);
      if (known !== undefined && known !== plan.planId)
        findings.push(`The reference ${name} was answered with two plans: ${known} and ${plan.planId}.`);
      planOf.set(name, plan.planId);
      const before = plans.get(plan.planId);
      findings.push(...contradictions(before?.plan, asked, plan, readdressed.has(plan.planId)));
      if (before === undefined || before.plan.revision <= plan.revision)
        plans.set(plan.planId, { organisation, asked, plan });
    },
  };
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  lists.set(key, [...(lists.get(key) ?? []), item]);
}

/** Contradictions of an answer to its request or to an earlier answer. */
function contradictions(
  before: PaymentPlan | undefined,
  asked: AskedPayment,
  plan: PaymentPlan,
  isReaddressed: boolean,
): string[] {
  const found: string[] = [];
  for (const field of ['clientReference', 'corridorId', 'amountIn'] as const)
    if (plan[field] !== asked[field]) found.push(`${plan.planId} has another ${field} than was asked for.`);
  if (before === undefined) return found;
  if (!isDeepStrictEqual(unchanging(before, isReaddressed), unchanging(plan, isReaddressed)))
    found.push(`${plan.planId} was made anew: what never changes is not what was answered before.`);
  if (before.revision === plan.revision && !isDeepStrictEqual(settled(before), settled(plan)))
    found.push(`${plan.planId} is not at revision ${plan.revision} what it was at that revision before.`);
  return found;
}

function unchanging(
  { planId, createdAt, mode, recipient, metadata, steps }: PaymentPlan,
  isReaddressed: boolean,
): object {
  return {
    planId,
    createdAt,
    mode,
    ...(isReaddressed ? {} : { recipient }),
    metadata,
    steps: steps.map(({ stepId, type }) => [stepId, type]),
  };
}

/**
 * A body without the parts that depend on the request: on its time, and on what it did. The names of tokens are there once
 * the service that answers has read them.
 */
function settled({ next: _next, did: _did, ...plan }: PaymentPlan): unknown {
  return JSON.parse(JSON.stringify(plan, (name, told) => (NAMES_OF_TOKEN.has(name) ? undefined : told)));
}

const NAMES_OF_TOKEN: ReadonlySet<string> = new Set(['symbol', 'decimals']);
