import { cutText } from '@fairway/values';
import type { CollectParts } from './parts.ts';
import type { PageState } from './pages/index.ts';

export type { PageState };

/** The posted fields of a form. */
export type Form = URLSearchParams;

/**
 * What a page is shown again by: the form whose answer it is, or, where that form did something, a form that only shows.
 */
export type ShownStep = 'open' | 'choose' | 'details' | 'review' | 'code';

/** How long a page can be shown again. */
const PAGE_LIFE_MS = 60 * 60_000;
/** More than a recipient has to give. When a form is longer, only the choice is kept. */
export const MOST_KEPT = { characters: 8_192 } as const;
/** Fields that are about one posting: a recipient who comes back enters them anew. */
const NOT_KEPT = ['code', 'own', 'confirmed', 'resend', 'state'];

type KeptPage = { readonly step: ShownStep; readonly form: string; readonly madeAtMs: number };

type Parts = Pick<CollectParts, 'store' | 'environment' | 'nowMs'>;

/** Makes the state of a page. */
export function keepPage(parts: Parts, step: ShownStep, form: Form): PageState {
  const { store, environment, nowMs } = parts;
  const given = new URLSearchParams(form);
  for (const name of NOT_KEPT) given.delete(name);
  const isLong = String(given).length > MOST_KEPT.characters;
  const kept: KeptPage = {
    step,
    form: String(isLong ? onlyChosen(given) : given),
    madeAtMs: nowMs(),
  };
  return pageStateOf(parts, store.pageStates.seal(environment, JSON.stringify(kept)));
}

/** A state that the browser posted, to be kept once more. */
export function pageStateOf({ store }: Pick<Parts, 'store'>, sealed: string): PageState {
  return { sealed, key: store.pageStates.typingKey(sealed) };
}

function onlyChosen(form: Form): Form {
  const chosen = ['token', 'type', 'country'].map((name) => [name, cutText(form.get(name) ?? '', 256)]);
  return new URLSearchParams(chosen);
}

/**
 * The page that a posted state stands for; undefined for a text that is no state of this service, and for an old state.
 * `typed`: the sealed text that was typed into the page, but not posted.
 */
export function openPage(
  { store, environment, nowMs }: Parts,
  posted: Form,
): { readonly step: ShownStep; readonly form: Form } | undefined {
  const sealed = posted.get('state') ?? '';
  const text = store.pageStates.open(environment, sealed);
  if (text === undefined) return undefined;
  const { step, form: given, madeAtMs } = JSON.parse(text) as KeptPage;
  if (nowMs() - madeAtMs >= PAGE_LIFE_MS) return undefined;
  const form = new URLSearchParams(given);
  const typed = store.pageStates.openTyped(sealed, posted.get('typed') ?? '');
  return typed === undefined ? { step, form } : withTyped(step, form, typed);
}

/** A page with what was typed into it. Mistakes that it showed were in what was typed before. */
function withTyped(step: ShownStep, form: Form, typed: string): { step: ShownStep; form: Form } {
  if (step === 'open' || step === 'code') return { step, form };
  const newer = new URLSearchParams(typed);
  newer.set('token', form.get('token') ?? '');
  return { step: step === 'review' ? 'details' : step, form: newer };
}
