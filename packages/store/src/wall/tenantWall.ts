import { loadModule, parseSync } from 'libpg-query';
import { examineStatement } from './examineStatement.ts';

/** A statement that would reach more than one organisation. It is a bug in the store, and the statement did not run. */
export class UnscopedStatementError extends Error {
  /** The text of the statement; values are given beside it, so it holds none. */
  readonly statement: string;
  constructor(faults: readonly string[], statement: string) {
    const remedy =
      'compare organisation_id, or name the crossing or the function in packages/store/src/wall/crossings.ts';
    super(`A statement was not run: ${faults.join('; ')}. To mend: ${remedy}.`);
    this.name = 'UnscopedStatementError';
    this.statement = statement;
  }
}

/** Why the text must not run, and which crossings and functions it uses. A text can hold several statements. */
export function examineText(text: string): { faults: string[]; crossings: string[]; functions: string[] } {
  const found = (parseSync(text).stmts ?? []).flatMap(({ stmt }) =>
    stmt === undefined ? [] : [examineStatement(stmt)],
  );
  return {
    faults: found.flatMap(({ faults }) => faults),
    crossings: found.flatMap(({ crossings }) => [...crossings]),
    functions: found.flatMap(({ functions }) => [...functions]),
  };
}

/**
 * Makes the tenant guard: a function that throws UnscopedStatementError for a text that may read or change rows of
 * more than one organisation. Each text is examined once. Texts are made by the store alone and not by requests, so
 * there are few.
 */
export async function buildTenantWall(): Promise<(text: string) => void> {
  await loadModule();
  const permitted = new Set<string>();
  return (text) => {
    if (permitted.has(text)) return;
    const { faults } = examineText(text);
    if (faults.length > 0) throw new UnscopedStatementError(faults, text);
    permitted.add(text);
  };
}
