import { collectRequestsOf, type Recipient, type RecipientType } from '@fairway/plan';
import { defined } from '@fairway/values';
import { LIMITS, type RecipientSchema } from '@fairway/wire';
import { destinationSchema, offeredTypes, refuseDepositAddress } from '../payments/index.ts';
import { plainLine } from '@fairway/api';
import type { CollectParts } from './parts.ts';
import { factsFor, type FormHandler, type FoundLink, lookUp, type Page } from './linkFacts.ts';
import { type Form, keepPage } from './pageState.ts';
import { type DestinationChoice, destinationPage, detailsPage, readForm } from './pages/index.ts';
import { receipt } from './receipt.ts';
import { shownDestination } from './shownDestination.ts';

/**
 * The page that asks where the money should go. `form`: what was chosen before. `isEnteredAnew`: the page explains why the
 * details have to be entered again.
 */
export function choicePage(
  parts: CollectParts,
  link: FoundLink,
  form: Form,
  problem?: 'NO_TYPE' | 'NO_COUNTRY',
  isEnteredAnew?: boolean,
): Page {
  const { message } = link.plan.options.collect ?? {};
  const [type, country] = [form.get('type'), form.get('country')];
  return {
    status: problem === undefined ? 200 : 400,
    html: destinationPage({
      ...link.facts,
      pageState: keepPage(parts, 'choose', withToken(form, link)),
      ...defined({
        message: message === undefined ? undefined : plainLine(message, LIMITS.collectMessageLength),
        failed: failedRound(link),
      }),
      choices: choicesOf(link),
      given: { ...(type === null ? {} : { type }), ...(country === null ? {} : { country }) },
      ...defined({ problem, isEnteredAnew }),
    }),
  };
}

/** Copies a form and sets the link's token in it. The posted form may have no token, or one within other text. */
function withToken(form: Form, { token }: FoundLink): Form {
  const kept = new URLSearchParams(form);
  kept.set('token', token);
  return kept;
}

/** Where the round before should have paid, and why its payment failed or came back; undefined if it did neither. */
function failedRound({
  plan,
  facts,
  chainName,
}: FoundLink): { readonly destination: string; readonly why: string } | undefined {
  const before = collectRequestsOf(plan).at(-2);
  const { destination, delivery } = before ?? {};
  const isFailed = delivery?.status === 'FAILED' || delivery?.status === 'RETURNED';
  if (!isFailed || destination === undefined || destination.type === 'email') return undefined;
  const { failures } = facts.catalogue.pages;
  const known: Readonly<Record<string, string | undefined>> = failures;
  const code = delivery.failure?.code ?? '';
  const why = Object.hasOwn(known, code) ? known[code] : undefined;
  const fallback = delivery.status === 'RETURNED' ? failures.RETURNED : failures.OTHER;
  return {
    destination: shownDestination(facts.catalogue.pages, destination, chainName),
    why: why ?? fallback,
  };
}

/** The destinations that can be chosen, with what their fields need. */
function choicesOf(link: FoundLink): readonly DestinationChoice[] {
  const { plan } = link;
  const { destinations, target } = plan.corridor;
  return offeredTypes(plan).map((type): DestinationChoice => {
    switch (type) {
      case 'wallet':
        return { type, amountText: factsFor(link, type).amount.text };
      case 'bank':
        return { type, countries: destinations?.bankCountries ?? [] };
      case 'emoney':
        return { type, currency: target.currency };
    }
  });
}

/** The type of the chosen destination and its schema. */
export type Choice = {
  readonly type: RecipientType;
  readonly country: string | undefined;
  readonly schema: RecipientSchema;
};

/** What was chosen, or the page that asks for the choice again. */
type Chosen =
  | { readonly ok: true; readonly choice: Choice }
  | { readonly ok: false; readonly problem: 'NO_TYPE' | 'NO_COUNTRY' };

function chosen(link: FoundLink, form: Form): Chosen {
  const offered = choicesOf(link).find(({ type }) => type === form.get('type'));
  if (offered === undefined) return { ok: false, problem: 'NO_TYPE' };
  const { type } = offered;
  const country = form.get('country') ?? undefined;
  if (type === 'bank' && (country === undefined || !offered.countries.includes(country)))
    return { ok: false, problem: 'NO_COUNTRY' };
  return {
    ok: true,
    choice: { type, country, schema: destinationSchema(link.plan.corridor, type, country) },
  };
}

/**
 * Makes a handler that runs a step for a link that can still be used. For any other link it answers the link's page.
 */
export function onLive(
  step: (parts: CollectParts, link: FoundLink, form: Form) => Promise<Page> | Page,
): FormHandler {
  return async (parts, visit) => {
    const found = await lookUp(parts, visit);
    if (found.outcome === 'GONE') return found.page;
    if (found.outcome === 'USED') return receipt(parts, found.link);
    return step(parts, found.link, visit.form);
  };
}

/** A step once a destination was chosen. */
export type ChosenStep = (
  parts: CollectParts,
  link: FoundLink,
  form: Form,
  choice: Choice,
) => Promise<Page> | Page;

/** Makes a handler that runs a step once a destination was chosen. Until then it answers the page of choices. */
export function onChosen(step: ChosenStep): FormHandler {
  return onLive((parts, link, form) => {
    const read = chosen(link, form);
    return read.ok ? step(parts, link, form, read.choice) : choicePage(parts, link, form, read.problem);
  });
}

type ReadDestination =
  | { readonly ok: true; readonly recipient: Recipient }
  | { readonly ok: false; readonly page: Page };

/** The destination that a form gives, or the page that shows the mistakes in it. */
export function readDestination(
  parts: CollectParts,
  link: FoundLink,
  form: Form,
  { type, country, schema }: Choice,
): ReadDestination {
  const given = readForm(form, schema);
  const { corridor, options } = link.plan;
  const read = refuseDepositAddress(
    parts.corridors.readDestination(corridor, type, country, given),
    options.depositAddress,
  );
  if (read.ok) return read;
  const html = detailsPage({
    ...factsFor(link, type),
    pageState: keepPage(parts, 'review', form),
    schema,
    given,
    errors: read.errors,
  });
  return { ok: false, page: { status: 400, html } };
}
