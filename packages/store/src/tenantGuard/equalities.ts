import type { A_Expr, Node } from 'libpg-query';
import type { Equality, Side } from './levels.ts';

/**
 * The equalities of organisations that must hold for a condition to hold. They are its parts that are joined by AND,
 * and the members of rows that are compared. Other parts of the condition are passed over.
 */
export function equalitiesOf(condition: Node | undefined): Equality[] {
  if (condition === undefined) return [];
  if ('BoolExpr' in condition)
    return condition.BoolExpr.boolop === 'AND_EXPR'
      ? (condition.BoolExpr.args ?? []).flatMap(equalitiesOf)
      : [];
  if (!('A_Expr' in condition) || !isEquality(condition.A_Expr)) return [];
  const { lexpr, rexpr } = condition.A_Expr;
  const left = membersOf(lexpr);
  const right = membersOf(rexpr);
  if (left.length !== right.length) return [];
  return left.flatMap((member, index) => {
    const a = sideOf(member);
    const b = sideOf(right[index]);
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
}

function isEquality({ kind, name = [] }: A_Expr): boolean {
  const [operator] = name;
  return (
    kind === 'AEXPR_OP' &&
    name.length === 1 &&
    operator !== undefined &&
    'String' in operator &&
    operator.String.sval === '='
  );
}

function membersOf(node: Node | undefined): readonly Node[] {
  if (node === undefined) return [];
  return 'RowExpr' in node ? (node.RowExpr.args ?? []) : [node];
}

function sideOf(node: Node | undefined): Side | undefined {
  if (node === undefined) return undefined;
  if ('TypeCast' in node) {
    const side = sideOf(node.TypeCast.arg);
    return side === 'VALUE' ? side : undefined;
  }
  if ('ParamRef' in node) return 'VALUE';
  if ('A_Const' in node) return node.A_Const.isnull === true ? undefined : 'VALUE';
  if (!('ColumnRef' in node)) return undefined;
  const names = (node.ColumnRef.fields ?? []).map((field) =>
    'String' in field ? field.String.sval : undefined,
  );
  if (names.at(-1) !== 'organisation_id' || names.length > 2) return undefined;
  return { column: names.length === 1 ? undefined : names[0] };
}
