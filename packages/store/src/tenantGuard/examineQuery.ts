import type {
  CommonTableExpr,
  DeleteStmt,
  FuncCall,
  InsertStmt,
  Node,
  OnConflictClause,
  SelectStmt,
  UpdateStmt,
  WithClause,
} from 'libpg-query';
import { FUNCTIONS } from './crossings.ts';
import { equalitiesOf } from './equalities.ts';
import type { Findings, Level, RangeItem, Side } from './levels.ts';
import { addRange, addTable } from './rangeItems.ts';

/** Where a query stands: the common tables that it sees, and the level that it is nested in. */
type Place = { readonly commonTables: ReadonlySet<string>; readonly outer: Level | undefined };

/**
 * Examines a parsed query. Each use of a tenant table in FROM, UPDATE, DELETE or ON CONFLICT must have its own
 * equality of `organisation_id`. The other side is a given value, or the column of a use that has such an equality.
 * A part that is not understood is a fault.
 */
export function examineQuery(query: Node): Findings {
  const findings: Findings = { faults: [], crossings: new Set(), functions: new Set() };
  if (!('TransactionStmt' in query))
    examineNested(query, { commonTables: new Set(), outer: undefined }, findings);
  return findings;
}

/** Examines every query within a value of the tree. A table that no query accounts for is a fault. */
function examineNested(value: unknown, place: Place, findings: Findings): void {
  if (Array.isArray(value)) {
    for (const each of value) examineNested(each, place, findings);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  if ('SelectStmt' in node) return examineSelect(node.SelectStmt, place, findings);
  if ('InsertStmt' in node) return examineInsert(node.InsertStmt, place, findings);
  if ('UpdateStmt' in node) return examineChange(node.UpdateStmt, place, findings);
  if ('DeleteStmt' in node) return examineChange(node.DeleteStmt, place, findings);
  if ('FuncCall' in node) examineCall(node.FuncCall, findings);
  for (const [kind, part] of Object.entries(node)) {
    if (kind === 'relname' || kind.endsWith('Stmt'))
      findings.faults.push(`it has ${kind}, which is not understood`);
    examineNested(part, place, findings);
  }
}

/** A function can read what its arguments name, so that each must be known. PostgreSQL's own schema may be named. */
function examineCall({ funcname = [] }: FuncCall, { faults, functions }: Findings): void {
  const [first = '', ...rest] = funcname.map((part) => ('String' in part ? (part.String.sval ?? '') : ''));
  const name = (first === 'pg_catalog' ? rest : [first, ...rest]).join('.');
  functions.add(name);
  if (!FUNCTIONS.has(name))
    faults.push(`it calls ${name}, which is not among the functions that may be called`);
}

function examineSelect(select: SelectStmt, around: Place, findings: Findings): void {
  const { withClause, larg, rarg, fromClause = [], whereClause, ...rest } = select;
  const commonTables = examineWith(withClause, around, findings);
  for (const side of [larg, rarg])
    if (side !== undefined) examineSelect(side, { ...around, commonTables }, findings);
  const level = newLevel(around.outer);
  for (const node of fromClause) addRange(node, level, commonTables, findings);
  settle(level, whereClause, findings);
  const place = { commonTables, outer: level };
  for (const node of fromClause) examineRange(node, place, around.outer, findings);
  examineNested([whereClause, rest], place, findings);
}

function examineChange(
  { relation, withClause, fromClause, usingClause, whereClause, ...rest }: UpdateStmt & DeleteStmt,
  around: Place,
  findings: Findings,
): void {
  const commonTables = examineWith(withClause, around, findings);
  const from = fromClause ?? usingClause ?? [];
  const level = newLevel(around.outer);
  // The target of a change is always a table.
  if (relation !== undefined) addTable(relation, level, new Set(), findings);
  for (const node of from) addRange(node, level, commonTables, findings);
  settle(level, whereClause, findings);
  const place = { commonTables, outer: level };
  for (const node of from) examineRange(node, place, around.outer, findings);
  examineAssignments(rest.targetList, findings);
  examineNested([whereClause, rest], place, findings);
}

function examineInsert(
  { relation, withClause, selectStmt, onConflictClause, ...rest }: InsertStmt,
  around: Place,
  findings: Findings,
): void {
  const commonTables = examineWith(withClause, around, findings);
  examineNested(selectStmt, { ...around, commonTables }, findings);
  // The rows that an INSERT writes say themselves whose they are: the column is never null.
  const level = newLevel(around.outer);
  const target = relation && addTable(relation, level, new Set(), findings);
  if (target !== undefined && onConflictClause !== undefined)
    examineConflict(target, level, onConflictClause, findings);
  const place = { commonTables, outer: level };
  examineNested([onConflictClause, rest], place, findings);
}

/** A row that is changed instead of being inserted must be of the organisation of the new row. */
function examineConflict(
  target: RangeItem,
  level: Level,
  clause: OnConflictClause,
  findings: Findings,
): void {
  level.items.set('excluded', { name: 'excluded', tenantTable: undefined, isScoped: true });
  if (clause.action !== 'ONCONFLICT_UPDATE') return;
  examineAssignments(clause.targetList, findings);
  target.isScoped ||= (clause.infer?.indexElems ?? []).some(
    (element) => 'IndexElem' in element && element.IndexElem.name === 'organisation_id',
  );
  settle(level, clause.whereClause, findings);
}

/** A change must not move a row to another organisation. */
function examineAssignments(targets: readonly Node[] = [], { faults }: Findings): void {
  const isMoved = targets.some(
    (target) => 'ResTarget' in target && target.ResTarget.name === 'organisation_id',
  );
  if (isMoved) faults.push('it sets organisation_id');
}

/** Examines the common table expressions, and answers all that the query after them sees. */
function examineWith(clause: WithClause | undefined, around: Place, findings: Findings): ReadonlySet<string> {
  const seen = new Set(around.commonTables);
  for (const node of clause?.ctes ?? []) {
    const { ctename = '', ctequery }: CommonTableExpr = 'CommonTableExpr' in node ? node.CommonTableExpr : {};
    if (clause?.recursive === true) seen.add(ctename);
    examineNested(ctequery, { commonTables: new Set(seen), outer: around.outer }, findings);
    seen.add(ctename);
  }
  return seen;
}

/** Examines what is nested in FROM. Only what is LATERAL, functions and conditions see the names beside it. */
function examineRange(node: Node, beside: Place, outer: Level | undefined, findings: Findings): void {
  if ('RangeVar' in node) return;
  if ('JoinExpr' in node) {
    for (const side of [node.JoinExpr.larg, node.JoinExpr.rarg])
      if (side !== undefined) examineRange(side, beside, outer, findings);
    return examineNested(node.JoinExpr.quals, beside, findings);
  }
  if ('RangeSubselect' in node) {
    const { lateral, subquery } = node.RangeSubselect;
    return examineNested(subquery, lateral === true ? beside : { ...beside, outer }, findings);
  }
  examineNested(node, beside, findings);
}

function newLevel(outer: Level | undefined): Level {
  return { items: new Map(), outer, merged: new Set(), rules: [] };
}

/** Finds which items of a level are of one organisation, and reports the tenant tables that are not. */
function settle(level: Level, condition: Node | undefined, { faults }: Findings): void {
  const items = [...level.items.values()];
  const rules = [...level.rules, { equalities: equalitiesOf(condition), restricts: new Set(items) }];
  const scope = (of: Side, by: Side, restricts: ReadonlySet<RangeItem>): boolean => {
    if (by !== 'VALUE' && !itemsOf(by, level).some(({ isScoped }) => isScoped)) return false;
    const open = ownItemsOf(of, level).filter((item) => restricts.has(item) && !item.isScoped);
    for (const item of open) item.isScoped = true;
    return open.length > 0;
  };
  let isSettled = false;
  while (!isSettled) {
    isSettled = !rules.some(({ equalities, restricts }) =>
      equalities.some(([a, b]) => scope(a, b, restricts) || scope(b, a, restricts)),
    );
  }
  for (const { name, tenantTable, isScoped } of items)
    if (tenantTable !== undefined && !isScoped)
      faults.push(
        `it does not compare organisation_id of ${tenantTable}${name === tenantTable ? '' : ` as ${name}`}`,
      );
}

/** The tenant tables of this level whose `organisation_id` a side is. */
function ownItemsOf(side: Side, level: Level): readonly RangeItem[] {
  if (side === 'VALUE') return [];
  if ('item' in side) return [side.item];
  if (side.column !== undefined) {
    const item = level.items.get(side.column);
    return item?.tenantTable === undefined ? [] : [item];
  }
  // PostgreSQL refuses a bare name that two tables have, unless USING made one column of it.
  const tenants = [...level.items.values()].filter(({ tenantTable }) => tenantTable !== undefined);
  return tenants.length === 1 || tenants.every((item) => level.merged.has(item)) ? tenants : [];
}

/** What can say which organisation a side is: an item of this level, or of the next one outwards that has the name. */
function itemsOf(side: Side, level: Level | undefined): readonly RangeItem[] {
  if (level === undefined || side === 'VALUE') return [];
  if ('item' in side) return [side.item];
  if (side.column === undefined) return ownItemsOf(side, level);
  const item = level.items.get(side.column);
  return item === undefined ? itemsOf(side, level.outer) : [item];
}
