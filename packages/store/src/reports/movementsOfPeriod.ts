import type {
  MaskedRecipient,
  Mode,
  Money,
  Movement,
  PlannedRecipient,
  SpentGas,
  StepType,
  TimeMs,
} from '@fairway/plan';

import { defined } from '@fairway/values';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { MOVEMENT_COLUMNS } from '../plans/loadPlans.ts';
import { type ReadMovementRow, rowsToLedger } from '../plans/movementRows.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { countedGas, type GasRow, gasPart } from './countedGas.ts';
import { filtered } from './countMovements.ts';
import { type Payee, payeesOf } from './payees.ts';
import { isInPart, type PartOfPeriod, REPORT_ORDER } from './partOfPeriod.ts';
import type { ReportFilter, ReportPlace } from './report.ts';

/**
 * A movement as reports have it: with what of its plan never changes, or was so when it was recorded. `bookedAtMs`: since when
 * reports have it. `execution`: of the output of a swap, how much the swap spent and in how many transfers it paid.
 * `gas`: of the transaction that executed a swap, also of what takes that back; of several movements of one transaction the first has it.
 * `paid`, `fee` and `note`: as the movement has them, also of one that takes it back. `entry`: what the bank moves, in
 * minor units of the currency, of a payment to an account or what came back from one. Without an amount nobody told it.
 * `recipient`: who was to be paid then; `payee`: where the recipient wants
 * the money, which is the same where nobody was asked.
 */
export type PeriodMovement = {
  readonly planId: string;
  readonly clientReference: string;
  readonly corridorId: string;
  readonly mode: Mode;
  readonly planCreatedAtMs: TimeMs;
  readonly bookedAtMs: TimeMs;
  readonly movement: Movement;
  readonly gas?: SpentGas;
  readonly metadata: Readonly<Record<string, string>>;
  readonly currency: string;
  readonly paid?: Money;
  readonly fee?: Money;
  readonly note?: string;
  readonly entry?: { readonly minor?: bigint };
  readonly stepType?: StepType;
  readonly execution?: { readonly spent: bigint; readonly transfers: number; readonly source: string };
  readonly recipient?: PlannedRecipient;
  readonly payee?: MaskedRecipient;
  readonly failureCode?: string;
};

/** Which movements to read: those booked in a time, behind a place, at most `limit`. */
export type ReportPart = PartOfPeriod & {
  readonly filter: ReportFilter;
  readonly limit: number;
};

/** Movements in the order of reports; `next` is the `after` of the next part, undefined at the end. */
export type MovementsOfPeriod = {
  readonly movements: readonly PeriodMovement[];
  readonly next: ReportPlace | undefined;
};

type Row = {
  plan_id: string;
  client_reference: string;
  corridor_id: string;
  mode: Mode;
  created_at: Date;
  booked_at: Date;
  revision: number;
  movement: ReadMovementRow;
  step_type: StepType | null;
  metadata: Readonly<Record<string, string>>;
  currency: string;
  is_entry: boolean;
  entry_minor: string | null;
  reversed: { paid: Money | null; fee: Money | null; note: string | null } | null;
  execution: { spent: string | null; transfers: number } | null;
  source_token: string;
  gas: GasRow;
};

/** Reads a part of the movements of a sealed time. Read again, a part is the same for ever. */
export async function movementsOfPeriod(
  database: Database,
  scope: PlanScope,
  part: ReportPart,
): Promise<MovementsOfPeriod> {
  const rows = await readRows(database, scope, part);
  const payees = await payeesOf(database, scope, rows);
  const movements = rows.map((row) => reportedOf(row, payees(row)));
  const last = rows.length < part.limit ? undefined : movements.at(-1);
  const next = last && {
    bookedAtMs: last.bookedAtMs,
    planId: last.planId,
    seq: last.movement.seq,
  };
  return { movements, next };
}

async function readRows(database: Database, scope: PlanScope, part: ReportPart): Promise<readonly Row[]> {
  const { organisationId, environment } = scope;
  const { filter, limit } = part;
  const { rows } = await sql<Row>`
    select m.plan_id, p.client_reference, p.corridor_id, p.mode, p.created_at, m.booked_at, m.revision,
      (select row_to_json(x) from (select ${MOVEMENT_COLUMNS}) x) as movement, s.type as step_type,
      p.metadata, p.corridor -> 'target' ->> 'currency' as currency, m.is_entry, m.entry_minor::text,
      (select jsonb_build_object('paid', r.paid, 'fee', r.fee, 'note', r.note) from movements r
        where r.organisation_id = ${organisationId} and r.environment = ${environment} and r.plan_id = m.plan_id
          and r.seq = m.reverses) as reversed,
      case when m.kind = 'SWAP_OUT' and m.reverses is null then (
        select jsonb_build_object(
          'spent', (sum(e.actual) filter (where e.kind = 'SWAP_IN'))::text,
          'transfers', count(*) filter (where e.kind = 'SWAP_OUT'))
        from movements e
        where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.plan_id = m.plan_id
          and e.revision = m.revision and e.tx_hash = m.tx_hash and e.reverses is null
          and e.reason is not distinct from m.reason
      ) end as execution, p.corridor -> 'source' ->> 'token' as source_token,
      ${countedGas(scope)} as gas
    from movements m
    join plans p on (p.organisation_id, p.environment, p.plan_id) = (m.organisation_id, m.environment, m.plan_id)
    left join plan_steps s on (s.organisation_id, s.environment, s.plan_id, s.step_id)
      = (m.organisation_id, m.environment, m.plan_id, m.step_id)
    where m.organisation_id = ${organisationId} and m.environment = ${environment}
      and ${isInPart(part)}
      ${filtered(filter)}
    order by ${REPORT_ORDER} limit ${limit}`.execute(database);
  return rows;
}

function reportedOf(row: Row, payee: Payee): PeriodMovement {
  const [movement] = rowsToLedger(row.plan_id, [row.movement]);
  if (movement === undefined) throw new Error('A row of a ledger is a movement.');
  const { spent = null, transfers = 0 } = row.execution ?? {};
  const { paid, fee, note } = movement.reverses === undefined ? movement : (row.reversed ?? {});
  const minor = row.entry_minor === null ? {} : { minor: BigInt(row.entry_minor) };
  return {
    planId: row.plan_id,
    clientReference: row.client_reference,
    corridorId: row.corridor_id,
    mode: row.mode,
    planCreatedAtMs: row.created_at.getTime(),
    bookedAtMs: row.booked_at.getTime(),
    movement,
    metadata: row.metadata,
    currency: row.currency,
    ...(row.is_entry ? { entry: minor } : {}),
    ...defined({ paid: paid ?? undefined, fee: fee ?? undefined, note: note ?? undefined }),
    ...gasPart(row.gas),
    ...(row.step_type === null ? {} : { stepType: row.step_type }),
    ...(spent === null ? {} : { execution: { spent: BigInt(spent), transfers, source: row.source_token } }),
    ...payee,
  };
}
