import { type Asset, conversionOf, type Corridor, minorDecimalsOf, type Movement } from '@fairway/plan';
import { accountForm, type Direction, type MatchMovement, nameForm } from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { MOVEMENT_COLUMNS } from '../plans/loadPlans.ts';
import { type ReadMovementRow, rowsToLedger } from '../plans/movementRows.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isStanding } from '../plans/standingMovement.ts';
import type { Payee } from './payees.ts';
import type { MatchedMovement } from './statement.ts';

/** A movement as entries are matched with it. `taken`: how much of it entries have; `takenBefore`: what they still have of the same payment as it was told before. `on`: the day when it happened. `failedOn`: when an earlier attempt failed; `failedReferences`: what the provider called such attempts. `isOfPayee`: it is of the payment to who is paid now; before, another one may have been paid. `paidAs`: of what came back, the ids of the payments before it. `clientReference`: of its plan. */
export type FoundMovement = MatchedMovement & {
  readonly taken: bigint;
  readonly takenBefore: bigint;
  readonly on: string;
  readonly failedOn?: string;
  readonly failedReferences?: readonly string[];
  readonly isOfPayee: boolean;
  readonly clientReference: string;
  readonly paidAs?: readonly string[];
};

type Row = {
  plan_id: string;
  movement: ReadMovementRow;
  client_reference: string;
  target: Corridor['target'];
  is_standing: boolean;
  is_of_payee: boolean;
  paid_as: readonly string[] | null;
  taken: string | null;
  taken_before: string | null;
  paid_at: Date;
  failed_at: Date | null;
  failed_references: readonly string[] | null;
  log: ReadMovementRow | null;
};

/** When money was paid, or came back: as it was told, else as the chain or the clock has it. */
export const PAID_AT = sql`coalesce(m.occurred_at, m.block_time, m.recorded_at)`;

// An attempt that failed was not paid in the end, but the bank may have booked it, and a reversal. A delivery that failed has no time of its own:
// that was before the recipient chose again.
const FAILED_AT = sql`greatest(
  (select max(a.failed_at) from step_attempts a
    where (a.organisation_id, a.environment, a.plan_id) = (m.organisation_id, m.environment, m.plan_id)
      and a.outcome is null and a.failed_at <= m.recorded_at),
  (select max(s.submitted_at) from plan_steps s
    where (s.organisation_id, s.environment, s.plan_id) = (m.organisation_id, m.environment, m.plan_id)
      and s.rounds @? '$[*].delivery ? (@.status == "FAILED")'))`;

// Events are looked at only where an attempt has failed.
const FAILED_REFERENCES = sql`
  case when failed.at is not null then array(select f.command ->> 'providerReference' from plan_events f
    where (f.organisation_id, f.environment, f.plan_id) = (m.organisation_id, m.environment, m.plan_id)
      and (f.command ->> 'type' = 'PAYOUT_FAILED'
        or (f.command ->> 'type' = 'DELIVERY_REPORTED' and f.command ->> 'status' = 'FAILED'))
      and f.command ->> 'providerReference' is not null and f.revision < m.revision) end`;

// A correction leaves the entry with the movement that it has taken back. The bank may have paid only once
// nevertheless.
const TAKEN_BEFORE = sql`(select sum(a.amount) from entry_allocations a
  join movements b on (b.organisation_id, b.environment, b.plan_id, b.seq)
    = (a.organisation_id, a.environment, a.plan_id, a.movement_seq)
  where (a.organisation_id, a.environment, a.plan_id) = (m.organisation_id, m.environment, m.plan_id)
    and b.seq <> m.seq and b.kind = m.kind and b.end_to_end_id is not distinct from m.end_to_end_id
    and not ${isStanding('b')})`;

// What came back has no id of its own: it is of the newest payment before it.
const PAID_AS = sql`coalesce(m.end_to_end_id, (select b.end_to_end_id from movements b
  where (b.organisation_id, b.environment, b.plan_id) = (m.organisation_id, m.environment, m.plan_id)
    and b.kind = 'PAYOUT' and b.reverses is null and b.seq < m.seq order by b.seq desc limit 1))`;

