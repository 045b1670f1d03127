import {
  type Hash,
  holdsAddress,
  type Movement,
  paidWallet,
  type Plan,
  standingMovements,
} from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { PlanScope } from '../../plans/planScope.ts';
import { isHolder } from '../../plans/addressHolder.ts';
import { recordset } from '@fairway/postgres';
import { TransferClaimedError } from './refusals.ts';

/** A row of `settlements`: a transfer that counts towards a step, and never towards another step of the same role. */
type ClaimRow = {
  readonly organisation_id: string;
  readonly environment: string;
  readonly plan_id: string;
  readonly step_id: string;
  readonly role: 'DEPOSIT' | 'SWAP' | 'PAYOUT' | 'REFUND';
  readonly chain_id: number;
  readonly tx_hash: string;
  readonly log_index: number;
  readonly to_address: string | null;
  readonly token: string | null;
  readonly amount: string;
};

const ROLES: Readonly<Partial<Record<Movement['kind'], ClaimRow['role']>>> = {
  DEPOSIT: 'DEPOSIT',
  SWAP_OUT: 'SWAP',
  PAYOUT: 'PAYOUT',
  REFUND: 'REFUND',
};

/**
 * What a change of a plan means for claims. `reported` transfers are not claimed, because nothing shows that they are
 * this plan's alone. They are payouts that are only REPORTED, refunds, and deposits to the account in
 * `options.sender`, which anybody may name. The only check is that nobody else has claimed them; within an
 * organisation `recordReferences` keeps them apart.
 */
export type ClaimChange = {
  readonly claimed: readonly ClaimRow[];
  readonly reported: readonly ClaimRow[];
  /** Claims that a reorganisation has taken back. */
  readonly lost: readonly ClaimRow[];
};

/** The claims that a change of a plan makes and loses: those of the movements that stand before and after it. */
export function claimChange(scope: PlanScope, before: Plan, after: Plan): ClaimChange {
  const old = claimsOf(scope, before);
  const next = claimsOf(scope, after);
  return {
    claimed: without(next.claimed, old.claimed),
    reported: without(next.reported, old.reported),
    lost: without(old.claimed, next.claimed),
  };
}

function without(rows: readonly ClaimRow[], others: readonly ClaimRow[]): ClaimRow[] {
  const known = new Set(others.map(placeOf));
  return rows.filter((row) => {
    const place = placeOf(row);
    const isNew = !known.has(place);
    known.add(place);
    return isNew;
  });
}

function placeOf({ role, step_id, chain_id, tx_hash, log_index }: ClaimRow): string {
  return `${role} ${step_id} ${chain_id} ${tx_hash} ${log_index}`;
}

/** The transfers that the movements of a plan count: those that no other plan can have, and those that are only reported. */
export function claimsOf(scope: PlanScope, plan: Plan): Record<'claimed' | 'reported', ClaimRow[]> {
  const rows = { claimed: [] as ClaimRow[], reported: [] as ClaimRow[] };
  for (const movement of standingMovements(plan)) {
    const { kind, stepId, transfer, asset, actual, verification } = movement;
    const role = ROLES[kind];
    if (role === undefined || stepId === undefined || transfer?.logIndex === undefined) continue;
    const { chainId, txHash, logIndex } = transfer;
    const to = transfer.to ?? receiverOf(plan, role);
    const row = claimRow(scope, plan, { role, stepId, chainId, txHash, logIndex }, { to, amount: actual });
    const token = 'address' in asset ? asset.address.toLowerCase() : null;
    const isReported =
      kind === 'REFUND' || isOfNamedAccount(plan, kind) || (kind === 'PAYOUT' && verification !== 'VERIFIED');
    rows[isReported ? 'reported' : 'claimed'].push({ ...row, token });
  }
  return rows;
}

/** Whether a movement is a deposit to an account that the integrator only named, and that is no address of the plan. */
export function isOfNamedAccount({ options }: Plan, kind: Movement['kind']): boolean {
  return kind === 'DEPOSIT' && options.depositAddress === undefined;
}

/** Who a transfer of a role pays, where its movement does not say so. */
function receiverOf({ options, corridor, ...plan }: Plan, role: ClaimRow['role']): string | undefined {
  if (role === 'DEPOSIT') return options.depositAddress ?? options.sender;
  if (role === 'SWAP') return corridor.target.settlementAddress;
  return role === 'PAYOUT' ? paidWallet({ options, corridor, ...plan })?.address : undefined;
}

type Place = {
  readonly role: ClaimRow['role'];
  readonly stepId: string;
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndex: number;
};

