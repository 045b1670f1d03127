// Ids of payments that are derived of attempt and account alone: whatever happens, no two payments share one by mistake.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collectStep,
  decide,
  endToEndIdOf,
  type Mode,
  nextLinkVersion,
  paymentAttempt,
  type Plan,
  type PlanEvent,
  swapStep,
} from '../src/index.ts';
import { after } from './paidPlans.ts';
import {
  choice,
  delivery,
  derived,
  evidence,
  linkMade,
  observed,
  paidByReference,
  payoutFailed,
  payoutReturned,
  submitted,
  swapped,
} from './planEvents.ts';
import { STEP_IDS } from './plans.ts';
import { planAfter } from './scenarios.ts';

const [, , stepId] = STEP_IDS;
const idOf = (plan: Plan, account: string) => `${paymentAttempt(plan)} ${account}`;
/** The id of the first payment, as the service makes it with the plan. */
const FIRST = { STANDARD: '1 f1', DIGITAL_COLLECT: '1 anybody' } as const;

function happenings(plan: Plan): readonly PlanEvent[] {
  const reference = `R${plan.revision}`;
  const step = collectStep(plan);
  if (step === undefined) {
    const recipients = [plan.recipient, choice('a'), choice('b')];
    return [
      payoutFailed(reference),
      paidByReference(reference),
      payoutReturned(reference),
      { type: 'STEP_RETRIED', stepId },
      { type: 'STEP_RETRIED', stepId, endToEndId: idOf(plan, plan.recipient.fingerprint) },
      ...recipients.map((recipient): PlanEvent => {
        const endToEndId = idOf(plan, recipient.fingerprint);
        return { type: 'RECIPIENT_REPLACED', stepId, recipient, endToEndId };
      }),
    ];
  }
  const next = nextLinkVersion(step);
  const chosen = (letter: string) =>
    ({ ...submitted(next - 1, letter), endToEndId: idOf(plan, letter) }) as PlanEvent;
  return [
    ...(['DELIVERED', 'FAILED', 'RETURNED'] as const).map((status) => delivery(status, reference)),
    linkMade('FIRST', next),
    linkMade('REOPENED', next),
    { ...linkMade('REISSUED', next), endToEndId: idOf(plan, 'anybody') } as PlanEvent,
    chosen('a'),
    chosen('b'),
  ];
}

/** A payment that the custodian is asked for; undefined while it is asked for none. */
function askedFor(plan: Plan): { readonly account: string; readonly id: string } | undefined {
  const last = plan.steps.at(-1);
  const isStandard = last?.type === 'CUSTODIAN_PAYOUT';
  if (isStandard && last.status !== 'READY') return undefined;
  if (last?.type === 'SEND_DIGITAL_COLLECT' && last.delivery?.status !== 'PENDING') return undefined;
  const { fingerprint: account = '' } = (isStandard ? plan.recipient : collectStep(plan)?.destination) ?? {};
  return { account, id: endToEndIdOf(plan) };
}

/** Who was asked to be paid under each id, and the ids whose payment came back. */
type Known = { readonly accounts: ReadonlyMap<string, string>; readonly back: ReadonlySet<string> };

function walk(plan: Plan, { accounts, back }: Known, depth: number): number {
  const asked = askedFor(plan);
  if (asked !== undefined) {
    const { id, account } = asked;
    assert.equal(accounts.get(id) ?? account, account, `${id} was of another account`);
    assert.ok(!back.has(id), `${id} came back before`);
  }
  const known = asked === undefined ? accounts : new Map([...accounts, [asked.id, asked.account]]);
  if (depth === 0) return 1;
  return happenings(plan).reduce((count, event) => {
    const decision = decide(plan, event, plan.updatedAtMs + 61_000);
    if (!decision.ok || decision.outcome === 'UNCHANGED') return count;
    const isReturn =
      event.type === 'PAYOUT_RETURNED' || (event.type === 'DELIVERY_REPORTED' && event.status === 'RETURNED');
    const ended = isReturn ? new Set([...back, endToEndIdOf(plan)]) : back;
    return count + walk(decision.plan, { accounts: known, back: ended }, depth - 1);
  }, 0);
}

for (const [mode, depth] of [
  ['STANDARD', 9],
  ['DIGITAL_COLLECT', 19],
] as const satisfies readonly (readonly [Mode, number])[])
  test(`${mode}: no two payments share an id of attempt and account`, () => {
    const made: Plan = { ...planAfter([], mode), endToEndId: FIRST[mode] };
    const plan = [observed(1_000n), derived(), swapped(evidence('s', 'FINAL'), 1)].reduce(after, made);
    assert.equal(swapStep(plan).evidence?.status, 'FINAL');
    const ways = walk(plan, { accounts: new Map(), back: new Set() }, depth);
    assert.ok(ways > 1_000, `${ways} ways`);
  });
