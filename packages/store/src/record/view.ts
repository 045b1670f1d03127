import {
  type Address,
  amountOf,
  type Hash,
  holdsAddress,
  paidWallet,
  type Plan,
  type RecordedTransfer,
  standingMovements,
  swapStep,
  type TransferPlace,
} from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isStanding } from '../plans/standingMovement.ts';
import { momentOf, type MomentRow } from './position.ts';
import { isOfSwapSize } from './swapSize.ts';
import type { ChainMoment } from './types.ts';
import { isExecutionUnread } from './untraced.ts';

/** What a plan's comparison asks for: the tags of its instructions, and the accounts that the custodian pays from. */
export type ViewAsk = {
  readonly tags: readonly `0x${string}`[];
  readonly payoutAddresses: readonly Address[];
};

/**
 * What the record of a chain shows of one plan. `deposits`: to its deposit address. `executions`: of the payout token to
 * the settlement address, with a tag of the plan, and without dust. `payouts`: from the custodian to the wallet that is to be paid. All are in the
 * chain's order, and none belongs to another plan. `gone`: transfers of the plan's ledger that are no longer on the chain.
 * `unrecorded`: transfers of its ledger that the record does not have. `isUnread`: a transaction that may have executed its
 * instructions is still to be read.
 */
export type PlanView = {
  readonly moment: ChainMoment;
  readonly deposits: readonly RecordedTransfer[];
  readonly executions: readonly RecordedTransfer[];
  readonly payouts: readonly RecordedTransfer[];
  readonly gone: readonly (TransferPlace & { readonly blockNumber: number })[];
  readonly unrecorded: PlanView['gone'];
  readonly isUnread: boolean;
};

type TransferRow = {
  kind: 'DEPOSIT' | 'EXECUTION' | 'PAYOUT';
  block_hash: string;
  log_index: number;
  block_number: number;
  block_time: string;
  tx_hash: string;
  token: string;
  from_address: string;
  to_address: string;
  amount: string;
};

type ViewRow = MomentRow & {
  transfers: TransferRow[];
  absent: { block_hash: string; tx_hash: string; log_index: number; is_gone: boolean }[];
  is_unread: boolean;
};

/** Reads what the record shows of a plan, in one query. */
export async function viewOf(
  database: Database,
  scope: PlanScope,
  plan: Plan,
  ask: ViewAsk,
): Promise<{ view: PlanView }> {
  const { chainId } = plan.corridor.source;
  const places = placesOf(plan, chainId);
  const { rows } = await queryOf(scope, plan, ask, places).execute(database);
  const [row] = rows;
  const of = (kind: TransferRow['kind']) =>
    (row?.transfers ?? []).filter((each) => each.kind === kind).map((each) => transferOf(chainId, each));
  const absent = (row?.absent ?? []).flatMap(({ block_hash, tx_hash, log_index, is_gone }) =>
    places
      .filter(
        ({ blockHash, txHash, logIndex }) =>
          blockHash === block_hash && txHash.toLowerCase() === tx_hash && logIndex === log_index,
      )
      .map((place) => ({ place, is_gone })),
  );
  const view: PlanView = {
    moment: momentOf(chainId, row?.has_record === true ? row : undefined),
    deposits: of('DEPOSIT'),
    executions: of('EXECUTION'),
    payouts: of('PAYOUT'),
    gone: absent.filter(({ is_gone }) => is_gone).map(({ place }) => place),
    unrecorded: absent.filter(({ is_gone }) => !is_gone).map(({ place }) => place),
    isUnread: row?.is_unread === true,
  };
  return { view };
}

/** The places of the transfers that the plan's ledger rests on. */
function placesOf(plan: Plan, chainId: number): PlanView['unrecorded'] {
  const places = standingMovements(plan).flatMap(({ transfer }) => {
    if (transfer?.logIndex === undefined || transfer.chainId !== chainId) return [];
    const { txHash, blockHash, logIndex, blockNumber } = transfer;
    return [{ chainId, txHash, blockHash, logIndex, blockNumber }];
  });
  return [
    ...new Map(
      places.map((place) => [`${place.blockHash} ${place.txHash} ${place.logIndex}`, place]),
    ).values(),
  ];
}

