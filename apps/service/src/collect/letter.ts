import { collectStep, type Plan, type SendDigitalCollectStep } from '@fairway/plan';
import type { MailOrder, PlanScope, QueuedMail } from '@fairway/store';
import { eip55 } from '../http/eip55.ts';
import { filled } from '../locales/filled.ts';
import { formatAmount } from '../locales/formats.ts';
import { catalogueOf } from '../locales/index.ts';
import type { MailTexts } from '../locales/mailTexts.ts';
import { type MailFacts, type SharedFacts, type WrittenMail, writeMail } from '../mail/writeMail.ts';
import type { CollectParts } from './collectParts.ts';
import { payoutDecimal } from './linkFacts.ts';
import { type Addressee, addresseeOf, recipientOf } from './links.ts';

/** Writes an e-mail of a plan, and to whom. Throws while something that it is made of cannot be read. */
export async function letterOf(
  parts: CollectParts,
  { scope, planId, order, expiresAtMs }: QueuedMail,
): Promise<WrittenMail & { readonly to: string }> {
  const loaded = await parts.store.payments.loadPlan(scope, planId);
  const organisation = await parts.organisationOf(scope.organisationId);
  if (!loaded.ok || organisation === undefined) throw new Error('The plan of an e-mail cannot be read.');
  const { plan } = loaded;
  const step = plan && collectStep(plan);
  if (plan === undefined || step === undefined) throw new Error('An e-mail belongs to a plan that collects.');
  const addressee = 'to' in order ? order : await readAddressee(parts, scope, plan);
  const { to, name, locale } = addressee;
  const { language, mail: texts } = catalogueOf(locale);
  const { currency } = plan.corridor.target;
  const paid = order.kind === 'DELIVERED' ? step.delivery?.paidAmount : undefined;
  const shared: SharedFacts = {
    organisationName: organisation.name,
    ...(name === undefined ? {} : { name }),
    amount: formatAmount(language, payoutDecimal(parts, plan, paid ?? step.asset.amount), currency),
    currency,
    publicUrl: parts.publicUrl(),
  };
  const facts: MailFacts =
    'to' in order
      ? orderFacts(shared, order, expiresAtMs)
      : order.kind === 'REMINDER'
        ? { ...shared, kind: order.kind, expiresAtMs }
        : { ...shared, kind: order.kind, destination: destinationText(step, texts) };
  return { to, ...writeMail(facts, locale) };
}

async function readAddressee(parts: CollectParts, scope: PlanScope, plan: Plan): Promise<Addressee> {
  const read = await recipientOf(parts, scope, plan);
  if (!read.ok) throw new Error('The recipient of a notice cannot be read.');
  return addresseeOf(plan, read.recipient);
}

function orderFacts(
  shared: SharedFacts,
  { kind, code = '', token = '', message }: MailOrder,
  expiresAtMs: number,
): MailFacts {
  if (kind === 'CODE') return { ...shared, kind, code, expiresAtMs };
  const linkUrl = `${shared.publicUrl}/collect#${token}`;
  return { ...shared, kind, linkUrl, expiresAtMs, ...(message === undefined ? {} : { message }) };
}

/** What was chosen, as far as it is shown: enough to recognise it by. */
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
      throw new Error('What was chosen is a bank account, a wallet or an e-money account.');
  }
}
