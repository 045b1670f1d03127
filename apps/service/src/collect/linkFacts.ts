import { toAddress } from '@fairway/engine';
import { type Amount, collectStep, type Plan, type SendDigitalCollectStep } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { Catalogue } from '../locales/catalogue.ts';
import { formatAmount } from '../locales/formats.ts';
import { catalogueOf } from '../locales/index.ts';
import { decimalOf } from '../text/decimalOf.ts';
import type { PaymentParts } from '../payments/paymentParts.ts';
import type { CollectParts } from './collectParts.ts';
import { gonePage, type PaymentFacts } from './pages/index.ts';
import { tokenHash } from './token.ts';

/** A page as an answer. `retryAfterSeconds`: when to try again, where that helps. */
export type Page = { readonly status: number; readonly html: string; readonly retryAfterSeconds?: number };

/** A link that exists, with the facts that all of its pages show. */
export type FoundLink = {
  readonly token: string;
  readonly tokenHash: Buffer;
  readonly scope: PlanScope;
  readonly plan: Plan;
  readonly step: SendDigitalCollectStep;
  readonly version: number;
  readonly facts: PaymentFacts;
  readonly chainName: string;
};

/** LIVE: a link that can be used. USED: a link that was used. GONE: the page that says why there is neither. */
export type LinkLookup =
  | { readonly outcome: 'LIVE' | 'USED'; readonly link: FoundLink }
  | { readonly outcome: 'GONE'; readonly page: Page };

/**
 * Finds the link of a token. A text that is not a token is treated like a token that was never issued: both are looked
 * up by their hash, which no link has, so both take the same work and get the same answer.
 */
export async function lookUp(parts: CollectParts, token: string, fallback: Catalogue): Promise<LinkLookup> {
  const hash = tokenHash(token);
  const found = await parts.store.collect.findLink(parts.environment, hash);
  if (!found.ok) return gone('UNAVAILABLE', fallback);
  if (found.link === undefined) return gone('UNKNOWN', fallback);
  const { scope, planId, version, state } = found.link;
  const loaded = await parts.store.payments.loadPlan(scope, planId);
  const organisation = await parts.organisationOf(scope.organisationId);
  if (!loaded.ok || organisation === undefined) return gone('UNAVAILABLE', fallback);
  const { plan } = loaded;
  const step = plan && collectStep(plan);
  if (plan === undefined || step === undefined) return gone('UNKNOWN', fallback);
  const catalogue = catalogueOf(localeOf(plan) ?? fallback.locale);
  if (state === 'SUPERSEDED') return gone('SUPERSEDED', catalogue, organisation.name);
  if (state === 'CANCELLED') return gone('CANCELLED', catalogue, organisation.name);
  const isCurrent = step.link?.version === version;
  if (state !== 'USED' && (!isCurrent || parts.nowMs() >= step.link.expiresAtMs || state === 'EXPIRED'))
    return gone('EXPIRED', catalogue, organisation.name);
  // Without the token's decimals a wrong amount would be shown.
  if (payoutDecimals(parts, plan) === undefined) return gone('UNAVAILABLE', catalogue, organisation.name);
  const facts: PaymentFacts = {
    catalogue,
    token,
    organisation,
    amount: { text: shownAmount(parts, plan, step.asset.amount, catalogue) },
    expiresAt: new Date(step.link?.expiresAtMs ?? 0),
  };
  const chainName = parts.chains.get(plan.corridor.target.chainId)?.name ?? '';
  const link = { token, tokenHash: hash, scope, plan, step, version, facts, chainName };
  return { outcome: state === 'USED' ? 'USED' : 'LIVE', link };
}

/** When to open a link again that could not be looked up. */
const UNAVAILABLE_SECONDS = 2;

/** The page for a link that cannot be used. */
export function gone(
  kind: Parameters<typeof gonePage>[0]['kind'],
  catalogue: Catalogue,
  organisationName?: string,
): { readonly outcome: 'GONE'; readonly page: Page } {
  const named = organisationName === undefined ? {} : { organisationName };
  const html = gonePage({ catalogue, kind, ...named });
  if (kind === 'UNAVAILABLE')
    return { outcome: 'GONE', page: { status: 503, html, retryAfterSeconds: UNAVAILABLE_SECONDS } };
  return { outcome: 'GONE', page: { status: kind === 'UNKNOWN' ? 404 : 410, html } };
}

/** The language of the e-mails to the recipient; undefined when none was chosen. */
function localeOf({ recipient, options }: Plan): string | undefined {
  return (recipient.type === 'email' ? recipient.locale : undefined) ?? options.collect?.locale;
}

/** An amount of the corridor's payout token as text in the recipient's language, with the currency that is paid. */
export function shownAmount(
  parts: CollectParts,
  plan: Plan,
  amount: Amount,
  { language }: Catalogue,
): string {
  const { currency } = plan.corridor.target;
  return `${formatAmount(language, payoutDecimal(parts, plan, amount), currency)} ${currency}`;
}

/** An amount of the corridor's payout token as a decimal number. Throws while the token has not been read. */
export function payoutDecimal(parts: PaymentParts, plan: Plan, amount: Amount): string {
  const decimals = payoutDecimals(parts, plan);
  if (decimals === undefined) throw new Error('The decimals of the payout token are not known yet.');
  return decimalOf(amount, decimals);
}

/** The decimals of the payout token; undefined until the chain's tokens have been read. */
function payoutDecimals({ chains }: PaymentParts, { corridor }: Plan): number | undefined {
  const { chainId, token } = corridor.target;
  return chains.get(chainId)?.follower.tokens.get(toAddress(token))?.decimals;
}
