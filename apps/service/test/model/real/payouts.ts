// How recipients are paid in a run on a real service: accounts by what the custodian reports, wallets by transfers on the
// chain. A recipient who was e-mailed chooses first.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeIn, postForm, tokenIn } from '../../collectCalls.ts';
import { type PlanAnswer, stepOf } from '../../paymentsHarness.ts';
import { payTogether, sentTo } from './batches.ts';
import { expectedNow } from './books.ts';
import type { Kept, Sent } from './keptTypes.ts';
import { CONFIRMATIONS, emailOf, SETTLEMENT, targetOf, walletOf } from './corridors.ts';
import { PATIENCE_MS, transferOf } from './ground.ts';
import { say, stepPath } from './requests.ts';
import type { Act, Run } from './runTypes.ts';

/** The acts of recipients and custodians, some of them more often. */
export const PAYOUTS: readonly Act[] = [
  { name: 'choose', act: (run) => choose(run), isPossible: (run) => choosing(run).length > 0 },
  { name: 'choose', act: (run) => choose(run), isPossible: (run) => choosing(run).length > 0 },
  { name: 'pay out', act: (run) => payOut(run), isPossible: (run) => due(run).length > 0 },
  { name: 'pay out', act: (run) => payOut(run), isPossible: (run) => due(run).length > 0 },
  { name: 'pay wallets together', act: payAll, isPossible: (run) => payable(run).length > 1 },
  { name: 'pay wallets together', act: payAll, isPossible: (run) => payable(run).length > 1 },
  { name: 'pay a part', act: payPart, isPossible: (run) => divisible(run).length > 0 },
];

const DUE: ReadonlySet<string> = new Set(['PAYOUT_DUE', 'PAYMENT_UNCLEAR', 'PAYMENT_SENT']);
/** Why a recipient is to choose: a link that failed can be used all the same. */
export const CHOOSES: readonly string[] = ['RECIPIENT_CHOOSES', 'LINK_FAILED'];
const choosing = ({ kept }: Run) => kept.filter(({ plan }) => CHOOSES.includes(plan.next?.why ?? ''));
/** The plans whose custodian is to pay now. */
export const due = ({ kept }: Run) => kept.filter(isDue);
const payable = (run: Run) =>
  due(run).filter((one) => one.wallet !== undefined && !isGone(one) && !isBegun(one) && !isShared(run, one));
// The wallet that an e-mailed recipient has chosen is paid by one transfer.
const divisible = (run: Run) => due(run).filter(({ way, wallet }) => way !== 'email' || wallet === undefined);

/** Whether a wallet was sent money since the newest attempt to pay began. */
export function isBegun({ payouts, turn }: Kept): boolean {
  return payouts.some((each) => each.turn === turn);
}

/** Whether another plan pays the same wallet, so that a payment may be taken for one of that plan. */
function isShared({ kept }: Run, one: Kept): boolean {
  return kept.some((other) => other !== one && other.wallet === one.wallet);
}

/** Whether the custodian is to pay now. */
export function isDue(one: Kept): boolean {
  return DUE.has(one.plan.next?.why ?? '') || isGone(one);
}

/** Whether the chain has lost the payment to a wallet, and still has what it was made from. */
export function isGone({ plan, wallet }: Kept): boolean {
  const { why, stepId } = plan.next ?? {};
  const isPayouts = stepId === plan.steps.at(-1)?.stepId;
  const { evidence } = stepOf(plan, 'EXECUTE_SWAP');
  const isSwapped = evidence !== undefined && evidence.status !== 'LOST';
  return wallet !== undefined && why === 'TRANSACTION_LOST' && isPayouts && isSwapped;
}

/** A recipient who was e-mailed chooses a bank account or a wallet. */
export async function choose(run: Run, one: Kept = run.random.pick(choosing(run))): Promise<void> {
  const { random, ground } = run;
  const email = emailOf(one.own);
  const url = random.pick(ground.pages());
  // A recipient who was paid already chooses the same again: a restored database does not know of the payment.
  const isWallet = random.integer(0, 1) === 0 || isBegun(one);
  const wallet = isWallet ? walletOf(one.own) : undefined;
  const fields = wallet === undefined ? BANK : { type: 'wallet', address: wallet, confirmed: 'yes' };
  const { token, before } = await submitted(run, { url, email, fields });
  const code = codeIn({ text: await mailed(run, email, /^\s*\d{6}\s*$/m, before) });
  await confirmed(url, { token, ...fields, code });
  one.wallet = wallet;
  one.isChosen = true;
  if (wallet !== undefined) await tellPayouts(run, one);
}

