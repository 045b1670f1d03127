import { sql } from 'kysely';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type DecidedEntry, decideEntry, type EntryDecision } from './changeEntry.ts';
import { loadEntries } from './entryRows.ts';
import { importStatement, type ImportedStatement, type TooManyKnown } from './importStatement.ts';
import {
  type EntryAsk,
  type ListedEntries,
  listEntries,
  type ShownEntry,
  type UnmatchedMovements,
  unmatchedMovements,
  withMovements,
} from './listEntries.ts';
import { keepMap, loadMaps } from './maps.ts';
import { matchPayments } from './matchPayments.ts';
import type { KeptEntry, KeptMap, KeptStatement, StatementFile, StatementParts } from './statement.ts';
import { isStatement, loadStatements } from './statementRows.ts';

/** A part of the statements, newest first, or of the maps, by name. `next`: the `after` of the next part. */
export type ListedStatements = {
  readonly statements: readonly KeptStatement[];
  readonly next: string | undefined;
};

type Page = { readonly limit: number; readonly after?: string | undefined };

/**
 * Statements of accounts and their entries. A scope sees its own alone: an id of another scope is answered like an id
 * that does not exist.
 */
export type Statements = {
  /** Keeps the statements of a file, once for the same bytes, and matches its entries. Throws when there is no key to seal with. */
  importStatement(
    scope: PlanScope,
    file: StatementFile,
    context: CommandContext,
  ): Promise<ImportedStatement | TooManyKnown>;
  /** Matches the entries that may be the payments of a plan. May be repeated. */
  matchPayments(scope: PlanScope, planId: string, context: CommandContext): Promise<void>;
  /** A statement as it is. */
  loadStatement(
    scope: PlanScope,
    statementId: string,
  ): Promise<{ readonly found: KeptStatement | undefined }>;
  /** Statements, newest first, in pages. */
  listStatements(scope: PlanScope, page: Page): Promise<ListedStatements>;
  /** Entries of a statement, in its order. */
  listEntries(scope: PlanScope, ask: EntryAsk): Promise<ListedEntries>;
  /** The entry with an id, with its movements. */
  loadEntry(scope: PlanScope, entryId: string): Promise<{ readonly found: ShownEntry | undefined }>;
  /** An entry with its movements. */
  showEntry(scope: PlanScope, entry: KeptEntry): Promise<{ readonly shown: ShownEntry }>;
  /** Movements of the days of a statement that entries do not have. */
  unmatchedMovements(
    scope: PlanScope,
    ask: Page & { readonly statementId: string },
  ): Promise<UnmatchedMovements>;
  /** Carries a decision about an entry out. */
  decideEntry(
    scope: PlanScope,
    entryId: string,
    decision: EntryDecision,
    context: CommandContext,
  ): Promise<DecidedEntry>;
  /** Keeps a column map under its name. */
  keepMap(
    scope: PlanScope,
    map: Pick<KeptMap, 'name' | 'map'>,
    context: CommandContext,
  ): ReturnType<typeof keepMap>;
  /** The column map of a name. */
  loadMap(scope: PlanScope, name: string): Promise<{ readonly found: KeptMap | undefined }>;
  /** All column maps of a scope, by their names; they are few. */
  listMaps(scope: PlanScope): Promise<{ readonly maps: readonly KeptMap[] }>;
};

/** Binds the operations to a database. */
export function createStatements(parts: StatementParts): Statements {
  const { database } = parts;
  return {
    importStatement: (scope, file, context) => importStatement(parts, scope, file, context),
    matchPayments: (scope, planId, context) => matchPayments(parts, scope, planId, context),
    loadStatement: async (scope, statementId) => {
      const [found] = await loadStatements(database, scope, isStatement(statementId));
      return { found };
    },
    listStatements: async (scope, { limit, after }) => {
      const behind = after === undefined ? sql`true` : sql`s.statement_id < ${after}`;
      const found = await loadStatements(
        database,
        scope,
        sql`${behind} order by s.statement_id desc limit ${limit + 1}`,
      );
      const statements = found.slice(0, limit);
      return {
        statements,
        next: found.length > limit ? statements.at(-1)?.statementId : undefined,
      };
    },
    listEntries: async (scope, ask) => listEntries(database, scope, ask),
    loadEntry: async (scope, entryId) => {
      const [entry] = await loadEntries(database, scope, sql`e.entry_id = ${entryId}`);
      if (entry === undefined) return { found: undefined };
      const shown = await withMovements(database, scope, [entry.kept]);
      return { found: shown.get(entryId) };
    },
    showEntry: async (scope, entry) => {
      const shown = await withMovements(database, scope, [entry]);
      return { shown: shown.get(entry.entryId) ?? { entry, movements: new Map() } };
    },
    unmatchedMovements: (scope, ask) => unmatchedMovements(database, scope, ask),
    decideEntry: (scope, entryId, decision, context) => decideEntry(parts, scope, entryId, decision, context),
    keepMap: (scope, map, context) => keepMap(database, scope, map, context),
    loadMap: async (scope, name) => {
      const [found] = await loadMaps(database, scope, sql`c.name = ${name}`);
      return { found };
    },
    listMaps: async (scope) => ({
      maps: await loadMaps(database, scope, sql`true order by c.name`),
    }),
  };
}
