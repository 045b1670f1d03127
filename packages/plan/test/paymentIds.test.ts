// Ids of payments that are derived of attempt, account and part alone: whatever happens, no two payments share one by mistake.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collectStep,
  decide,
  endToEndIdOf,
  type Evidence,
  evidenceOf,
  lastStep,
  type Mode,
  nextLinkVersion,
  payableNow,
  paymentAttempt,
  type Plan,
  type PlanCommand,
  standingMovements,
  swapStep,
  ZERO,
} from '../src/index.ts';
import { after } from './paidPlans.ts';
import {
  choice,
  delivery,
  derived,
  evidence,
  executed,
  gone,
  linkMade,
  lost,
  observed,
  paidByReference,
  paidInPart,
  paidWithAmounts,
  payoutFailed,
  payoutReturned,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { planAfter } from './scenarios.ts';

const [, , stepId] = STEP_IDS;
const idOf = (plan: Plan, account: string) => `${paymentAttempt(plan)} ${account}`;
/** The id of the first payment, as the service makes it with the plan. */
const FIRST = { STANDARD: '1 f1', DIGITAL_COLLECT: '1 anybody' } as const;

/** A payment of one unit; the service derives the id of the rest as here. */
function partPaid(plan: Plan): PlanCommand {
  const last = plan.steps.at(-1);
  const { earlierIds = [] } = (last !== undefined && 'payout' in last ? last.payout : undefined) ?? {};
  const { fingerprint } = collectStep(plan)?.destination ?? plan.recipient;
  const nextEndToEndId = `${idOf(plan, fingerprint)} ${earlierIds.length + 2}`;
  return paidWithAmounts(`R${plan.revision}`, 1n, undefined, { nextEndToEndId });
}

function happenings(plan: Plan): readonly PlanCommand[] {
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
      ...recipients.map((recipient): PlanCommand => {
        const endToEndId = idOf(plan, recipient.fingerprint);
        return { type: 'RECIPIENT_REPLACED', stepId, recipient, endToEndId };
      }),
    ];
  }
  const next = nextLinkVersion(step);
  const chosen = (letter: string) =>
    ({ ...submitted(next - 1, letter), endToEndId: idOf(plan, letter) }) as PlanCommand;
  return [
    ...(['DELIVERED', 'FAILED', 'RETURNED'] as const).map((status) => delivery(status, reference)),
    linkMade('FIRST', next),
    linkMade('REOPENED', next),
    { ...linkMade('REISSUED', next), endToEndId: idOf(plan, 'anybody') } as PlanCommand,
    chosen('a'),
    chosen('b'),
  ];
}

/** A payment that the custodian is asked for; undefined while it is asked for none. */
function askedFor(plan: Plan): { readonly account: string; readonly id: string } | undefined {
  const last = plan.steps.at(-1);
  // While a transaction is confirmed or may come back, next asks for nothing.
  if (payableNow(plan) === ZERO || last === undefined || evidenceOf(last) !== undefined) return undefined;
  const isStandard = last.type === 'CUSTODIAN_PAYOUT';
  if (isStandard && last.status !== 'READY') return undefined;
  if (last.type === 'SEND_DIGITAL_COLLECT' && last.delivery?.status !== 'PENDING') return undefined;
  const { fingerprint: account = '' } = (isStandard ? plan.recipient : collectStep(plan)?.destination) ?? {};
  return { account, id: endToEndIdOf(plan) };
}

/** The service names the rest after each part, whoever finds it. */
function partBy(plan: Plan, letter: string, units: bigint, status: Evidence['status']): PlanCommand {
  const proof = { ...evidence(letter, status, units), nonce: letter.charCodeAt(0) };
  const { fingerprint } = plan.recipient;
  const { earlierIds = [] } = lastStep(plan)?.payout ?? {};
  const nextEndToEndId = `${idOf(plan, fingerprint)} ${earlierIds.length + 2}`;
  return { ...paidInPart(proof), nextEndToEndId } as PlanCommand;
}