/** `position` and the transfers of a plan. A plan whose chain has no record gets a row without them. */
function queryOf(
  scope: PlanScope,
  plan: Plan,
  { tags, payoutAddresses }: ViewAsk,
  places: PlanView['unrecorded'],
) {
  const { environment } = scope;
  const { chainId } = plan.corridor.source;
  const wallet = dueWallet(plan);
  const columns = sql`t.block_hash, t.log_index, t.block_number, t.block_time, t.tx_hash, t.token, t.from_address,
    t.to_address, t.amount::text`;
  const onChain = sql`t.environment = ${environment} and t.chain_id = ${chainId} and t.canonical`;
  const since = sql`t.block_number >= ${plan.watchFromBlock}`;
  const place = JSON.stringify(
    places.map(({ blockHash, txHash, logIndex }) => ({
      block_hash: blockHash,
      tx_hash: txHash.toLowerCase(),
      log_index: logIndex,
    })),
  );
  return sql<ViewRow>`
    select r.chain_id is not null as has_record, r.state, r.read_number, r.read_hash, r.read_time,
      r.lease_until > clock_timestamp() as is_led,
      ${isExecutionUnread(environment, plan)} as is_unread, (
        select coalesce(json_agg(x order by x.block_number, x.log_index), '[]') from (
          select 'DEPOSIT' as kind, ${columns} from chain_transfers t
          where ${onChain} and ${since} and t.to_address = ${addressOrNull(plan.options.depositAddress)}
            and (${isOfPlan(plan)}) and ${isFree(scope, plan, 'DEPOSIT')}
          union all
          select 'EXECUTION', ${columns} from (
            select t.*, sum(t.amount) over (partition by t.tx_hash) as brought from chain_transfers t
            where ${onChain} and ${since} and t.to_address = ${addressOrNull(plan.corridor.target.settlementAddress)}
              and t.token = ${plan.corridor.target.token.toLowerCase()}
              and t.tag in (select decode(tags.digits, 'hex') from unnest(${tags.map((tag) => tag.slice(2))}::text[]) as tags (digits))
          ) t where ${isOfSwapSize(sql`t.brought`, plan)}
          union all
          select 'PAYOUT', ${columns} from chain_transfers t
          where ${onChain} and t.block_number >= ${wallet?.fromBlock ?? 0}
            and t.to_address = ${addressOrNull(wallet?.address)} and t.token = ${plan.corridor.target.token.toLowerCase()}
            and t.from_address = any(${payoutAddresses.map((each) => each.toLowerCase())}::text[])
            and ${isFree(scope, plan, 'PAYOUT')} and ${isUnrecorded(scope, plan)}
        ) x
      ) as transfers, (
        select coalesce(json_agg(x), '[]') from (
          select place.block_hash, place.tx_hash, place.log_index, t.canonical is not null as is_gone
          from jsonb_to_recordset(${place}::jsonb) as place (block_hash text, tx_hash text, log_index int4)
          left join chain_transfers t on t.environment = ${environment} and t.chain_id = ${chainId}
            and (t.block_hash, t.tx_hash, t.log_index) = (place.block_hash, place.tx_hash, place.log_index)
          where t.canonical is not true
        ) x
      ) as absent
    from (select 1) here left join chain_records r on r.environment = ${environment} and r.chain_id = ${chainId}`;
}

/** The wallet that is to be paid now, and the block of the swap, before which nothing pays it. */
function dueWallet(plan: Plan): { readonly address: string; readonly fromBlock: number } | undefined {
  const wallet = paidWallet(plan);
  const swap = swapStep(plan).evidence;
  if (wallet === undefined || wallet.evidence !== undefined || swap === undefined) return undefined;
  return { address: wallet.address, fromBlock: swap.blockNumber };
}

