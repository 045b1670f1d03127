import type { TokenInfo } from '@fairway/evm';
import {
  collectStep,
  defined,
  type Plan,
  type RecipientType,
  type SendDigitalCollectStep,
} from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { Catalogue } from '../locales/catalogue.ts';
import { catalogueOf } from '../locales/index.ts';
import type { CollectParts } from './collectParts.ts';
import { gonePage, type PaymentFacts } from './pages/index.ts';
import { payoutToken, shownAmount, shownConversion } from './shownMoney.ts';
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
  /** As they are until a destination is chosen. */
  readonly facts: PaymentFacts;
  readonly payoutToken: TokenInfo;
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
  const paid = payoutToken(parts, plan);
  if (paid === undefined) return gone('UNAVAILABLE', catalogue, organisation.name);
  const facts: PaymentFacts = {
    catalogue,
    token,
    organisation,
    ...defined({
      amount: shownText(plan, step, paid, catalogue),
      conversion: shownConversion(parts, plan, paid, catalogue.language),
    }),
    expiresAt: new Date(step.link?.expiresAtMs ?? 0),
  };
  const chainName = parts.chains.get(plan.corridor.target.chainId)?.name ?? '';
  const link = { token, tokenHash: hash, scope, plan, step, version, facts, payoutToken: paid, chainName };
  return { outcome: state === 'USED' ? 'USED' : 'LIVE', link };
}

/** The facts of a link whose money goes to a destination of this type. A wallet is paid the token itself. */
export function factsFor(
  { facts, plan, step, payoutToken: token }: FoundLink,
  paidTo: RecipientType,
): PaymentFacts {
  if (paidTo !== 'wallet') return facts;
  const { conversion: _ofAccounts, ...rest } = facts;
  return { ...rest, amount: shownText(plan, step, token, facts.catalogue, paidTo) };
}

function shownText(
  plan: Plan,
  { asset }: SendDigitalCollectStep,
  token: TokenInfo,
  { language }: Catalogue,
  paidTo?: RecipientType,
): PaymentFacts['amount'] {
  const { number, unit } = shownAmount(plan, token, asset.amount, language, paidTo);
  return { text: `${number} ${unit}` };
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