/**
 * Reports payments to a wallet that the chain has once more: a restored database does not know the reports since its
 * backup. The swap whose money they paid is found first.
 */
export async function tellPayouts(run: Run, one: Kept): Promise<void> {
  const told = new Set<string>();
  for (const payout of one.payouts.filter(({ turn }) => turn === one.turn)) {
    const name = `${payout.txHash} ${payout.amount}`;
    if (told.has(name)) continue;
    told.add(name);
    const place = await placeOf(run, payout);
    if (place === undefined) continue;
    const untilMs = performance.now() + PATIENCE_MS;
    while (!(await isTold(run, one, place))) {
      assert.ok(performance.now() < untilMs, `${payout.txHash} is not believed`);
      await sleep(100);
    }
  }
}

type Receipt = {
  readonly logs: readonly {
    readonly logIndex: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
};
/** How a report names a transfer. */
type Place = { readonly txHash: string; readonly logIndex: number };

/** Where the chain has a payment to a wallet; undefined where it has none. */
async function placeOf({ ground }: Run, { txHash, to, amount }: Sent): Promise<Place | undefined> {
  const receipt = await ground.chain.rpc<Receipt | null>('eth_getTransactionReceipt', [txHash]);
  const log = receipt?.logs.find(
    ({ topics, data }) => topics[2]?.slice(26) === to.slice(2) && BigInt(data) === amount,
  );
  return log === undefined ? undefined : { txHash, logIndex: Number(log.logIndex) };
}

async function isTold(run: Run, one: Kept, place: Place): Promise<boolean> {
  const { status, text, problem, body } = await reported(run, one, 'DONE', place);
  // Another transfer of the same transaction is being confirmed.
  const isLater = problem?.detail?.includes('once it is confirmed') === true;
  if (status === 409 && (problem.code === 'step-not-ready' || isLater)) return false;
  assert.equal(status, 200, text);
  one.plan = body;
  return true;
}

type Choice = { readonly url: string; readonly email: string; readonly fields: Record<string, string> };

/** Sends the form with the newest link. The link of a restored database was perhaps not e-mailed yet. */
async function submitted(run: Run, { url, email, fields }: Choice) {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(100)) {
    const token = tokenIn({ text: await mailed(run, email, /\/collect#/) });
    const before = mailsTo(run, email).length;
    const { status, html } = await postForm(url, 'submit', { token, ...fields });
    // A link that was used shows what was chosen, and asks for no code.
    if (status === 200 && html.includes('name="code"')) return { token, before };
    assert.ok(performance.now() < untilMs, html);
  }
}

/** Confirms a choice. Nothing is chosen while the service catches up with the chain, as after a restore. */
async function confirmed(url: string, fields: Record<string, string>): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(100)) {
    const { status, html } = await postForm(url, 'confirm', fields);
    if (status === 200) return;
    assert.ok(status === 503 && performance.now() < untilMs, html);
  }
}

const BANK = {
  type: 'bank',
  country: 'AU',
  name: 'Jo Citizen',
  'account.bsb': '062-000',
  'account.accountNumber': '12345678',
};

function mailsTo({ ground }: Run, email: string): readonly string[] {
  return ground.mails.messages().flatMap(({ to, text }) => (to === email ? [text] : []));
}

/** The newest e-mail that fits, beyond as many as there were before. */
async function mailed(run: Run, email: string, pattern: RegExp, before = 0): Promise<string> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(25)) {
    const mails = mailsTo(run, email);
    const found = mails.slice(0, mails.length - before).find((text) => pattern.test(text));
    if (found !== undefined) return found;
    assert.ok(performance.now() < untilMs, `No e-mail to ${email} fits ${pattern}`);
  }
}

/** How much a plan has still to pay out, by the second ledger. */
export async function leftOf({ ground, kept, fromBlock }: Run, one: Kept): Promise<bigint> {
  const expected = await expectedNow(ground, kept, fromBlock);
  const token = ground.token(targetOf(one.way)).toLowerCase();
  return expected.get(one.plan.planId)?.funds.get(token)?.outstanding ?? 0n;
}

