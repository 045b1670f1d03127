export { type ColumnMap, DATE_FORMATS, DELIMITERS, TEXT_COLUMNS } from './columnMap.ts';
export { type IdentifiedUnit, identifyUnits, type KnownIdentities } from './identity.ts';
export type { StatementHead } from './chain.ts';
export { CUT_LENGTH, MATCH_DAYS, referencesIn } from './finders.ts';
export type { MatchEntry, MatchMovement } from './matchable.ts';
export {
  type MatchedBy,
  matchEntries,
  type MatchReason,
  type MatchResult,
  type Proposal,
} from './matching.ts';
export { accountForm } from './accounts.ts';
export { nameForm } from './names.ts';
export {
  cutForms,
  FIELD_LENGTHS,
  hasUmlaut,
  REFERENCE_SIGNS,
  referenceForm,
  spelledOut,
  umlautForm,
} from './references.ts';
export { readStatementFile, suggestMapFor } from './readFile.ts';
export type { SuggestedMap, Suggestion } from './suggestMap.ts';
export { type AreApart, type KnownUnits, type PlacedStatement, statementsApart } from './sequence.ts';
export { isEncoding } from './textOf.ts';
export { createTurns, type Turns } from './turns.ts';
export {
  type Balance,
  type Direction,
  FILE_LIMITS,
  type ReadStatements,
  type StatementSection,
  type StatementUnit,
} from './statement.ts';
