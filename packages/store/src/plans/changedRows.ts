import { isDeepStrictEqual } from 'node:util';

/** What a plan's rows of one table are told apart by. */
type RowOfPlan = { readonly step_id: string; readonly position?: number };

/** The rows that are new or differ from the one before in their place. Each is compared once. */
export function changedRows<Row extends RowOfPlan>(before: readonly Row[], after: readonly Row[]): Row[] {
  const known = new Map(before.map((row) => [placeOf(row), row]));
  return after.filter((row) => !isDeepStrictEqual(known.get(placeOf(row)), row));
}

function placeOf({ step_id, position = 0 }: RowOfPlan): string {
  return `${step_id} ${position}`;
}