/** Parts by transactions that are confirmed, taken back, given up and mined again, while accounts change. */
function transactionHappenings(plan: Plan): readonly PlanCommand[] {
  const isOfParts = ({ type }: PlanCommand) => type !== 'PAYOUT_DONE';
  return [
    partBy(plan, 'p', 700n, 'CONFIRMING'),
    partBy(plan, 'p', 700n, 'FINAL'),
    partBy(plan, 'q', 500n, 'FINAL'),
    lost(stepId, 'p'),
    gone(plan, stepId, 'p'),
    ...happenings(plan).filter(isOfParts),
  ];
}

/** Who was asked to be paid under each id, and the ids whose payment came back. */
type Known = { readonly accounts: ReadonlyMap<string, string>; readonly back: ReadonlySet<string> };

function walk(
  plan: Plan,
  { accounts, back }: Known,
  depth: number,
  next: (plan: Plan) => readonly PlanCommand[] = happenings,
): number {
  const asked = askedFor(plan);
  if (asked !== undefined) {
    const { id, account } = asked;
    const paid = standingMovements(plan).filter(({ kind }) => kind === 'PAYOUT');
    assert.ok(!paid.some(({ endToEndId }) => endToEndId === id), `${id} was paid already`);
    assert.equal(accounts.get(id) ?? account, account, `${id} was of another account`);
    assert.ok(!back.has(id), `${id} came back before`);
  }
  const known = asked === undefined ? accounts : new Map([...accounts, [asked.id, asked.account]]);
  if (depth === 0) return 1;
  return next(plan).reduce((count, command) => {
    const decision = decide(plan, command, plan.updatedAtMs + 61_000);
    if (!decision.ok || decision.outcome === 'UNCHANGED') return count;
    const isReturn =
      command.type === 'PAYOUT_RETURNED' ||
      (command.type === 'DELIVERY_REPORTED' && command.status === 'RETURNED');
    const ended = isReturn ? new Set([...back, endToEndIdOf(plan)]) : back;
    return count + walk(decision.plan, { accounts: known, back: ended }, depth - 1, next);
  }, 0);
}

for (const [mode, depth] of [
  ['STANDARD', 9],
  ['DIGITAL_COLLECT', 19],
] as const satisfies readonly (readonly [Mode, number])[])
  test(`${mode}: no two payments share an id of attempt and account`, () => {
    const ways = walk(swappedPlan(mode), { accounts: new Map(), back: new Set() }, depth);
    assert.ok(ways > 1_000, `${ways} ways`);
  });

/** A plan whose swap is final. */
function swappedPlan(mode: Mode): Plan {
  const made: Plan = { ...planAfter([], mode), endToEndId: FIRST[mode] };
  const plan = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)].reduce(after, made);
  assert.equal(swapStep(plan).evidence?.status, 'FINAL');
  return plan;
}

for (const [mode, depth] of [
  ['STANDARD', 8],
  ['DIGITAL_COLLECT', 14],
] as const satisfies readonly (readonly [Mode, number])[])
  test(`${mode}: no two parts share an id, whichever account is paid in between`, () => {
    const isOfParts = ({ type }: PlanCommand) => type !== 'PAYOUT_DONE';
    const next = (plan: Plan) => [partPaid(plan), ...happenings(plan).filter(isOfParts)];
    const ways = walk(swappedPlan(mode), { accounts: new Map(), back: new Set() }, depth, next);
    assert.ok(ways > 1_000, `${ways} ways`);
  });

test('no two parts by transactions share an id, also when the chain takes them back', () => {
  const ways = walk(
    swappedPlan('STANDARD'),
    { accounts: new Map(), back: new Set() },
    7,
    transactionHappenings,
  );
  assert.ok(ways > 1_000, `${ways} ways`);
});
