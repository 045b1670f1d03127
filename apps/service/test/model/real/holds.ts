// Custodians hold payments back in a run on a real service. A hold is reported, reported again, and ended by each kind of report.
// It outlives reports of other payments. It moves no money.
import assert from 'node:assert/strict';
import type { PaymentPlan } from '@fairway/wire';
import type { PlanAnswer } from '../../paymentsHarness.ts';
import type { Kept } from './keptTypes.ts';
import { due, isBegun, isGone, leftOf, payOut, reference, report, reported } from './payouts.ts';
import { failNow, isTellable } from './rounds.ts';
import { type Act, canForget, type Run } from './runTypes.ts';

/** The acts of custodians that hold payments back, some of them more often. */
export const HOLDS: readonly Act[] = [
  { name: 'hold', act: hold, isPossible: (run) => holdable(run).length > 0 },
  { name: 'hold', act: hold, isPossible: (run) => holdable(run).length > 0 },
  { name: 'hold', act: hold, isPossible: (run) => holdable(run).length > 0 },
  { name: 'hold', act: holdAnew, isPossible: (run) => held(run).length > 0 },
  { name: 'end a hold', act: endHold, isPossible: (run) => held(run).length > 0 },
  { name: 'end a hold', act: endHold, isPossible: (run) => held(run).length > 0 },
  { name: 'end a hold', act: endHold, isPossible: (run) => held(run).length > 0 },
  { name: 'report beside a hold', act: reportBeside, isPossible: (run) => besides(run).length > 0 },
  { name: 'report beside a hold', act: reportBeside, isPossible: (run) => besides(run).length > 0 },
];

// The chain may show a payment to a wallet that a restored database does not know. Such a payment is no longer held.
const holdable = (run: Run) =>
  due(run).filter((one) => one.wallet === undefined || (!isBegun(one) && !isGone(one) && !canForget(run)));
const held = ({ kept }: Run) => kept.filter(({ plan }) => plan.next?.why === 'PAYOUT_HELD');
const besides = (run: Run) =>
  held(run).filter((one) => one.wallet === undefined && one.hold?.providerReference !== undefined);

/** The hold that a plan shows. */
function holdIn({ steps }: PaymentPlan): NonNullable<PaymentPlan['steps'][number]['hold']> | undefined {
  return steps.at(-1)?.hold;
}

async function hold(run: Run): Promise<string> {
  return tellHold(run, run.random.pick(holdable(run)));
}

/** The custodian asks for something else, or names the payment by now. */
async function holdAnew(run: Run): Promise<string> {
  return `anew ${await tellHold(run, run.random.pick(held(run)))}`;
}

/** Tells a hold twice: the second report changes nothing. */
async function tellHold(run: Run, one: Kept): Promise<string> {
  const { random } = run;
  const name = random.integer(0, 1) === 0 ? undefined : `${reference(one, 'H')}-${one.plan.revision}`;
  const reason = random.pick(['COMPLIANCE_REVIEW', 'INFORMATION_REQUIRED', 'BANK_DELAY', 'OTHER']);
  const needs = random.pick([[], ['the invoice']]);
  const named = name === undefined ? {} : { providerReference: name };
  const told = { hold: { reason, needs }, ...named };
  await report(run, one, 'HELD', told);
  one.hold = named;
  const first = holdIn(one.plan);
  assert.deepEqual([first?.reason, first?.needs, first?.providerReference], [reason, needs, name]);
  await report(run, one, 'HELD', told);
  assert.deepEqual(holdIn(one.plan), first, 'the same hold again is the same hold');
  return `${name === undefined ? 'a' : 'a named'} payment to ${one.way}`;
}

/** What becomes of a payment that was held: it is made in whole or in part, it fails, or it is on its way again. */
async function endHold(run: Run): Promise<string> {
  const one = run.random.pick(held(run));
  const name = one.hold?.providerReference;
  const isAccount = one.wallet === undefined;
  const ends = [
    ...(['paid', 'paid'] as const),
    ...(isAccount ? (['paid in part'] as const) : []),
    ...(isTellable(run, one) ? (['failed'] as const) : []),
    ...(isAccount && one.way === 'email' && !one.isShort ? (['sent'] as const) : []),
  ];
  const end = run.random.pick(ends);
  one.hold = undefined;
  if (end === 'paid') await payOut(run, one, name);
  if (end === 'failed') await failNow(run, one, name);
  if (end === 'sent') await report(run, one, 'SENT', {});
  if (end === 'paid in part') await payPartOf(run, one, name);
  if (isAccount) assert.equal(holdIn(one.plan), undefined, `a payment that is ${end} is not held`);
  return `as ${end} to ${one.way}`;
}

/** An account is paid half of what is due, and nobody explains the rest. */
async function payPartOf(run: Run, one: Kept, name: string | undefined): Promise<void> {
  const amount = (await leftOf(run, one)) / 2n;
  assert.ok(amount > 0n);
  const providerReference = name ?? reference(one, 'P');
  await report(run, one, 'DONE', { providerReference, amount: String(amount) });
  one.paid.push({ amount, turn: one.turn });
  one.isShort = true;
}

/** Reports of other payments are refused where the one that is held would be forgotten, and leave its hold elsewhere. */
async function reportBeside(run: Run): Promise<string> {
  const one = run.random.pick(besides(run));
  const before = holdIn(one.plan);
  const other = reference(one, 'P');
  const left = await leftOf(run, one);
  const failure = { code: 'OTHER' };
  const refused = [
    await reported(run, one, 'DONE', { providerReference: other, amount: String(left) }),
    await reported(run, one, 'FAILED', { providerReference: `${other} failed`, failure }),
    ...(one.way === 'email' ? [await reported(run, one, 'SENT', { providerReference: other })] : []),
    ...(one.paid.some(({ turn }) => turn === one.turn)
      ? [await reported(run, one, 'RETURNED', { providerReference: reference(one, 'R'), amount: '1' })]
      : []),
  ];
  for (const answer of refused) assertRefused(answer);
  await payPartOf(run, one, other);
  assert.deepEqual(holdIn(one.plan), before, 'a part of another payment leaves the hold');
  return `of a payment to ${one.way}`;
}

function assertRefused({ status, problem, text }: PlanAnswer): void {
  assert.deepEqual([status, problem.code], [409, 'step-not-ready'], text);
  assert.match(problem.detail ?? '', /is held by .* and may still be made/);
}
