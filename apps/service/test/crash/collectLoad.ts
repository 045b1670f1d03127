import { setTimeout as sleep } from 'node:timers/promises';
import type { Recipient } from '@fairway/plan';
import type { PaymentStep } from '@fairway/wire';
import { catalogueOf } from '../../src/words/locales/index.ts';
import { germanIban } from '../bankNumbers.ts';
import { codeIn, otherCode, postForm, tokenIn } from '../collectCalls.ts';
import { freshAccount } from '../paymentCalls.ts';
import { type LoadTarget, refresh, say, simulate, type Told } from './asking.ts';
import type { Acknowledged, Submitted } from './ledger.ts';
import { payWallet } from './walletPayments.ts';

/** Acts as recipient, integrator or custodian of a plan that collects, at random. */
export function collect(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const step = known.plan.steps.at(-1);
  const { link } = step?.collect ?? {};
  if (step === undefined || link === undefined) return refresh(target, known, told);
  const again = () => say(target, known, `/v1/payments/${known.plan.planId}/again`, {}, told);
  const dice = target.random.integer(1, 100);
  if (step.status === 'FAILED') return again();
  if (link.state === 'SUBMITTED')
    return dice <= 70 ? reportDelivery(target, known, step, told) : fillIn(target, known, told);
  if (dice <= 6) return again();
  if (dice <= 12) return readdress(target, known, told);
  return fillIn(target, known, told);
}

let addresses = 0;

/** An e-mail address that nothing else uses. */
export function freshAddress(): string {
  return `crash-${(addresses += 1)}@example.com`;
}

function readdress(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const { planId } = known.plan;
  const recipient = { type: 'email', email: freshAddress(), name: 'Orla Finch' } as const;
  target.ledger.address(planId, recipient);
  return say(target, known, `/v1/payments/${planId}/again`, { recipient }, told);
}

/** Pays a wallet on the chain, which the sandbox simulates; for an account, reports the custodian's payment. */
function reportDelivery(
  target: LoadTarget,
  known: Acknowledged,
  step: PaymentStep,
  told: Told,
): Promise<void> {
  const { random } = target;
  const { planId } = known.plan;
  const { stepId, collect: { destinationType } = { rounds: [] } } = step;
  if (destinationType === 'wallet' && random.integer(1, 2) === 1) return payWallet(target, known, step, told);
  if (destinationType === 'wallet') {
    const event = random.pick(['payout.done', 'payout.failed', 'payout.failed', 'payout.returned']);
    return simulate(target, known, `/v1/payments/${planId}/steps/${stepId}`, event, told);
  }
  const providerReference = `PAID ${planId.slice(-12)}`;
  const report = random.pick([
    { outcome: 'SENT' },
    { outcome: 'HELD', hold: { reason: 'COMPLIANCE_REVIEW' } },
    { outcome: 'DONE', providerReference },
    { outcome: 'DONE', providerReference: `${providerReference} in part`, amount: '1000000' },
    // After a failure the recipient is asked again, with another link.
    ...[1, 2].map(() => ({ outcome: 'FAILED', failure: { code: 'ACCOUNT_NOT_FOUND' } })),
    { outcome: 'RETURNED', providerReference },
    { outcome: 'RETURNED', providerReference: `BACK ${planId.slice(-12)}`, amount: '1000000' },
  ]);
  return say(target, known, `/v1/payments/${planId}/steps/${stepId}/reports`, report, told);
}

/** Opens a link from the mailbox, submits a destination or confirms one that was submitted. */
async function fillIn(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const { random, ledger } = target;
  const [token] = await found(target, known, tokenIn);
  if (token === undefined) return refresh(target, known, told);
  const earlier = ledger.submissionsOf(known.plan.planId).filter((each) => each.token === token);
  if (earlier.length > 0 && random.integer(1, 8) > 1)
    return confirm(target, known, random.pick(earlier), told);
  if (random.integer(1, 4) === 1) {
    await post(target, 'open', { token, fields: {} }, told);
    return refresh(target, known, told);
  }
  const submitted = { token, ...freshDestination(random.pick(['bank', 'wallet'])) };
  ledger.submit(known.plan.planId, submitted);
  const { status } = await post(target, 'submit', submitted, told);
  if (status === 200) await confirm(target, known, submitted, told);
}

const CODE_PATIENCE = 6;

/** Confirms a submission, sometimes with a wrong code. */
async function confirm(
  target: LoadTarget,
  known: Acknowledged,
  submitted: Submitted,
  told: Told,
): Promise<void> {
  const isWrong = target.random.integer(1, 10) === 1;
  for (let tries = 0; tries < CODE_PATIENCE; tries++) {
    const [code] = await found(target, known, codeIn);
    if (code === undefined) {
      await sleep(100);
      continue;
    }
    await post(target, 'confirm', submitted, told, { code: isWrong ? otherCode(code) : code });
    break;
  }
  return refresh(target, known, told);
}

/** Tokens or codes in the e-mails of a plan, newest first. */
async function found(
  { ledger, mailroom, callers }: LoadTarget,
  { organisation, plan }: Acknowledged,
  read: (letter: { text: string }) => string,
): Promise<readonly string[]> {
  const [first] = callers[organisation] ?? [];
  if (first === undefined) return [];
  const letters = await mailroom.lettersTo(ledger.addressesOf(plan.planId), first);
  const wanted = read === tokenIn ? /\/collect#/ : /^\s*\d{6}\s*$/m;
  return letters.filter(({ text }) => wanted.test(text)).map(read);
}

function freshDestination(type: 'bank' | 'wallet'): Omit<Submitted, 'token'> {
  if (type === 'wallet') {
    const address = freshAccount() as `0x${string}`;
    return {
      fields: { type, address, confirmed: 'yes' },
      destination: { type, chainId: 31337, address },
    };
  }
  const [iban, name, country] = [germanIban(), 'Jo Citizen', 'DE'];
  return {
    fields: { type, country, name, 'account.iban': iban },
    destination: { type, name, country, account: { iban } } satisfies Recipient,
  };
}

const RECEIPTS = Object.values(catalogueOf('en').pages.receipt.status).map(({ title }) => title);

/** Posts a form to any of the services. An answer with a receipt shows that the link was used. */
async function post(
  { random, ledger, pages }: LoadTarget,
  step: string,
  { token, fields }: Pick<Submitted, 'token' | 'fields'>,
  told: Told,
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number }> {
  const { status, title, html } = await postForm(random.pick(pages), step, { token, ...fields, ...more });
  told({ status, text: html });
  if (status === 200 && RECEIPTS.includes(title)) ledger.confirm(token);
  return { status };
}
