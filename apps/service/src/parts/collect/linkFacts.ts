import type { TokenInfo } from '@fairway/evm';
import {
  canAskForLink,
  collectStep,
  type Plan,
  type RecipientType,
  type SendDigitalCollectStep,
  payoutOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { FoundLink as StoredLink, PlanScope } from '@fairway/store';
import type { Catalogue } from '../../words/locales/catalogue.ts';
import { catalogueOf } from '../../words/locales/index.ts';
import type { CollectParts, KnownOrganisation } from './parts.ts';
import { type Form, keepPage, type PageState } from './pageState.ts';
import { type Asking, gonePage, type PaymentFacts, type ShownOrganisation } from './pages/index.ts';
import { payoutToken, shownAmount, shownConversion, shownToken } from './shownMoney.ts';
import { tokenHash } from '../payments/index.ts';

/** A page as an answer. `retryAfterSeconds`: when to try again, where that helps. */
export type Page = { readonly status: number; readonly html: string; readonly retryAfterSeconds?: number };

/**
 * A posted form. `catalogue`: the language while the link's own is not known. `retryState`: seals the state of the page
 * that says that the form cannot be answered now, so that a reload tries again.
 */
export type Visit = {
  readonly form: Form;
  readonly catalogue: Catalogue;
  readonly retryState: () => PageState;
};

/** Answers a posted form with a page. */
export type FormHandler = (parts: CollectParts, visit: Visit) => Promise<Page>;

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
  /** The page that is answered while the service cannot go on. */
  readonly unavailable: Page;
};

/** A link that has ended, and its plan. */
export type EndedLink = Pick<FoundLink, 'scope' | 'plan' | 'step' | 'version'>;

/**
 * LIVE: a link that can be used. USED: a link that was used. GONE: the page that says why there is neither; `ended` is the
 * link, where there was one.
 */
export type LinkLookup =
  | { readonly outcome: 'LIVE' | 'USED'; readonly link: FoundLink }
  | { readonly outcome: 'GONE'; readonly page: Page; readonly ended?: EndedLink };

/**
 * Finds the link of a posted token. A text that is not a token is treated like a token that was never issued. Both
 * are looked up by their hash, which no link has, so both take the same work and get the same answer.
 */
export async function lookUp(parts: CollectParts, visit: Visit): Promise<LinkLookup> {
  const { form, catalogue: fallback } = visit;
  const hash = tokenHash(form.get('token') ?? '');
  const found = await parts.store.collect.findLink(parts.environment, hash);
  if (found.link === undefined) return { outcome: 'GONE', page: unknownPage(fallback) };
  const { scope, planId } = found.link;
  const { plan } = await parts.store.payments.loadPlan(scope, planId);
  const organisation = await parts.organisationOf(scope.organisationId);
  if (plan === undefined || collectStep(plan) === undefined)
    return { outcome: 'GONE', page: unknownPage(fallback) };
  return lookAt(parts, visit, { stored: found.link, hash, plan, organisation });
}

type StoredParts = {
  readonly stored: StoredLink;
  readonly hash: Buffer;
  readonly plan: Plan;
  readonly organisation: KnownOrganisation;
};

function lookAt(
  parts: CollectParts,
  { form, catalogue: fallback, retryState }: Visit,
  { stored, hash, plan, organisation }: StoredParts,
): LinkLookup {
  const { scope, version } = stored;
  const step = collectStep(plan);
  if (step === undefined) throw new Error('A plan without a SEND_DIGITAL_COLLECT step has no links.');
  const catalogue = catalogueOf(localeOf(plan) ?? fallback.locale);
  const token = form.get('token') ?? '';
  const end = endOf(stored, step, parts.nowMs());
  // What became of the payment of another recipient is told to nobody else.
  const kind = stored.isReaddressed === true ? 'READDRESSED' : end;
  if (kind !== undefined) {
    const ended = { scope, plan, step, version };
    return {
      outcome: 'GONE',
      page: endedPage(parts, { ended, kind, catalogue, organisation, token }),
      // A stranger with a link that was meant for another mailbox cannot ask for one.
      ...defined({ ended: kind === 'READDRESSED' ? undefined : ended }),
    };
  }
  // Without the token's decimals a wrong amount would be shown.
  const paid = payoutToken(parts, plan);
  const unavailable = unavailablePage(catalogue, retryState(), organisation);
  if (paid === undefined) return { outcome: 'GONE', page: unavailable };
  const facts: PaymentFacts = {
    catalogue,
    token,
    organisation,
    ...defined({
      amount: shownText(plan, paid, catalogue),
      conversion: shownConversion(parts, plan, paid, catalogue.language),
    }),
    walletToken: shownToken(parts, plan, paid),
    settlementTime: plan.corridor.settlementTime,
    expiresAt: new Date(step.link?.expiresAtMs ?? 0),
  };
  const { chainName } = facts.walletToken;
  const rest = { facts, payoutToken: paid, chainName, unavailable };
  const link = { token, tokenHash: hash, scope, plan, step, version, ...rest };
  return { outcome: stored.state === 'USED' ? 'USED' : 'LIVE', link };
}

