import {
  accountForm,
  FILE_LIMITS,
  type Proposal,
  referenceForm,
  type StatementUnit,
} from '@fairway/statements';
import { type PlanId, movementIdOf } from '@fairway/plan';
import { end, initials } from '@fairway/recipients';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { entryPlace } from '../keys/sealedPlaces.ts';
import type { Sealed, Sealing } from '@fairway/keys';
import type { PlanScope } from '../plans/planScope.ts';
import type { Allocation, EntryStatus, KeptEntry } from './statement.ts';

/** What of an entry is sealed: what names its other side. */
type EntryDetails = Pick<StatementUnit, 'name' | 'account'>;

/**
 * An entry as it is found. `isDecided`: a person has decided about it. `isFull`: words of its text are left out, or it
 * has as many references as are kept. `sealed`: its details, until they are erased.
 */
export type FoundEntry = {
  readonly kept: KeptEntry;
  readonly isDecided: boolean;
  readonly isFull: boolean;
  readonly sealed: Sealed | undefined;
};

type Row = {
  entry_id: string;
  direction: KeptEntry['direction'];
  currency: string;
  amount: string;
  booked_on: string;
  value_on: string;
  is_reversal: boolean;
  is_rest: boolean;
  servicer_reference: string | null;
  end_to_end_id: string | null;
  references: readonly string[];
  code: string | null;
  masked: KeptEntry['masked'];
  status: EntryStatus;
  proposals: readonly Proposal[];
  ignored_reason: string | null;
  is_decided: boolean;
  has_more_words: boolean;
  updated_at: Date;
  key_id: string | null;
  sealed: Buffer | null;
  allocations:
    | readonly { plan_id: string; movement_seq: number; amount: string; matched_by: Allocation['by'] }[]
    | null;
};

/** Loads entries. `condition` is about `e`, a row of them, and may end with an order and a limit. */
export async function loadEntries(
  database: Database,
  { organisationId, environment }: PlanScope,
  condition: RawBuilder<unknown>,
): Promise<readonly FoundEntry[]> {
  const { rows } = await sql<Row>`
    select e.entry_id, e.direction, e.currency, e.amount::text, e.booked_on::text, e.value_on::text, e.is_reversal,
      e.is_rest, e.servicer_reference, e.end_to_end_id, e."references", e.code, e.masked, e.status, e.proposals,
      e.ignored_reason, e.is_decided, e.updated_at, e.key_id, e.sealed,
      e.has_more_words,
      (select json_agg(x order by x.plan_id, x.movement_seq) from (
        select a.plan_id, a.movement_seq, a.amount::text, a.matched_by from entry_allocations a
        where a.organisation_id = ${organisationId} and a.environment = ${environment} and a.entry_id = e.entry_id
      ) x) as allocations
    from statement_entries e
    where e.organisation_id = ${organisationId} and e.environment = ${environment} and ${condition}`.execute(
    database,
  );
  return rows.map(foundOf);
}

function foundOf(row: Row): FoundEntry {
  const { servicer_reference, end_to_end_id, code, ignored_reason, key_id: keyId, sealed } = row;
  return {
    kept: {
      entryId: row.entry_id,
      status: row.status,
      direction: row.direction,
      currency: row.currency,
      minor: BigInt(row.amount),
      bookedOn: row.booked_on,
      valueOn: row.value_on,
      isReversal: row.is_reversal,
      isRest: row.is_rest,
      ...(servicer_reference === null ? {} : { servicerReference: servicer_reference }),
      ...(end_to_end_id === null ? {} : { endToEndId: end_to_end_id }),
      references: row.references,
      ...(code === null ? {} : { code }),
      masked: row.masked,
      allocations: (row.allocations ?? []).map((each) => ({
        movementId: movementIdOf(each.plan_id as PlanId, each.movement_seq),
        planId: each.plan_id,
        minor: BigInt(each.amount),
        by: each.matched_by,
      })),
      proposals: row.proposals,
      ...(ignored_reason === null ? {} : { ignoredReason: ignored_reason }),
      updatedAtMs: row.updated_at.getTime(),
    },
    isDecided: row.is_decided,
    isFull: row.has_more_words || row.references.length >= FILE_LIMITS.references,
    sealed: keyId === null || sealed === null ? undefined : { keyId, sealed },
  };
}

/** The columns of an entry that its statement tells, but for its details. */
export function unitColumns(unit: StatementUnit): Readonly<Record<string, unknown>> {
  return {
    value_on: unit.valueOn,
    servicer_reference: unit.servicerReference ?? null,
    end_to_end_id: unit.endToEndId ?? null,
    references: unit.references,
    reference_forms: formsOf(unit),
    code: unit.code ?? null,
    masked: maskOf(unit),
  };
}

/** All references of a unit in the form in which they are compared. */
function formsOf({ endToEndId = '', references }: StatementUnit): readonly string[] {
  const forms = [endToEndId, ...references].map(referenceForm);
  return [...new Set(forms)].filter((form) => form !== '');
}

/** The columns of an entry with its details, sealed. */
export function sealedColumns(
  sealing: Sealing,
  { organisationId }: PlanScope,
  entryId: string,
  { name, account }: StatementUnit,
): { readonly key_id: string; readonly sealed: string } {
  const details: EntryDetails = {
    ...(name === undefined ? {} : { name }),
    ...(account === undefined ? {} : { account: accountForm(account) }),
  };
  const { keyId, sealed } = sealing.seal(entryPlace(organisationId, entryId), JSON.stringify(details));
  return { key_id: keyId, sealed: `\\x${sealed.toString('hex')}` };
}

/**
 * What of the other side of a unit is shown.
 *
 * @example
 * ```ts
 * import type { StatementUnit } from '@fairway/statements';
 * import { maskOf } from '@fairway/store';
 *
 * declare const unit: StatementUnit;
 * const { name } = maskOf(unit); // such as 'J. C.'
 * ```
 */
export function maskOf({ name, account }: StatementUnit): KeptEntry['masked'] {
  return {
    ...(name === undefined ? {} : { name: initials(name) }),
    ...(account === undefined ? {} : { account: `…${end(account)}` }),
  };
}

/** The details of an entry; undefined when they were erased, or no key opens them. */
export function openDetails(
  sealing: Sealing,
  { organisationId }: PlanScope,
  { kept: { entryId }, sealed }: FoundEntry,
): EntryDetails | undefined {
  const opened = sealed && sealing.unseal(entryPlace(organisationId, entryId), sealed);
  return opened?.ok === true ? (JSON.parse(opened.text) as EntryDetails) : undefined;
}
