import { isDeepStrictEqual } from 'node:util';
import type { PaymentPlan } from '@fairway/wire';
import type { AskedPayment } from '../paymentCalls.ts';

/** A request that was sent, whatever became of it. */
export type Sent = { readonly organisation: number; readonly asked: AskedPayment };

/** A plan that an answer told of: the latest body, and the request that made it. */
export type Acknowledged = Sent & { readonly plan: PaymentPlan };

/** What a load has asked for and been told. The truth that a database is compared with after a crash. */
export type Ledger = {
  readonly sent: Sent[];
  readonly plans: Map<string, Acknowledged>;
  /** What cannot be, as sentences. */
  readonly findings: string[];
  send(sent: Sent): void;
  /** Takes a plan that was answered. */
  acknowledge(sent: Sent, plan: PaymentPlan): void;
};

/** Makes an empty ledger. */
export function createLedger(): Ledger {
  const planOf = new Map<string, string>();
  const plans = new Map<string, Acknowledged>();
  const findings: string[] = [];
  const sent: Sent[] = [];
  return {
    sent,
    plans,
    findings,
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
    recipient,
    metadata,
    steps: steps.map(({ stepId, type }) => [stepId, type]),
  };
}

/** A body without what follows from the time of asking. */
function settled({ nextAction: _nextAction, ...plan }: PaymentPlan): object {
  return plan;
}
