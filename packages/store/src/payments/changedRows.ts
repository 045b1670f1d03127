import { isDeepStrictEqual } from 'node:util';

/** The columns that distinguish the rows of one plan in one table. */
type RowOfPlan = { readonly step_id: string; readonly position?: number };

/** The rows that are new or differ from the earlier row in the same place. Each row is compared once. */
export function changedRows<Row extends RowOfPlan>(before: readonly Row[], after: readonly Row[]): Row[] {
  const known = new Map(before.map((row) => [placeOf(row), row]));
  return after.filter((row) => !isDeepStrictEqual(known.get(placeOf(row)), row));
}

function placeOf({ step_id, position = 0 }: RowOfPlan): string {
  return `${step_id} ${position}`;
}
