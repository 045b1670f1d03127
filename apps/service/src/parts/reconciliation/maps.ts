import { type KeptMap, MOST_MAPS, type PlanScope } from '@fairway/store';
import { type ColumnMap, DATE_FORMATS, DELIMITERS, TEXT_COLUMNS } from '@fairway/statements';
import { minorDecimalsOf } from '@fairway/plan';
import { defined } from '@fairway/values';
import { MAP_NAME_PATTERN, STATEMENT_LIMITS } from '@fairway/wire';
import {
  type Acting,
  addError,
  complete,
  done,
  type FieldReader,
  type Fields,
  innerFields,
  integerField,
  listField,
  optional,
  type Outcome,
  type ProblemFacts,
  refuse,
  required,
  textField,
  wordField,
} from '@fairway/api';
import type { StatementParts } from './statementParts.ts';

const MAP_NAME = new RegExp(MAP_NAME_PATTERN);

const NO_SUCH_MAP: ProblemFacts = {
  code: 'not-found',
  detail:
    'There is no column map of this name; GET /v1/reconciliation/maps lists those of your organisation.',
};

/** The column map of a name. */
export async function findMap(
  { statements }: StatementParts,
  scope: PlanScope,
  name: string,
): Promise<Outcome<KeptMap>> {
  if (!MAP_NAME.test(name)) return refuse(NO_SUCH_MAP);
  const loaded = await statements.loadMap(scope, name);
  return loaded.found === undefined ? refuse(NO_SUCH_MAP) : done(loaded.found);
}

/** All column maps. */
export async function listMaps(
  { statements }: StatementParts,
  scope: PlanScope,
): Promise<Outcome<readonly KeptMap[]>> {
  const listed = await statements.listMaps(scope);
  return done(listed.maps);
}

/** Keeps a column map. */
export async function keepMap(
  { statements, nowMs }: StatementParts,
  { scope, actor }: Acting,
  name: string,
  map: ColumnMap,
): Promise<Outcome<KeptMap>> {
  if (!MAP_NAME.test(name)) {
    const detail =
      'The name of a map has 1 to 64 small letters, digits, - and _, and begins with a letter or a digit.';
    return refuse({ code: 'validation-failed', detail, errors: [{ pointer: '/path/name', detail }] });
  }
  const kept = await statements.keepMap(scope, { name, map }, { actor, atMs: nowMs() });
  if (kept.ok) return done(kept.kept);
  const detail = `An organisation may have ${MOST_MAPS} column maps; replace one.`;
  return refuse({ code: 'validation-failed', detail, errors: [{ pointer: '/path/name', detail }] });
}

/** A currency of a query or a body. */
export const currencyField: FieldReader<string> = {
  must: 'a currency of ISO 4217 with a minor unit, such as "EUR"',
  read: (given) =>
    typeof given === 'string' && minorDecimalsOf(given) !== undefined
      ? { ok: true, value: given }
      : { ok: false },
};

const COLUMN_NAMES = [
  ...['bookedOn', 'valueOn', 'amount', 'direction', 'credit', 'debit', 'balance'],
  ...TEXT_COLUMNS,
];
const columnField = textField(STATEMENT_LIMITS.columnLength);

/** Reads a column map; undefined when a field is wrong. */
export function readMap(fields: Fields): ColumnMap | undefined {
  const account = required(fields, 'account', textField(64));
  const currency = required(fields, 'currency', currencyField);
  const delimiter = optional(fields, 'delimiter', wordField(DELIMITERS)) ?? ',';
  const decimalSeparator = optional(fields, 'decimalSeparator', wordField(['.', ',']));
  const dateFormat = optional(fields, 'dateFormat', wordField(DATE_FORMATS)) ?? 'YYYY-MM-DD';
  const skipLines = optional(fields, 'skipLines', integerField({ minimum: 0, maximum: 100 })) ?? 0;
  const leftOut = innerFields(fields, 'leaveOut', ['column', 'values']);
  const leaveOut = leftOut === undefined ? undefined : readLeaveOut(leftOut);
  const inner = innerFields(fields, 'columns', COLUMN_NAMES);
  if (!fields.values.has('columns'))
    addError(fields, 'columns', 'columns is missing; it must be an object with the names of the columns.');
  const columns = inner === undefined ? undefined : readColumns(inner);
  const map = complete(fields, {
    ...{ account, currency, delimiter, dateFormat, skipLines, columns },
    decimalSeparator: decimalSeparator ?? '.',
  });
  return map === undefined ? undefined : { ...map, ...defined({ leaveOut }) };
}

function readLeaveOut(fields: Fields): ColumnMap['leaveOut'] {
  const column = required(fields, 'column', columnField);
  const bounds = { what: 'values of the column', minimum: 1, maximum: STATEMENT_LIMITS.leftOut };
  const values = required(fields, 'values', listField(columnField, bounds));
  return column === undefined || values === undefined ? undefined : { column, values };
}

function readColumns(fields: Fields): ColumnMap['columns'] | undefined {
  const bookedOn = required(fields, 'bookedOn', columnField);
  const others = Object.fromEntries(
    COLUMN_NAMES.filter((name) => name !== 'bookedOn').map((name) => [
      name,
      optional(fields, name, columnField),
    ]),
  );
  const [hasAmount, hasCredit, hasDebit] = ['amount', 'credit', 'debit'].map((name) =>
    fields.values.has(name),
  );
  if (hasAmount === hasCredit || hasCredit !== hasDebit)
    addError(fields, 'amount', 'amount, or credit and debit together, must be given, and not both.');
  if (fields.values.has('direction') && !hasAmount)
    addError(fields, 'direction', 'direction is the direction of amount, which is not given.');
  return bookedOn === undefined ? undefined : { bookedOn, ...defined(others) };
}