/**
 * Whether a transfer to a deposit address is of this plan and not of a later one. The address belongs only to the
 * plan that holds it. A transfer that comes when no plan holds it is of the last holder, unless others have proven
 * that the address is theirs. A transaction that the plan has had once is the plan's wherever it is mined again, also
 * when another plan has the address by then.
 */
function isOfPlan(plan: Plan): RawBuilder<unknown> {
  if (holdsAddress(plan)) return sql`true`;
  const deposits = (plan.ledger ?? []).filter(({ kind }) => kind === 'DEPOSIT');
  const known = deposits.flatMap(({ transfer }) => transfer?.txHash.toLowerCase() ?? []);
  const end = plan.addressLostFrom ?? null;
  return sql`t.tx_hash = any(${known}::text[]) or coalesce(t.block_number < ${end}::int8, true) and not exists (
              select from plans any_owner
              where any_owner.environment = t.environment and any_owner.source_chain_id = t.chain_id
                and any_owner.deposit_address = t.to_address and any_owner.plan_id > ${plan.planId}
                and any_owner.watch_from_block <= t.block_number)`;
}

/**
 * Whether a transfer settles neither a step of another plan in this role, nor another step of this plan. A transfer
 * that another plan lost by a reorganisation is still that plan's, wherever its log is by now. The exception is that
 * this plan lost a like one. Another transfer may have the former log index of that transfer.
 */
function isFree(
  { organisationId }: PlanScope,
  { planId }: Plan,
  role: 'DEPOSIT' | 'PAYOUT',
): RawBuilder<unknown> {
  return sql`not exists (
              select from settlements any_claim
              where any_claim.environment = t.environment and any_claim.chain_id = t.chain_id
                and any_claim.tx_hash = t.tx_hash
                and (any_claim.plan_id = ${planId}) <> (any_claim.role = ${role})
                and (any_claim.log_index = t.log_index or any_claim.lost_at is not null
                  and not exists (
                    select from settlements own_claim
                    where own_claim.organisation_id = ${organisationId}
                      and (own_claim.environment, own_claim.chain_id, own_claim.tx_hash, own_claim.role, own_claim.plan_id)
                        = (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.role, ${planId})
                      and own_claim.lost_at is not null and (own_claim.to_address, own_claim.token, own_claim.amount)
                        = (any_claim.to_address, any_claim.token, any_claim.amount)))
                and (any_claim.lost_at is null or (any_claim.to_address, any_claim.token, any_claim.amount)
                  = (t.to_address, t.token, t.amount)))`;
}

/**
 * Whether a transfer to a wallet is told as nothing else: neither as a refund, nor as the payout of another plan. A
 * report of another organisation without a proof takes nothing from the plan.
 */
function isUnrecorded({ organisationId }: PlanScope, { planId }: Plan): RawBuilder<unknown> {
  return sql`not exists (
              select from movements any_moved
              where ${isRecordedAsOther('any_moved', planId)} and any_moved.verification = 'VERIFIED')
            and not exists (
              select from movements m
              where ${isRecordedAsOther('m', planId)} and m.organisation_id = ${organisationId})`;
}

function isRecordedAsOther(movement: 'm' | 'any_moved', planId: string): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${movement}.${column}`);
  return sql`(${of('environment')}, ${of('chain_id')}, ${of('tx_hash')}, ${of('log_index')})
                  = (t.environment, t.chain_id, t.tx_hash, t.log_index)
                and (${of('kind')} = 'REFUND' or ${of('kind')} = 'PAYOUT' and ${of('plan_id')} <> ${planId})
                and ${isStanding(movement)}`;
}

function addressOrNull(address: string | undefined): string | null {
  return address?.toLowerCase() ?? null;
}

function transferOf(chainId: number, row: TransferRow): RecordedTransfer {
  return {
    chainId,
    txHash: row.tx_hash as Hash,
    logIndex: row.log_index,
    blockNumber: row.block_number,
    blockHash: row.block_hash as Hash,
    blockTimeMs: Date.parse(row.block_time),
    token: row.token as Address,
    from: row.from_address as Address,
    to: row.to_address as Address,
    amount: amountOf(BigInt(row.amount)),
  };
}
