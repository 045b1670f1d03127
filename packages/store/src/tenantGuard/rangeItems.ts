import type { JoinExpr, JoinType, Node, RangeVar } from 'libpg-query';
import { CROSSINGS, JOB_SCHEMA, SHARED_TABLES, TENANT_TABLES } from './crossings.ts';
import { equalitiesOf } from './equalities.ts';
import type { Equality, Findings, Level, RangeItem } from './levels.ts';

/** Adds what a FROM clause, or the target of a change, names. Answers the items in it. */
export function addRange(
  node: Node,
  level: Level,
  commonTables: ReadonlySet<string>,
  findings: Findings,
): RangeItem[] {
  if ('RangeVar' in node) return [addTable(node.RangeVar, level, commonTables, findings)];
  if ('JoinExpr' in node) return addJoin(node.JoinExpr, level, commonTables, findings);
  const alias =
    'RangeSubselect' in node
      ? node.RangeSubselect.alias
      : 'RangeFunction' in node
        ? node.RangeFunction.alias
        : undefined;
  if (!('RangeSubselect' in node || 'RangeFunction' in node))
    findings.faults.push(`it has ${Object.keys(node).join()} in FROM, which is not understood`);
  return [addItem(level, alias?.aliasname ?? `#${level.items.size}`, undefined, false)];
}

/** Adds a table by its alias. A name that stands for a common table expression is no table. */
export function addTable(
  { schemaname, relname = '', alias }: RangeVar,
  level: Level,
  commonTables: ReadonlySet<string>,
  { faults, crossings }: Findings,
): RangeItem {
  const name = alias?.aliasname ?? relname;
  const isCommon = schemaname === undefined && commonTables.has(relname);
  if (isCommon || schemaname === JOB_SCHEMA) return addItem(level, name, undefined, false);
  const isOurs = schemaname === undefined || schemaname === 'public';
  if (!isOurs || !(TENANT_TABLES.has(relname) || SHARED_TABLES.has(relname)))
    faults.push(`it names ${relname}, which is no table of an organisation and no shared table`);
  if (!TENANT_TABLES.has(relname)) return addItem(level, name, undefined, false);
  if (alias?.colnames !== undefined) faults.push(`it renames the columns of ${relname}`);
  const isCrossing = Object.hasOwn(CROSSINGS, name) && CROSSINGS[name]?.tables.includes(relname) === true;
  if (isCrossing) crossings.add(name);
  return addItem(level, name, relname, isCrossing);
}

function addItem(level: Level, name: string, tenantTable: string | undefined, isScoped: boolean): RangeItem {
  const item = { name, tenantTable, isScoped };
  level.items.set(name, item);
  return item;
}

function addJoin(
  join: JoinExpr,
  level: Level,
  commonTables: ReadonlySet<string>,
  findings: Findings,
): RangeItem[] {
  if (join.alias !== undefined || join.join_using_alias !== undefined || join.isNatural === true)
    findings.faults.push('it has a join that is NATURAL or has an alias, which is not understood');
  const left = join.larg === undefined ? [] : addRange(join.larg, level, commonTables, findings);
  const right = join.rarg === undefined ? [] : addRange(join.rarg, level, commonTables, findings);
  const restricts = new Set(restrictedSides(join.jointype, left, right));
  const using = (join.usingClause ?? []).some(
    (name) => 'String' in name && name.String.sval === 'organisation_id',
  );
  if (using) {
    const tenants = [...left, ...right].filter(({ tenantTable }) => tenantTable !== undefined);
    const equalities = left.flatMap((a) => right.map((b): Equality => [{ item: a }, { item: b }]));
    if (tenants.length === left.length + right.length) level.rules.push({ equalities, restricts });
    for (const item of tenants) level.merged.add(item);
  }
  level.rules.push({ equalities: equalitiesOf(join.quals), restricts });
  return [...left, ...right];
}

/** The items that lose their rows where the condition of a join does not hold. */
function restrictedSides(
  type: JoinType | undefined,
  left: readonly RangeItem[],
  right: readonly RangeItem[],
): readonly RangeItem[] {
  if (type === undefined || type === 'JOIN_INNER') return [...left, ...right];
  if (type === 'JOIN_LEFT') return right;
  return type === 'JOIN_RIGHT' ? left : [];
}
