import {
  type Address,
  type Asset,
  type Conversion,
  type Hash,
  type Mode,
  type MovementId,
  movementIdOf,
  type PlanId,
  type SpentGas,
  type StepId,
  type TimeMs,
  type UnallocatedReason,
  type Verification,
} from '@fairway/plan';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { countedGas, type GasRow, gasPart } from './countedGas.ts';
import { isInPart, placeOf, REPORT_ORDER } from './partOfPeriod.ts';
import type { ReportPlace } from './report.ts';
import type { ReportPart } from './movementsOfPeriod.ts';

/**
 * An execution of a swap, or that one is taken back (`reverses`), as reports have it. `movementId`: of what it spent. `spent` and
 * `received`, in `transferCount` transfers, and `gas` are positive, also of one that is taken back; `settledAtMs`: the time of its block.
 * `gas`: of its transaction; of several executions of one transaction the first has it. `market`: what its route would have brought
 * by the block before.
 */
export type PeriodExecution = {
  readonly movementId: MovementId;
  readonly reverses?: MovementId;
  readonly planId: string;
  readonly clientReference: string;
  readonly corridorId: string;
  readonly mode: Mode;
  readonly stepId?: StepId;
  readonly attempt?: number;
  readonly reason?: UnallocatedReason;
  readonly verification: Verification;
  readonly source: ExecutedAsset;
  readonly target: ExecutedAsset;
  /** The currency that the token received is pegged to. */
  readonly pegged?: string;
  readonly spent: bigint;
  readonly received: bigint;
  readonly transferCount: number;
  readonly txHash: Hash;
  readonly blockNumber: number;
  readonly settledAtMs?: TimeMs;
  readonly gas?: SpentGas;
  readonly market?: bigint;
  readonly quoted?: ExecutedQuote;
  readonly bookedAtMs: TimeMs;
  readonly metadata: Readonly<Record<string, string>>;
};

/** A token of an execution. */
export type ExecutedAsset = Extract<Asset, { address: string }>;

/**
 * The instructions that were executed: what their quote expected, the least that they let arrive, and of the quote what was told
 * then. `gas` was an estimate: its units, what they were to cost in wei and in the token received; `bound`: the certificate.
 * `poolFees` is what each pool was to keep, in the token that it takes it in.
 */
export type ExecutedQuote = {
  readonly expected: bigint;
  readonly minimum: bigint;
  readonly atMs: TimeMs;
  readonly blockNumber?: number;
  readonly slippageBps?: number;
  readonly priceImpactBps?: number;
  readonly gas?: { readonly units: string; readonly cost: string; readonly costInTokenOut?: string };
  readonly bound?: { readonly gapBps: number; readonly upperBound: string };
  readonly poolFees?: readonly { readonly asset: { readonly address: string }; readonly amount: string }[];
};

/** Executions in the order of reports; `next` is the `after` of the next part, undefined at the end. */
export type ExecutionsOfPeriod = {
  readonly executions: readonly PeriodExecution[];
  readonly next: ReportPlace | undefined;
};

type Row = {
  plan_id: string;
  seq: number;
  reverses: number | null;
  booked_at: Date;
  client_reference: string;
  corridor_id: string;
  mode: Mode;
  step_id: StepId | null;
  attempt: number | null;
  reason: UnallocatedReason | null;
  verification: Verification;
  asset_chain_id: bigint;
  asset_address: Address;
  target: { chainId: number; token: Address; currency: string; conversion?: Conversion };
  spent: string;
  received: string;
  transfer_count: bigint;
  tx_hash: Hash;
  block_number: bigint;
  settled_at: Date | null;
  derived_at: Date | null;
  expected: string;
  minimum: string;
  told: Told;
  gas: GasRow;
  market_amount: string | null;
  metadata: Readonly<Record<string, string>>;
};

/** What of a quote is read. */
type Told = Pick<
  ExecutedQuote,
  'gas' | 'bound' | 'poolFees' | 'priceImpactBps' | 'slippageBps' | 'blockNumber'
>;

/**
 * Reads a part of the executions of a sealed time. An execution is what it spent with what it brought, which the
 * ledger has one after the other. The outputs stand behind their input, up to the next input of the same change. All
 * of it was written at once, and the quote before.
 */
