import { loadModule, parseSync } from 'libpg-query';
import { examineQuery } from './examineQuery.ts';

/** A query that would reach more than one organisation. It is a bug in the store, and the query did not run. */
export class UnscopedQueryError extends Error {
  /** The text of the query; values are given beside it, so it holds none. */
  readonly query: string;
  constructor(faults: readonly string[], query: string) {
    const remedy =
      'compare organisation_id, or name the crossing or the function in packages/store/src/tenantGuard/crossings.ts';
    super(`A query was not run: ${faults.join('; ')}. To mend: ${remedy}.`);
    this.name = 'UnscopedQueryError';
    this.query = query;
  }
}

/** Why the text must not run, and which crossings and functions it uses. A text can hold several queries. */
export function examineText(text: string): { faults: string[]; crossings: string[]; functions: string[] } {
  const found = (parseSync(text).stmts ?? []).flatMap(({ stmt }) =>
    stmt === undefined ? [] : [examineQuery(stmt)],
  );
  return {
    faults: found.flatMap(({ faults }) => faults),
    crossings: found.flatMap(({ crossings }) => [...crossings]),
    functions: found.flatMap(({ functions }) => [...functions]),
  };
}

/**
 * Makes the tenant guard: a function that throws UnscopedQueryError for a text that may read or change rows of
 * more than one organisation. Each text is examined once. Texts are made by the store alone and not by requests, so
 * there are few.
 */
export async function buildTenantGuard(): Promise<(text: string) => void> {
  await loadModule();
  const permitted = new Set<string>();
  return (text) => {
    if (permitted.has(text)) return;
    const { faults } = examineText(text);
    if (faults.length > 0) throw new UnscopedQueryError(faults, text);
    permitted.add(text);
  };
}