type EndKind = 'EXPIRED' | 'CANCELLED' | 'SUPERSEDED' | 'READDRESSED';

/** How a link ended; undefined for one that can be used, or was. */
function endOf(
  { state, version }: StoredLink,
  { link }: SendDigitalCollectStep,
  nowMs: number,
): Exclude<EndKind, 'READDRESSED'> | undefined {
  if (state === 'SUPERSEDED' || state === 'CANCELLED' || state === 'EXPIRED') return state;
  const isCurrent = link?.version === version;
  return state !== 'USED' && (!isCurrent || nowMs >= link.expiresAtMs) ? 'EXPIRED' : undefined;
}

/** The page of a link that has ended, and that it can be asked for another one where that may help. */
function endedPage(
  parts: CollectParts,
  {
    ended: { plan, step },
    kind,
    catalogue,
    organisation,
    token,
  }: {
    readonly ended: EndedLink;
    readonly kind: EndKind;
    readonly catalogue: Catalogue;
    readonly organisation: KnownOrganisation;
    readonly token: string;
  },
): Page {
  const html = gonePage({
    catalogue,
    kind,
    organisation,
    pageState: keepPage(parts, 'open', new URLSearchParams({ token })),
    ...defined({ asking: kind === 'READDRESSED' ? undefined : askingOf({ plan, step, token }) }),
  });
  return { status: 410, html };
}

/** Whether another link can be asked for, or when one was asked for. Undefined where asking does not help. */
export function askingOf({
  plan,
  step,
  token,
}: Pick<FoundLink, 'plan' | 'step' | 'token'>): Asking | undefined {
  if (!canAskForLink(plan)) return undefined;
  const askedAtMs = step.link?.requestedAtMs;
  return { token, ...defined({ askedAt: askedAtMs === undefined ? undefined : new Date(askedAtMs) }) };
}

/** The page of a link that has no more codes. It shows nothing of what was entered. */
export function spentPage(parts: CollectParts, link: FoundLink): Page {
  const { catalogue, organisation, token } = link.facts;
  const html = gonePage({
    catalogue,
    kind: 'SPENT',
    organisation,
    pageState: keepPage(parts, 'open', new URLSearchParams({ token })),
    ...defined({ asking: askingOf(link) }),
  });
  return { status: 409, html };
}

/** The facts of a link whose money goes to a destination of this type. A wallet is paid the token itself. */
export function factsFor(
  { facts, plan, payoutToken: token }: FoundLink,
  paidTo: RecipientType,
): PaymentFacts {
  if (paidTo !== 'wallet') return facts;
  const { conversion: _ofAccounts, ...rest } = facts;
  return { ...rest, amount: shownText(plan, token, facts.catalogue, paidTo) };
}

function shownText(
  plan: Plan,
  token: TokenInfo,
  { language }: Catalogue,
  paidTo?: RecipientType,
): PaymentFacts['amount'] {
  const { number, unit } = shownAmount(plan, token, payoutOf(plan).due, language, paidTo);
  return { text: `${number} ${unit}` };
}

/** When to open a link again that could not be looked up. */
const UNAVAILABLE_SECONDS = 2;

/** The page while a link cannot be looked up. `retryState`: what a reload shows; without it, the question for the link. */
export function unavailablePage(
  catalogue: Catalogue,
  retryState?: PageState,
  organisation?: ShownOrganisation,
): Page {
  const html = gonePage({
    catalogue,
    kind: 'UNAVAILABLE',
    ...defined({ pageState: retryState, organisation }),
  });
  return { status: 503, html, retryAfterSeconds: UNAVAILABLE_SECONDS };
}

function unknownPage(catalogue: Catalogue): Page {
  return { status: 404, html: gonePage({ catalogue, kind: 'UNKNOWN' }) };
}

/** The language of the e-mails to the recipient; undefined when none was chosen. */
function localeOf({ recipient, options }: Plan): string | undefined {
  return (recipient.type === 'email' ? recipient.locale : undefined) ?? options.collect?.locale;
}