export async function executionsOfPeriod(
  database: Database,
  scope: PlanScope,
  part: ReportPart,
): Promise<ExecutionsOfPeriod> {
  const { organisationId, environment } = scope;
  const { filter, limit } = part;
  const ofCorridor = filter.corridorId === undefined ? sql`` : sql`and p.corridor_id = ${filter.corridorId}`;
  const { rows } = await sql<Row>`
      select m.plan_id, m.seq, m.reverses, m.booked_at, p.client_reference, p.corridor_id, p.mode,
        p.metadata, o.step_id, o.attempt, o.reason, o.verification, o.asset_chain_id, o.asset_address,
        p.corridor -> 'target' as target, o.actual::text as spent, o.tx_hash, o.block_number,
        coalesce(brought.received, 0)::text as received, brought.transfer_count, brought.settled_at,
        a.derived_at, a.amount_out::text as expected, a.min_amount_out::text as minimum,
        jsonb_build_object('blockNumber', a.quote -> 'asOf' -> 'blockNumber', 'gas', a.quote -> 'fees' -> 'gas',
          'poolFees', a.quote -> 'fees' -> 'protocol', 'bound', a.quote -> 'route' -> 'optimality', 'priceImpactBps', a.quote -> 'route' -> 'priceImpactBps',
          'slippageBps', a.quote -> 'route' -> 'limits' -> 'slippageBps') as told,
        ${countedGas(scope)} as gas, o.market_amount::text
      from movements m
      join movements o on o.organisation_id = ${organisationId} and o.environment = ${environment}
        and o.plan_id = m.plan_id and o.seq = coalesce(m.reverses, m.seq)
      join plans p on p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = m.plan_id
      cross join lateral (
        select sum(e.actual) as received, count(*) as transfer_count, max(e.block_time) as settled_at
        from movements e
        where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.plan_id = o.plan_id
          and e.kind = 'SWAP_OUT' and e.reverses is null and e.revision = o.revision and e.seq > o.seq
          and not exists (
            select from movements n
            where n.organisation_id = ${organisationId} and n.environment = ${environment} and n.plan_id = o.plan_id
              and n.kind = 'SWAP_IN' and n.reverses is null and n.revision = o.revision
              and n.seq > o.seq and n.seq < e.seq)
      ) brought
      left join step_attempts a on a.organisation_id = ${organisationId} and a.environment = ${environment}
        and a.plan_id = o.plan_id and a.step_id = o.step_id and a.position = o.attempt
      where m.organisation_id = ${organisationId} and m.environment = ${environment} and m.kind = 'SWAP_IN'
        and ${isInPart(part)} ${ofCorridor}
      order by ${REPORT_ORDER} limit ${limit}`.execute(database);
  const last = rows.length < limit ? undefined : rows.at(-1);
  const next = last && placeOf(last);
  return { executions: rows.map(executionOf), next };
}

function executionOf(row: Row): PeriodExecution {
  const planId = row.plan_id as PlanId;
  const { target, block_number: blockNumber, transfer_count: transferCount, asset_chain_id: chainId } = row;
  return {
    movementId: movementIdOf(planId, row.seq),
    ...(row.reverses === null ? {} : { reverses: movementIdOf(planId, row.reverses) }),
    planId,
    clientReference: row.client_reference,
    corridorId: row.corridor_id,
    mode: row.mode,
    ...(row.step_id === null ? {} : { stepId: row.step_id }),
    ...(row.attempt === null ? {} : { attempt: row.attempt }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    verification: row.verification,
    source: { chainId: Number(chainId), address: row.asset_address },
    target: { chainId: target.chainId, address: target.token },
    ...(target.conversion === 'PEGGED' ? { pegged: target.currency } : {}),
    spent: BigInt(row.spent),
    received: BigInt(row.received),
    transferCount: Number(transferCount),
    txHash: row.tx_hash,
    blockNumber: Number(blockNumber),
    ...(row.settled_at === null ? {} : { settledAtMs: row.settled_at.getTime() }),
    ...gasPart(row.gas),
    ...(row.market_amount === null ? {} : { market: BigInt(row.market_amount) }),
    ...(row.derived_at === null ? {} : { quoted: quotedOf(row, row.derived_at) }),
    bookedAtMs: row.booked_at.getTime(),
    metadata: row.metadata,
  };
}

function quotedOf({ expected, minimum, told }: Row, derivedAt: Date): ExecutedQuote {
  const known = Object.entries(told).filter(([, value]) => value !== null);
  return {
    ...(Object.fromEntries(known) as Told),
    ...{ expected: BigInt(expected), minimum: BigInt(minimum), atMs: derivedAt.getTime() },
  };
}