/** Tells what became of a payment; it has to be believed. */
export async function report(run: Run, one: Kept, what: string, told: object): Promise<PlanAnswer> {
  const answer = await reported(run, one, what, told);
  assert.equal(answer.status, 200, `${JSON.stringify(told)}: ${answer.text}`);
  one.plan = answer.body;
  return answer;
}

/** Tells what became of a payment, which may be refused. */
export function reported(run: Run, one: Kept, what: string, told: object): Promise<PlanAnswer> {
  const type = one.way === 'email' ? 'SEND_DIGITAL_COLLECT' : 'CUSTODIAN_PAYOUT';
  return say(run, stepPath(one, type, 'reports'), { outcome: what, ...told });
}

/** A reference that no other payment of the run has. */
export function reference({ plan, paid: payouts, returned: returns, refunds }: Kept, kind: string): string {
  return `${plan.clientReference} ${kind}${payouts.length + returns.length + refunds.length}`;
}

/** The custodian pays all that is due; `name`: what it calls the payment to an account. */
export async function payOut(
  run: Run,
  one: Kept = run.random.pick(due(run)),
  name: string = reference(one, 'P'),
): Promise<void> {
  const left = await leftOf(run, one);
  if (one.wallet !== undefined) return payWallets(run, one, left);
  const amount = one.isShort ? { amount: String(left) } : {};
  await report(run, one, 'DONE', { providerReference: name, ...amount });
  one.paid.push({ amount: left, turn: one.turn });
  one.isShort = false;
}

/**
 * The custodian sends a wallet money on the chain. A payment of all that is due is found by itself, unless an earlier one is
 * missing; half of them are reported all the same.
 */
async function payWallets(run: Run, one: Kept, amount: bigint, isPart = false): Promise<void> {
  const { ground, random } = run;
  const [txHash = ''] = await ground.batch([
    transferOf(ground.token(targetOf(one.way)), SETTLEMENT, one.wallet ?? '', amount),
  ]);
  // After a reorganisation the next transaction of the custodian may be equal to an earlier one whose money came back.
  if (one.payouts.some((earlier) => earlier.txHash === txHash && earlier.turn < one.turn))
    return payWallets(run, one, amount, isPart);
  const sent = sentTo(one, txHash, amount);
  one.payouts.push(sent);
  const isFound = !isPart && one.plan.next?.why !== 'TRANSACTION_LOST' && !isShared(run, one);
  if (!isFound || random.integer(0, 1) === 0)
    await report(run, one, 'DONE', { ...(await placeOf(run, sent)) });
}

/** The custodian pays a wallet two parts in one transaction, which are reported one after the other, each of them twice. */
async function payInTwo(run: Run, one: Kept, amounts: readonly bigint[]): Promise<void> {
  await payTogether(
    run,
    amounts.map((amount) => ({ one, amount })),
  );
  await run.ground.mine(CONFIRMATIONS);
  await tellPayouts(run, one);
  await tellPayouts(run, one);
}

/** The custodian pays several wallets in one transaction, which nobody reports. */
async function payAll(run: Run): Promise<void> {
  const payments: { one: Kept; amount: bigint }[] = [];
  for (const one of payable(run)) payments.push({ one, amount: await leftOf(run, one) });
  await payTogether(run, payments);
}

/** The custodian pays a part; what is missing is explained, or has to be. */
async function payPart(run: Run): Promise<void> {
  const one = run.random.pick(divisible(run));
  const left = await leftOf(run, one);
  const amount = left / BigInt(run.random.integer(2, 5));
  if (amount === 0n) return;
  if (one.wallet !== undefined && amount % 2n === 0n && !isShared(run, one))
    return payInTwo(run, one, [amount, amount / 2n + 1n]);
  if (one.wallet !== undefined) return payWallets(run, one, amount, true);
  const { chainId } = run.ground.chain;
  const isExplained = run.random.integer(0, 1) === 0;
  const missing = { amount: String(left - amount), asset: { chainId, address: run.ground.token('tAUD') } };
  const deductions = isExplained ? { deductions: [{ ...missing, reason: 'a fee' }] } : {};
  const told = { providerReference: reference(one, 'P'), amount: String(amount), ...deductions };
  const { body } = await report(run, one, 'DONE', told);
  one.paid.push({ amount, turn: one.turn });
  if (isExplained) one.deducted.push(left - amount);
  one.isShort = !isExplained;
  if (one.isShort) assert.equal(body.next?.why, 'PAYMENT_UNCLEAR');
}
