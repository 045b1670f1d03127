import { type Rate, rateOf } from '@fairway/plan';

/** The rate at a place of a document, or why there is none. */
export type FoundRate =
  | { readonly ok: true; readonly rate: Rate }
  | { readonly ok: false; readonly failure: 'NOT_JSON' | 'NO_VALUE' | 'NOT_A_RATE' };

/**
 * The rate that a JSON document has at a pointer (RFC 6901): a decimal number, or a text that is one. A number is taken
 * as it is written, and never becomes a floating point number.
 */
export function rateAt(document: string, pointer: string): FoundRate {
  const parsed = parseExactly(document);
  if (!parsed.ok) return { ok: false, failure: 'NOT_JSON' };
  const value = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(memberOf, parsed.value);
  if (value === undefined) return { ok: false, failure: 'NO_VALUE' };
  const rate = typeof value === 'string' ? rateOf(value) : undefined;
  return rate === undefined ? { ok: false, failure: 'NOT_A_RATE' } : { ok: true, rate };
}

/** Gives each primitive value of a document its own text. TypeScript does not know this argument yet. */
type ExactReviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

function parseExactly(
  document: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  const exact: ExactReviver = (_name, value, { source }) => (typeof value === 'number' ? source : value);
  try {
    return { ok: true, value: JSON.parse(document, exact as (name: string, value: unknown) => unknown) };
  } catch {
    return { ok: false };
  }
}

function memberOf(value: unknown, token: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(token)) return undefined;
  return Object.hasOwn(value, token) ? (value as Readonly<Record<string, unknown>>)[token] : undefined;
}
