import { toAddress } from '@fairway/engine';
import {
  type Amount,
  assetsOf,
  conversionOf,
  type CustodianPayoutStep,
  type Evidence,
  evidenceOf,
  exactAmounts,
  type Hash,
  isLess,
  isPaymentKnown,
  isRepetitionKnown,
  isSamePlace,
  takesRepeatedPayment,
  judgePayout,
  lostPartsOf,
  minorUnitIn,
  type PaidWallet,
  type PayingStep,
  type PayoutTerms,
  type Plan,
  type PlanCommand,
  paidWallet,
  payingState,
  payoutOf,
  paysWallet,
  pendingPayoutsOf,
  referenceKey,
  returnedUnits,
  standingMovements,
  type ReportedReturn,
  type TimeMs,
  type TransactionFacts,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import { type Acting, done, invalidFields, type Outcome, refuse, tryLater } from '@fairway/api';
import { readTransactionFacts } from '../chainFacts.ts';
import { holdCommand } from '../holds.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { payoutAddressesOf } from '../corridors/payoutAddresses.ts';
import { CHAIN_AWAY, chainAway, mismatch } from '../planProblems.ts';
import { inTarget } from '../planWords.ts';
import { AMOUNT_FIELDS, type ReportedAmounts } from '../reportedAmounts.ts';
import type { StepReport, ReportedFacts } from '../stepReport.ts';
import { notMined, sentFacts, takenOf } from './minedFacts.ts';
import { returnedToPayer } from './returnedToPayer.ts';
import { unfit } from './unfit.ts';

/**
 * The command of a report about the payout. `ignored`: transfers that settle something else, by `transferName`.
 */
export async function payoutCommand(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  step: CustodianPayoutStep,
  report: StepReport,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanCommand>> {
  const { outcome, providerReference, failure, hold, txHash, logIndex, amount, occurredAtMs } = report;
  const wrong = unfitPayout(plan, step, report) ?? unfitPayoutCode(failure);
  if (wrong !== undefined) return wrong;
  const told = { stepId: step.stepId, ...defined({ providerReference }) };
  if (outcome === 'FAILED' && failure !== undefined) {
    const waiting = await refuseWhileWaiting(parts, acting.scope, plan);
    return waiting ?? done({ type: 'PAYOUT_FAILED', ...told, failure });
  }
  if (outcome === 'HELD' && hold !== undefined) return done(holdCommand(step, hold, report));
  const facts = { ...told, ...defined({ occurredAtMs }) };
  if (outcome === 'RETURNED') {
    const wrongPlace = await returnedToPayer(parts, plan, providerReference);
    if (wrongPlace !== undefined) return wrongPlace;
    const back = returnedAmounts(parts, plan, report);
    return back.ok
      ? done({ type: 'PAYOUT_RETURNED', ...facts, ...back.value, ...defined({ failure }) })
      : back;
  }
  if (txHash === undefined && isWithAmounts(plan, report)) return reportedPayment(parts, plan, step, report);
  if (txHash === undefined) return done({ type: 'PAYOUT_DONE', ...facts, verification: 'REPORTED' });
  const reported = { txHash, logIndex, amount, occurredAtMs };
  return payoutOnChain(parts, acting, plan, step, reported, ignored, (proof) => ({
    ...({ type: 'PAYOUT_DONE', ...facts } as const),
    ...proof,
  }));
}

/** What a report tells of a payment to an account. */
type ReportedPayment = ReportedFacts & ReportedAmounts;

/**
 * Whether a payment to an account is reported with amounts, or after other payments that may have left a rest. A
 * currency whose smallest unit is larger than that of the token leaves a rest, too.
 */
export function isWithAmounts(plan: Plan, report: ReportedPayment): boolean {
  const { amount, paid, fee, rate, deductions, corrects } = report;
  const tellsAmounts = [amount, paid, fee, rate, deductions, corrects].some((told) => told !== undefined);
  return tellsAmounts || payoutOf(plan).payouts.length > 0 || minorUnitIn(plan) !== undefined;
}

/**
 * The amounts that a report tells of money that came back: in units of the token, if it says so, and in the currency.
 */
export function returnedAmounts(
  parts: PaymentParts,
  plan: Plan,
  { providerReference, amount, returned }: ReportedPayment,
): Outcome<ReportedReturn> {
  if (returned === undefined) return done(defined({ amount }));
  const terms = termsOf(parts, plan);
  if (terms === undefined) return refuse(CHAIN_AWAY);
  const back = returnedUnits(terms, defined({ amount, returned }));
  if (!back.ok) return refuse(invalidFields([{ pointer: `/${back.member}`, detail: back.detail }]));
  // The amount of a return that is recorded is known already.
  const key = referenceKey(providerReference ?? '');
  const isKnown = plan.returns.some((known) => referenceKey(known.providerReference ?? '') === key);
  return done(defined({ amount: isKnown ? amount : back.amount, returned }));
}

/** The terms of a plan's payout; undefined while its chain has not been read. */
function termsOf({ chains }: PaymentParts, { corridor }: Plan): PayoutTerms | undefined {
  const { chainId, token, currency } = corridor.target;
  const decimals = chains.get(chainId)?.follower.tokens.get(toAddress(token))?.decimals;
  const conversion = conversionOf(corridor);
  return decimals === undefined
    ? undefined
    : { token: assetsOf({ corridor }).target, decimals, currency, conversion };
}

/** The command of a report about a payment to an account, in exact units of the token. */
export function reportedPayment(
  parts: PaymentParts,
  plan: Plan,
  { stepId }: PayingStep,
  { providerReference = '', amount, paid, fee, rate, deductions, corrects, occurredAtMs }: ReportedPayment,
): Outcome<PlanCommand> {
  const terms = termsOf(parts, plan);
  if (terms === undefined) return refuse(CHAIN_AWAY);
  const exact = exactAmounts(terms, defined({ amount, paid, deductions }));
  if (!exact.ok) return refuse(invalidFields([{ pointer: `/${exact.member}`, detail: `${exact.detail}` }]));
  const { discharged, deductions: kept } = exact.amounts;
  const isCompared = paid !== undefined && rate === undefined && terms.conversion === 'CUSTODIAN';
  const estimatedRate = isCompared ? parts.rateFor(plan.corridor)?.rate : undefined;
  return done({
    type: 'PAYOUT_REPORTED',
    stepId,
    providerReference,
    ...defined({
      discharged,
      paid,
      fee,
      rate,
      estimatedRate,
      corrects,
      occurredAtMs,
      minorUnit: minorUnitIn(plan),
    }),
    ...(deductions === undefined ? {} : { deductions: kept }),
  });
}

function unfitPayout({ recipient }: Plan, step: CustodianPayoutStep, report: StepReport) {
  const { outcome } = report;
  const onChain = recipient.type === 'wallet' && outcome === 'DONE';
  const isHeld = outcome === 'HELD';
  const needed: readonly (keyof StepReport)[] =
    outcome === 'FAILED' || isHeld ? [] : [onChain ? 'txHash' : 'providerReference'];
  const unused: readonly (keyof StepReport)[] = [
    ...(onChain ? [] : (['txHash', 'logIndex'] as const)),
    ...(onChain || outcome !== 'DONE' ? AMOUNT_FIELDS : []),
    ...(outcome === 'RETURNED' ? [] : (['returned'] as const)),
    ...(isHeld ? (['amount'] as const) : []),
    ...(outcome === 'DONE' ? (['failure'] as const) : []),
  ];
  const told = onChain
    ? 'a payment to a wallet, whose amount the chain shows'
    : `${step.type} with outcome ${outcome}`;
  return unfit(step, report, needed, unused, told);
}

function unfitPayoutCode(failure: StepReport['failure']) {
  if (failure === undefined || !['REVERTED', 'INSTRUCTIONS_EXPIRED'].includes(failure.code)) return undefined;
  const detail = `code must be one of a payout's for CUSTODIAN_PAYOUT, such as ACCOUNT_NOT_FOUND; given ${failure.code}.`;
  return refuse(invalidFields([{ pointer: '/failure/code', detail }]));
}

/** What a report says about the transaction that paid a wallet. */
type ReportedTransfer = {
  readonly txHash: Hash;
  readonly logIndex?: number | undefined;
  readonly amount?: Amount | undefined;
  readonly occurredAtMs?: TimeMs | undefined;
};

/** What a transaction proves about a payout, as the command of the report tells it. */
type PayoutProof = Pick<ProvenPayout, 'verification' | 'evidence'> & {
  readonly part?: true;
};

/**
 * The command of a report that a transaction paid a wallet. One that waits to be mined counts as submitted: it may still pay,
 * so nobody is asked for the payment meanwhile. `commandOf`: of a payment that is due.
 */
export async function payoutOnChain(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  step: PayingStep,
  reported: ReportedTransfer,
  ignored: ReadonlySet<string>,
  commandOf: (proof: PayoutProof) => PlanCommand,
): Promise<Outcome<PlanCommand>> {
  const { stepId } = step;
  const { txHash, occurredAtMs } = reported;
  const sent = await sentFacts(parts, plan, txHash);
  if (!sent.ok) return sent;
  if (sent.value.outcome === 'PENDING') {
    if (payingState(step) !== 'DUE') return refuse(mismatch(notMined(txHash)));
    const { signed } = sent.value;
    const by = signed === undefined ? {} : { sender: signed.sender, nonce: signed.nonce };
    return done({ type: 'EXECUTION_SUBMITTED', stepId, txHash, ...by });
  }
  const paid = await provenPayout(parts, acting, plan, sent.value.facts, reported, ignored);
  if (!paid.ok) return paid;
  const { isPart, isRepeated, verification, evidence } = paid.value;
  if (isRepeated) return done({ type: 'PAYMENT_REPEATED', stepId, evidence, ...defined({ occurredAtMs }) });
  const part = isPart ? ({ part: true } as const) : {};
  return done(commandOf({ verification, evidence, ...part }));
}

/**
 * Why a payment has not failed: a transaction of it waits to be mined, or is mined. One that the chain took back is of it,
 * too. Undefined where the nodes have none of them: then the integrator's word counts.
 */
export async function refuseWhileWaiting(
  parts: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
): Promise<Outcome<never> | undefined> {
  const { chainId } = plan.corridor.target;
  const last = plan.steps.at(-1);
  const evidence = last && evidenceOf(last);
  const lost = evidence?.status === 'LOST' ? [evidence] : [];
  for (const { txHash } of [...pendingPayoutsOf(plan), ...lostPartsOf(plan), ...lost]) {
    const reading = await readTransactionFacts(parts.chains.get(chainId), txHash);
    if (reading.outcome === 'UNREACHABLE' || reading.outcome === 'CONTRADICTED')
      return refuse(chainAway(reading.outcome, chainId));
    if (reading.outcome === 'PENDING') {
      const detail = `The transaction ${txHash} pays the recipient and waits to be mined, so the payment has not failed. Report FAILED once another transaction has replaced it, or no node has it any more.`;
      return refuse(tryLater('execution-in-flight', detail, 30));
    }
    // If the payment failed beside it, the recipient would be paid twice, whatever it pays.
    if (reading.outcome === 'MINED' && (await mayPay(parts, scope, plan, reading.facts)))
      return refuse(
        mismatch(
          `The transaction ${txHash} pays the recipient and is mined: report it first, with logIndex if it pays another amount than is due. If it was for another plan, report it there.`,
        ),
      );
  }
  return undefined;
}

/**
 * Whether a transaction that is mined may have paid the recipient. A transfer that settles another plan of the organisation
 * was for that one.
 */
export async function mayPay(
  { store }: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
  facts: TransactionFacts,
): Promise<boolean> {
  if (!paysWallet(plan, facts)) return false;
  const { chainId, txHash } = facts;
  const logIndexes = facts.transfers.map(({ logIndex }) => logIndex);
  const { settled } = await store.payments.settledByOthers(scope, plan.planId, {
    chainId,
    txHash,
    logIndexes,
  });
  return paysWallet(plan, facts, new Set(settled));
}

/**
 * What a transaction proves about a payout. `isPart`: it is new, and pays less than what is due. `isRepeated`: another
 * transaction paid all that was due.
 */
type ProvenPayout = {
  readonly verification: 'VERIFIED' | 'REPORTED';
  readonly evidence: Evidence;
  readonly isPart: boolean;
  readonly isRepeated: boolean;
};

/**
 * Whether the found transaction is the one that the plan rests on, with the same transfers where its block is the same.
 */
function isOfEvidence(known: Evidence | undefined, found: Evidence): boolean {
  if (known?.txHash !== found.txHash || known.status === 'LOST') return false;
  const isShared = known.transfers.some((each) => found.transfers.some((other) => isSamePlace(each, other)));
  return isShared || known.blockHash !== found.blockHash;
}

/** Whether the ledger has the transfer of a transaction as a payment already. */
function isPayment(plan: Plan, { transfers }: Evidence): boolean {
  return standingMovements(plan).some(
    ({ kind, transfer }) =>
      kind === 'PAYOUT' && transfer !== undefined && transfers.some((each) => isSamePlace(transfer, each)),
  );
}

/** What the chain proves about a reported payout or delivery to a wallet. */
async function provenPayout(
  parts: PaymentParts,
  { scope }: Acting,
  plan: Plan,
  facts: TransactionFacts,
  { txHash, logIndex, amount }: ReportedTransfer,
  ignored: ReadonlySet<string>,
): Promise<Outcome<ProvenPayout>> {
  const taken = takenOf(facts, ignored);
  const payoutAddresses = payoutAddressesOf(parts.corridors, plan);
  const judged = judgePayout(plan, facts, { payoutAddresses, logIndex, taken });
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const { evidence, verification } = judged;
  if (amount !== undefined && amount !== evidence.amount)
    return refuse(
      mismatch(
        `The transaction ${txHash} paid ${inTarget(plan, evidence.amount)}, not ${inTarget(plan, amount)}: report that amount, or name another transfer of it by logIndex.`,
      ),
    );
  const wallet = paidWallet(plan, evidence);
  const isKnown = isOfEvidence(wallet?.evidence, evidence);
  const isNew = !isKnown && !isPayment(plan, evidence);
  if (evidence.transfers.some((each) => isRepetitionKnown(plan, each)))
    return done({ verification, evidence, isPart: false, isRepeated: true });
  if (wallet !== undefined && !isKnown && takesRepeatedPayment(plan)) {
    // A repeated payment takes nothing from other organisations, so that naming the transfer is enough.
    const isKnown = logIndex !== undefined || isPaymentKnown(plan, evidence);
    const doubt = isKnown ? undefined : await doubtOfRepeated(parts, scope, plan, evidence);
    return doubt ?? done({ verification, evidence, isPart: false, isRepeated: true });
  }
  const toldBefore =
    wallet && isNew ? await doubtOfEarlier(parts, scope, plan, { evidence, wallet }) : undefined;
  if (toldBefore !== undefined) return toldBefore;
  const isPart = wallet !== undefined && isNew && isLess(evidence.amount, wallet.due);
  const isMore = wallet !== undefined && isNew && isLess(wallet.due, evidence.amount);
  if (wallet !== undefined && (isMore || isPart)) {
    const doubt = await doubtOf(parts, scope, plan, {
      evidence,
      wallet,
      isNamedPart: isPart && logIndex !== undefined,
    });
    if (doubt !== undefined) return doubt;
  }
  return done({ verification, evidence, isPart, isRepeated: false });
}

/**
 * Whether another transfer to the wallet of a plan may be for another plan, which pays the wallet or may owe it a refund. Then
 * only a report can tell.
 */
async function isMaybeForOthers(
  { store }: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
  evidence: Evidence,
): Promise<boolean> {
  const { chainId, amount, blockNumber } = evidence;
  const wallet = paidWallet(plan, evidence)?.address;
  if (wallet === undefined) return false;
  const sent = { chainId, wallet, token: plan.corridor.target.token, amount, blockNumber };
  const exact = await store.payments.isMaybeOfOthers(scope, plan.planId, sent, 'ANY');
  if (exact.isMaybe) return true;
  return (await store.payments.isPaidByOthers(scope, plan.planId, chainId, wallet)).isPaid;
}

/** Why a transfer to a wallet that was paid may be for something else. */
async function doubtOfRepeated(
  parts: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
  evidence: Evidence,
): Promise<Outcome<never> | undefined> {
  if (!(await isMaybeForOthers(parts, scope, plan, evidence))) return undefined;
  return refuse(
    mismatch(
      `This plan has paid all that was due, and what this transfer pays, ${inTarget(plan, evidence.amount)}, may be the payout or the refund that another plan owes to the same wallet. Report it there, or name the transfer by logIndex if it was for this plan.`,
    ),
  );
}

/** A transfer to a wallet that a plan pays. */
type PaidTransfer = { readonly evidence: Evidence; readonly wallet: PaidWallet };

/** Why a transfer settles another plan, which was told it first and is due just this amount. */
async function doubtOfEarlier(
  { store, nowMs }: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
  { evidence: { chainId, txHash, amount, blockNumber }, wallet: { address } }: PaidTransfer,
): Promise<Outcome<never> | undefined> {
  const { token } = plan.corridor.target;
  const waiting = pendingPayoutsOf(plan).find((each) => each.txHash === txHash);
  const told = { txHash, toldAtMs: waiting?.submittedAtMs ?? nowMs() };
  const sent = { chainId, wallet: address, token, amount, blockNumber };
  const { isTold } = await store.payments.isToldBefore(scope, plan.planId, sent, told);
  if (!isTold) return undefined;
  const detail = `The transaction ${txHash} was reported first for another plan that owes the same wallet this much, so it settles that one. Report the transaction that pays this plan.`;
  return refuse(mismatch(detail));
}

/** A transfer whose amount differs from what is due. `isNamedPart`: a report names it, and it brings less. */
type Unequal = PaidTransfer & { readonly isNamedPart: boolean };

/**
 * Why a transfer whose amount differs from what is due may be for something else. Another plan may owe the wallet just this
 * amount, as a payout or as a refund. Or something else is due there, and the report does not name the transfer as a part of
 * this payout.
 */
async function doubtOf(
  { store }: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
  { evidence: { chainId, amount, blockNumber }, wallet: { address, due }, isNamedPart }: Unequal,
): Promise<Outcome<never> | undefined> {
  const { token } = plan.corridor.target;
  const sent = { chainId, wallet: address, token, amount, blockNumber };
  const exact = await store.payments.isMaybeOfOthers(scope, plan.planId, sent, isNamedPart ? 'OTHER' : 'ANY');
  const paid = `The transfer pays ${inTarget(plan, amount)}, ${inTarget(plan, due)} is due`;
  if (exact.isMaybe)
    return refuse(
      mismatch(
        `${paid}, and another plan may owe the same wallet this much, so it may be for that. Report it again once that is paid or given back.`,
      ),
    );
  if (isNamedPart) return undefined;
  const others = await store.payments.isPaidByOthers(scope, plan.planId, chainId, address);
  if (!others.isPaid) return undefined;
  const remedy = isLess(amount, due)
    ? ' Name the transfer by logIndex if it is for this payout.'
    : ' If it pays this plan and others together, end the others as SETTLED_ELSEWHERE first; then name the transfer by logIndex here.';
  return refuse(
    mismatch(`${paid}, and something else is due to the same wallet, so it may be for that.${remedy}`),
  );
}