function claimRow(
  { organisationId, environment }: PlanScope,
  { planId }: Plan,
  { role, stepId, chainId, txHash, logIndex }: Place,
  { to, amount }: { readonly to: string | undefined; readonly amount: string },
): ClaimRow {
  return {
    organisation_id: organisationId,
    environment,
    plan_id: planId,
    step_id: stepId,
    role,
    chain_id: chainId,
    tx_hash: txHash.toLowerCase(),
    log_index: logIndex,
    to_address: to?.toLowerCase() ?? null,
    token: null,
    amount,
  };
}

/**
 * Makes room for new claims among those that a reorganisation took back. A lost claim yields its log index to another transfer, because a transaction that is mined again can have other
 * indices. A plan's own lost claim of the same transfer at another index is replaced by the new claim. Throws TransferClaimedError where another plan has lost the
 * same transfer, and this plan has not: then the transfer is that plan's.
 */
export async function makeRoom(transaction: Database, { claimed }: ClaimChange): Promise<void> {
  if (claimed.length === 0) return;
  const { rows: lost } = await sql<ClaimRow>`
    select any_lost_claim.organisation_id, any_lost_claim.environment, any_lost_claim.plan_id, any_lost_claim.step_id,
      any_lost_claim.role, any_lost_claim.chain_id::int4, any_lost_claim.tx_hash, any_lost_claim.log_index,
      any_lost_claim.to_address, any_lost_claim.token, any_lost_claim.amount::text
    from settlements any_lost_claim
    where (any_lost_claim.environment, any_lost_claim.chain_id, any_lost_claim.tx_hash, any_lost_claim.role) in (
        select environment, chain_id, tx_hash, role from ${recordset('settlements', claimed)})
      and any_lost_claim.lost_at is not null`.execute(transaction);
  if (lost.length === 0) return;
  const taken = claimed.filter((claim) => {
    const same = lost.filter((each) => isSameTransfer(each, claim));
    return same.some((each) => !isOfStep(each, claim)) && !same.some((each) => isOfStep(each, claim));
  });
  if (taken.length > 0) {
    const named = taken.map(({ tx_hash, log_index }) => ({ txHash: tx_hash, logIndex: log_index }));
    throw new TransferClaimedError(named);
  }
  const replaced = lost.filter((each) => {
    const atPlace = claimed.find((claim) => isAtPlace(each, claim));
    if (atPlace !== undefined) return !isSameTransfer(each, atPlace);
    return claimed.some((claim) => isSameTransfer(each, claim) && isOfStep(each, claim));
  });
  await sql`delete from settlements any_lost_claim using ${recordset('settlements', replaced)} as row
    where (any_lost_claim.environment, any_lost_claim.chain_id, any_lost_claim.tx_hash, any_lost_claim.log_index,
        any_lost_claim.role) = (row.environment, row.chain_id, row.tx_hash, row.log_index, row.role)
      and any_lost_claim.lost_at is not null`.execute(transaction);
}

function isAtPlace(a: ClaimRow, b: ClaimRow): boolean {
  return isOfTransaction(a, b) && a.log_index === b.log_index;
}

function isOfTransaction(a: ClaimRow, b: ClaimRow): boolean {
  return a.chain_id === b.chain_id && a.tx_hash === b.tx_hash && a.role === b.role;
}

function isOfStep(a: ClaimRow, b: ClaimRow): boolean {
  return a.organisation_id === b.organisation_id && a.plan_id === b.plan_id && a.step_id === b.step_id;
}

/** Whether two claims are of the same transfer, wherever its log is. */
function isSameTransfer(lost: ClaimRow, claim: ClaimRow): boolean {
  if (!isOfTransaction(lost, claim)) return false;
  return lost.token === claim.token && lost.to_address === claim.to_address && lost.amount === claim.amount;
}

/**
 * Claims transfers for their steps: a transfer is claimed once in each role, and for one step of a plan. Claims are made
 * in the order of the key, so that two plans that claim the same transfers never deadlock. The part `claimed` of the
 * query has the proposed transfers that something else has. Transfers to a plan that no longer holds its address
 * count as another plan's if that one holds the address since then. Earlier transfers stay with the plan that ended.
 * A deposit that turns out as a refund gives its claim up in the same change.
 */
