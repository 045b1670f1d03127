/** What a name in FROM stands for. Only `isScoped` and tenant tables can say which organisation a row has. */
export type RangeItem = {
  readonly name: string;
  /** The tenant table that it is; undefined for anything else. */
  readonly tenantTable: string | undefined;
  /** Whether its rows are known to be of one organisation, or of organisations that may be crossed. */
  isScoped: boolean;
};

/** The names that a SELECT, UPDATE or DELETE sees, and what is known of their organisations. */
export type Level = {
  readonly items: Map<string, RangeItem>;
  readonly outer: Level | undefined;
  /** The items whose organisations were merged by USING, under the bare name of the column. */
  readonly merged: Set<RangeItem>;
  /** Equalities that hold for the rows of these items, if they hold at all. */
  readonly rules: Rule[];
};

/** Equalities of a condition, and the items whose rows the condition restricts. */
export type Rule = { readonly equalities: readonly Equality[]; readonly restricts: ReadonlySet<RangeItem> };

/** What was found in a query: what keeps it from running, and the crossings and functions that it uses. */
export type Findings = {
  readonly faults: string[];
  readonly crossings: Set<string>;
  readonly functions: Set<string>;
};

/** The column `organisation_id`, of the item of this name or without a name, of this item, or a given value. */
export type Side = { readonly column: string | undefined } | { readonly item: RangeItem } | 'VALUE';

/** Two sides that are equal wherever a condition holds. */
export type Equality = readonly [Side, Side];
