import {
  collectStep,
  type Notice,
  noticeTruth,
  type Plan,
  type SendDigitalCollectStep,
  payoutOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { MailOrder, PlanScope, QueuedMail } from '@fairway/store';
import { eip55 } from '@fairway/api';
import { filled } from '../../words/locales/filled.ts';
import { catalogueOf } from '../../words/locales/index.ts';
import type { MailTexts } from '../../words/locales/mailTexts.ts';
import {
  type MailFacts,
  type SharedFacts,
  type WrittenMail,
  writeMail,
} from '../../platform/mail/writeMail.ts';
import type { CollectParts } from './parts.ts';
import { type Addressee, addresseeOf, recipientOf } from '../payments/index.ts';
import { payoutToken, shownAmount, shownConversion } from './shownMoney.ts';

/** Writes an e-mail of a plan. `to`: its address. `organisationName`: who it is from. Throws when something that the e-mail needs cannot be read. */
export async function letterOf(
  parts: CollectParts,
  mail: QueuedMail,
): Promise<WrittenMail & { readonly to: string; readonly organisationName: string }> {
  const { scope, planId, order, expiresAtMs } = mail;
  const plan = await planOf(parts, scope, planId);
  const organisation = await parts.organisationOf(scope.organisationId);
  const step = collectStep(plan);
  if (step === undefined) throw new Error('An e-mail belongs to a plan without a SEND_DIGITAL_COLLECT step.');
  const { to, name, locale } = 'to' in order ? order : await addresseeNow(parts, mail, order.kind);
  const { language, mail: texts } = catalogueOf(locale);
  const token = payoutToken(parts, plan);
  if (token === undefined) throw new Error('The decimals of the payout token are not known yet.');
  const { due, paidOut } = payoutOf(plan);
  const paidTo = paidToOf(order, step);
  const { number, unit } = shownAmount(
    plan,
    token,
    order.kind === 'DELIVERED' ? paidOut : due,
    language,
    paidTo,
  );
  const shared: SharedFacts = {
    organisationName: organisation.name,
    ...defined({ name }),
    amount: number,
    unit,
    ...defined({ conversion: shownConversion(parts, plan, token, language, paidTo) }),
    publicUrl: parts.publicUrl(),
    ...defined({ colour: organisation.colour, support: organisation.support }),
  };
  const facts: MailFacts =
    'to' in order
      ? orderFacts(shared, order, expiresAtMs)
      : order.kind === 'REMINDER'
        ? { ...shared, kind: order.kind, expiresAtMs }
        : { ...shared, kind: order.kind, destination: destinationText(step, texts) };
  return { to, organisationName: organisation.name, ...writeMail(facts, locale) };
}

/** The type of the destination that an e-mail is about; undefined where it is still to be chosen. */
function paidToOf(order: QueuedMail['order'], { destination }: SendDigitalCollectStep) {
  if (order.kind === 'CODE') return order.paidTo;
  return order.kind === 'CONFIRMATION' || order.kind === 'DELIVERED' ? destination?.type : undefined;
}

async function planOf({ store }: CollectParts, scope: PlanScope, planId: string): Promise<Plan> {
  const { plan } = await store.payments.loadPlan(scope, planId);
  if (plan === undefined) throw new Error('The plan of an e-mail must be there.');
  return plan;
}

/**
 * The addressee of a notice. The recipient is read before the plan. If the notice is still true for the plan then,
 * its link was not given to another recipient in between. Throws when the notice is not true any more.
 */
async function addresseeNow(
  parts: CollectParts,
  { scope, planId, version }: QueuedMail,
  notice: Notice,
): Promise<Addressee> {
  const read = await recipientOf(parts, scope, planId);
  if (!read.ok) throw new Error('The recipient of a notice cannot be read.');
  const plan = await planOf(parts, scope, planId);
  if (noticeTruth(plan, notice, version) !== 'TRUE') throw new Error('What a notice says is no longer so.');
  return addresseeOf(plan, read.recipient);
}

function orderFacts(shared: SharedFacts, order: MailOrder, expiresAtMs: number): MailFacts {
  if (order.kind === 'CODE') {
    const { kind, code, destination } = order;
    return { ...shared, kind, code, expiresAtMs, destination };
  }
  const { kind, token, message } = order;
  const linkUrl = `${shared.publicUrl}/collect#${token}`;
  return { ...shared, kind, linkUrl, expiresAtMs, ...defined({ message }) };
}

/** The chosen destination in a few words, with enough of its number for the recipient to recognise it. */
function destinationText({ destination }: SendDigitalCollectStep, texts: MailTexts): string {
  switch (destination?.type) {
    case 'bank':
      return filled(texts.destinations.bank, { ending: destination.account.accountNumberLast4 });
    case 'wallet':
      return filled(texts.destinations.wallet, { address: eip55(destination.address) });
    case 'emoney': {
      const { provider, idValueLast4: ending } = destination;
      return filled(texts.destinations.emoney, { provider, ending });
    }
    default:
      throw new Error('The destination is not a bank account, a wallet or an e-money account.');
  }
}