export function settle(
  scope: PlanScope,
  { claimed, reported, lost }: ClaimChange,
  plan: Plan,
): RawBuilder<unknown> {
  const { planId, options, corridor } = plan;
  const proposed = recordset('settlements', claimed);
  const address = holdsAddress(plan) ? null : (options.depositAddress?.toLowerCase() ?? null);
  return sql`lost_claims as (${loseClaims(scope, lost)}), settled as (
      insert into settlements as known
      select * from ${proposed} order by chain_id, tx_hash, log_index, role
      on conflict (environment, chain_id, tx_hash, log_index, role) do update
      set to_address = excluded.to_address, token = excluded.token, amount = excluded.amount, lost_at = null
      where (known.organisation_id, known.plan_id, known.step_id)
        = (excluded.organisation_id, excluded.plan_id, excluded.step_id)
      returning chain_id, tx_hash, log_index, role
    ), claimed as (
      select tx_hash, log_index from ${proposed} as proposed
      where not exists (
          select from settled where (settled.chain_id, settled.tx_hash, settled.log_index, settled.role)
            = (proposed.chain_id, proposed.tx_hash, proposed.log_index, proposed.role))
        or ${isOfAnotherStep(sql`(any_claim.organisation_id, any_claim.plan_id) = (proposed.organisation_id, proposed.plan_id)`)}
        or proposed.role = 'DEPOSIT' and exists (
          select from plans any_open_plan, ${blocksOf(plan)}
          where (place.tx_hash, place.log_index) = (proposed.tx_hash, proposed.log_index)
            and any_open_plan.watch_from_block <= place.block_number
            and any_open_plan.environment = proposed.environment
            and any_open_plan.source_chain_id = ${corridor.source.chainId} and any_open_plan.deposit_address = ${address}
            and any_open_plan.plan_id <> ${planId} and ${isHolder('any_open_plan')})
      union
      select tx_hash, log_index from ${recordset('settlements', reported)} as proposed
      where ${isOfAnotherStep(sql`(any_claim.role = proposed.role
          or (proposed.role, any_claim.role) = ('REFUND', 'PAYOUT')
          or (any_claim.organisation_id, any_claim.plan_id) = (proposed.organisation_id, proposed.plan_id))
          and not exists (
            select from ${recordset('settlements', lost)} as given_up
            where (given_up.plan_id, given_up.step_id, given_up.chain_id, given_up.tx_hash, given_up.log_index, given_up.role)
              = (any_claim.plan_id, any_claim.step_id, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role))`)}
        or proposed.role = 'DEPOSIT' and exists (
          select from plans open_plan
          where open_plan.organisation_id = ${scope.organisationId} and open_plan.environment = ${scope.environment}
            and open_plan.source_chain_id = ${corridor.source.chainId}
            and open_plan.deposit_address = proposed.to_address
            and ${isHolder('open_plan')})
    )`;
}

/** The blocks of the transfers that a plan counts: of a transaction that was mined again, the first that it was in. */
function blocksOf(plan: Plan): RawBuilder<unknown> {
  const firstOf = (txHash: Hash, blockNumber: number) =>
    (plan.ledger ?? []).reduce(
      (first, { kind, transfer }) =>
        kind === 'DEPOSIT' && transfer?.txHash === txHash && transfer.blockNumber < first
          ? transfer.blockNumber
          : first,
      blockNumber,
    );
  const places = standingMovements(plan).flatMap(({ transfer }) =>
    transfer?.logIndex === undefined
      ? []
      : [
          {
            tx_hash: transfer.txHash.toLowerCase(),
            log_index: transfer.logIndex,
            block_number: firstOf(transfer.txHash, transfer.blockNumber),
          },
        ],
  );
  return sql`jsonb_to_recordset(${JSON.stringify(places)}::jsonb)
            as place (tx_hash text, log_index int4, block_number int8)`;
}

function loseClaims(
  { organisationId, environment }: PlanScope,
  lost: readonly ClaimRow[],
): RawBuilder<unknown> {
  return sql`update settlements s set lost_at = clock_timestamp() from ${recordset('settlements', lost)} as row
      where s.organisation_id = ${organisationId} and s.environment = ${environment} and s.plan_id = row.plan_id
        and s.step_id = row.step_id and s.lost_at is null
        and (s.chain_id, s.tx_hash, s.log_index, s.role) = (row.chain_id, row.tx_hash, row.log_index, row.role)`;
}

/** Whether another step has claimed the transfer of a proposed claim, among the claims that satisfy `kind`. */
function isOfAnotherStep(kind: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (
        select from settlements any_claim
        where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index)
            = (proposed.environment, proposed.chain_id, proposed.tx_hash, proposed.log_index)
          and (any_claim.organisation_id, any_claim.plan_id, any_claim.step_id)
            <> (proposed.organisation_id, proposed.plan_id, proposed.step_id)
          and ${kind})`;
}