// Banks give money back under the id of its payment. Nobody tells which payment of the plan it is of.
const PAYMENTS_BEFORE = sql`
  case when m.kind = 'RETURN' then array(select distinct b.end_to_end_id from movements b
    where (b.organisation_id, b.environment, b.plan_id) = (m.organisation_id, m.environment, m.plan_id)
      and b.kind = 'PAYOUT' and b.reverses is null and b.seq < m.seq and b.end_to_end_id is not null limit 100) end`;

// Another account is paid under other ids, and so is the same account after a return.
const IS_OF_PAYEE = sql`coalesce(
    (select ${isPaidAs(sql`s.payout`)} from plan_steps s
      where (s.organisation_id, s.environment, s.plan_id) = (m.organisation_id, m.environment, m.plan_id)
        and s.payout is not null), ${PAID_AS} is not distinct from p.end_to_end_id)
  or exists (select from step_attempts a
    where (a.organisation_id, a.environment, a.plan_id) = (m.organisation_id, m.environment, m.plan_id)
      and ${isPaidAs(sql`a.payout`)}
      and a.payout -> 'recipient' ->> 'fingerprint' = p.recipient ->> 'fingerprint')`;

/** Whether the payment has an id of an attempt to pay, of which each part has one of its own. */
function isPaidAs(payout: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${payout} ->> 'endToEndId' = ${PAID_AS} or coalesce(${payout} -> 'earlierIds' ? ${PAID_AS}, false))`;
}

const DAY_MS = 86_400_000;

/** The begin of the day that is so many days after a day, as a time. */
export function shifted(day: string, dayCount: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayCount * DAY_MS).toISOString();
}

/**
 * Loads payouts and returns of a bank; what moved on a chain is in no statement. `condition` is about `m`, a row of them,
 * and may end with an order and a limit.
 */
export async function loadMovements(
  database: Database,
  { organisationId, environment }: PlanScope,
  condition: RawBuilder<unknown>,
): Promise<readonly FoundMovement[]> {
  const { rows } = await sql<Row>`
    select m.plan_id, (select row_to_json(x) from (select ${MOVEMENT_COLUMNS}) x) as movement,
      p.client_reference, p.corridor -> 'target' as target, ${isStanding('m')} as is_standing,
      (${IS_OF_PAYEE}) as is_of_payee, ${PAYMENTS_BEFORE} as paid_as,
      (select sum(a.amount) from entry_allocations a
        where a.organisation_id = ${organisationId} and a.environment = ${environment} and a.plan_id = m.plan_id
          and a.movement_seq = m.seq)::text as taken,
      ${TAKEN_BEFORE}::text as taken_before,
      ${PAID_AT} as paid_at, failed.at as failed_at, ${FAILED_REFERENCES} as failed_references,
      (select row_to_json(x) from (
        select ${sql.raw('l.seq, l.kind, l.chain_id, l.tx_hash, l.log_index, l.block_number, l.block_hash, l.verification')}
        from movements l
        where l.organisation_id = ${organisationId} and l.environment = ${environment} and l.plan_id = m.plan_id
          and l.seq <= m.seq and l.tx_hash is not null and l.reverses is null
          and (l.seq = m.seq or l.kind in ('SWAP_OUT', 'DEPOSIT'))
        order by (l.seq = m.seq) desc, (l.kind = 'SWAP_OUT') desc, l.seq desc limit 1
      ) x) as log
    from movements m join plans p
      on (p.organisation_id, p.environment, p.plan_id) = (m.organisation_id, m.environment, m.plan_id)
      cross join lateral (select ${FAILED_AT} as at offset 0) failed
    where m.organisation_id = ${organisationId} and m.environment = ${environment}
      and m.kind in ('PAYOUT', 'RETURN') and m.tx_hash is null and m.reverses is null and ${condition}`.execute(
    database,
  );
  return rows.map((row) => foundOf(row));
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function foundOf(row: Row): FoundMovement {
  const [movement] = rowsToLedger(row.plan_id, [row.movement]);
  if (movement === undefined) throw new Error('A row of a ledger is a movement.');
  return {
    planId: row.plan_id,
    movement,
    isTakenBack: !row.is_standing,
    isOfPayee: row.is_of_payee,
    clientReference: row.client_reference,
    money: moneyOf(movement, row.target),
    taken: BigInt(row.taken ?? '0'),
    takenBefore: BigInt(row.taken_before ?? '0'),
    on: dayOf(row.paid_at),
    ...(row.paid_as === null ? {} : { paidAs: row.paid_as }),
    ...(row.failed_at === null ? {} : { failedOn: dayOf(row.failed_at) }),
    ...(row.failed_references === null ? {} : { failedReferences: row.failed_references }),
    ...(row.log === null ? {} : { log: logOf(row.log) }),
  };
}

function logOf(row: ReadMovementRow): NonNullable<MatchedMovement['log']> {
  const { chain_id, tx_hash, log_index, block_number, block_hash } = row;
  const transfer = {
    chainId: chain_id,
    txHash: tx_hash,
    ...(log_index === null ? {} : { logIndex: log_index }),
    blockNumber: block_number,
    blockHash: block_hash,
  };
  return {
    kind: row.kind,
    transfer: transfer as NonNullable<Movement['transfer']>,
    verification: row.verification,
  };
}

/**
 * What the bank moved for a movement: the amount that was told to have been paid. For a token that is pegged to the
 * currency, it is as many minor units as the token's units hold. An amount that the custodian converted at a rate of
 * its own is not known.
 */
function moneyOf({ paid, actual, asset }: Movement, target: Corridor['target']): MatchedMovement['money'] {
  if (paid !== undefined && 'currency' in paid.asset)
    return { currency: paid.asset.currency, minor: BigInt(paid.amount) };
  const { currency } = target;
  const decimals = isOfToken(asset, target) ? target.decimals : undefined;
  const minorDecimals = minorDecimalsOf(currency);
  if (conversionOf({ target }) !== 'PEGGED' || decimals === undefined || minorDecimals === undefined)
    return { currency, minor: undefined };
  const scaledUnits = BigInt(actual) * 10n ** BigInt(minorDecimals);
  const wholeUnits = 10n ** BigInt(decimals);
  return { currency, minor: scaledUnits / wholeUnits };
}

function isOfToken(asset: Asset, { chainId, token }: Corridor['target']): boolean {
  return 'address' in asset && asset.chainId === chainId && asset.address === token;
}

/** Whether a movement took money from the account that pays, or brought it back. */
export function directionOfPayment({ kind }: Pick<Movement, 'kind'>): Direction {
  return kind === 'RETURN' ? 'IN' : 'OUT';
}

/** A movement in the form in which entries are matched with it. */
export function matchable(found: FoundMovement, payee: Payee | undefined): MatchMovement {
  const { planId, clientReference, movement, money, taken, takenBefore, on, paidAs } = found;
  const { failedOn, failedReferences } = found;
  const { movementId, endToEndId, providerReference } = movement;
  const { name, otherName, accountNumber, bankCode } = (found.isOfPayee ? payee : undefined) ?? {};
  // Banks may name the account that had paid when the money comes back.
  const isPaid = movement.kind === 'PAYOUT';
  return {
    movementId,
    payment: planId,
    clientReference,
    direction: directionOfPayment(movement),
    currency: money.currency,
    minor: money.minor,
    taken: taken + takenBefore,
    on,
    ...(failedOn === undefined ? {} : { failedOn }),
    ...(failedReferences === undefined ? {} : { failedReferences }),
    ...(endToEndId === undefined ? {} : { endToEndId }),
    ...(paidAs === undefined ? {} : { paidAs }),
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(name === undefined ? {} : { nameForm: nameForm(name) }),
    ...(otherName === undefined ? {} : { otherNameForm: nameForm(otherName) }),
    ...(bankCode === undefined || !isPaid ? {} : { bankCode }),
    ...(accountNumber === undefined || !isPaid ? {} : { accountForm: accountForm(accountNumber) }),
  };
}

/** All references under which a bank may book a movement, or name its payment. */
export function referencesOf({ movement, clientReference, paidAs = [] }: FoundMovement): readonly string[] {
  const { endToEndId, providerReference } = movement;
  return [endToEndId, providerReference, clientReference, ...paidAs].filter((each) => each !== undefined);
}

/** The condition that `m` is one of these movements, by their plans; others of the plans are to be left out. */
export function isOfPlans(planIds: readonly string[]): RawBuilder<unknown> {
  return sql`m.plan_id = any(${planIds})`;
}

/** The id of the plan of a movement. Undefined for what cannot be the id of a movement. */
export function planIdIn(movementId: string): string | undefined {
  const digits = /^mov_([0-9a-f]{32})[0-9a-f]{8}$/.exec(movementId)?.[1];
  return digits === undefined ? undefined : `plan_${digits}`;
}
