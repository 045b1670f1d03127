import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Environment } from '../database/schema.ts';
import { addChainJobs } from '../jobs/chainJob.ts';
import { endWaits } from '../jobs/chainWait.ts';
import { isHolder } from '../plans/addressHolder.ts';
import type { ScopedPlanId } from '../plans/planScope.ts';
import { mayBeSwap } from './swapSize.ts';
import type { Lease, RecordedBlock } from './types.ts';

/**
 * A transfer as it was read, for the record. Hashes and addresses are in lower case. `tag`: 16 bytes as `0x` and hexadecimal digits.
 * `isForeignTag`: it is recorded only if it has the tag of a plan. `isPayout`: it is from an account that a custodian pays
 * from to the wallet of a plan.
 */
export type ReadTransfer = {
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly blockTimeMs: number;
  readonly logIndex: number;
  readonly txHash: string;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly tag?: string;
  readonly isForeignTag?: true;
  readonly isPayout?: true;
  readonly untraced?: true;
};

/** A transaction in a block. */
export type ReadPlace = Pick<ReadTransfer, 'blockHash' | 'txHash'>;

/**
 * Transactions that were unread and have been read, and those of their transfers that are to be recorded: where their blocks are
 * canonical still. They are no longer unread, whatever they turned out to be.
 */
export type ReadAnswers = {
  readonly answered: readonly ReadPlace[];
  readonly transfers: readonly ReadTransfer[];
};

/** What was read of a chain, to be written in one query. */
export type RecordedBlocks = {
  /** The last block that the record is believed to hold; undefined before the first. */
  readonly believed: string | undefined;
  /** The last block of the record that is still canonical; what is above it is no longer. */
  readonly ancestorNumber: number;
  /** The last block that was read now. */
  readonly tip: RecordedBlock;
  /** The newest block of the nodes, and how many blocks below it the record still counts as being at the head. */
  readonly targetNumber: number;
  readonly toleratedBlocks: number;
  readonly verifiedNumber: number;
  /** From here on the chain is still to be read again; absent: nowhere. */
  readonly rereadFrom?: number | undefined;
  /** Watched addresses of transactions before this one were taken into account. */
  readonly watchedXmin: string;
  /** Each once. */
  readonly transfers: readonly ReadTransfer[];
  /**
   * Transfers to settlement addresses whose transactions are to be read later, each once. Those that can be no plan's swap are
   * left out.
   */
  readonly unread?: readonly ReadTransfer[] | undefined;
  /** The blocks to keep hashes of: at least those with a transfer. Each once. */
  readonly blocks: readonly RecordedBlock[];
};

/**
 * The outcome of a write. LEASE_LOST: the lease or the record is another's by now, and nothing was written. `added`
 * counts transfers that were not on record as canonical, `gone` those that no longer are, `ignored` those of no use to a busy
 * address. `touched`: the plans that
 * these transfers concern, and those that waited for the block. Each of them has a job now.
 */
export type Advanced =
  | {
      readonly outcome: 'RECORDED';
      readonly state: 'AT_HEAD' | 'CATCHING_UP';
      readonly added: number;
      readonly gone: number;
      readonly ignored: number;
      readonly touched: readonly ScopedPlanId[];
    }
  | { readonly outcome: 'LEASE_LOST' };

type AdvancedRow = {
  state: 'AT_HEAD' | 'CATCHING_UP' | null;
  added_count: bigint;
  gone_count: bigint;
  ignored_count: bigint;
  touched: { organisationId: string; planId: string }[];
};

/** Writes what was read, where holder, epoch and the last block are still what the writer believes. */
export function advance(database: Database, lease: Lease, read: RecordedBlocks): Promise<Advanced> {
  const { tip, believed, targetNumber: target } = read;
  const led = sql`
      update chain_records set read_number = ${tip.number}, read_hash = ${tip.hash}, read_time = ${iso(tip.timeMs)},
        target_number = ${target}, must_reach = coalesce(must_reach, ${target}),
        verified_number = ${read.verifiedNumber}, reread_from = ${read.rereadFrom ?? null}, watched_xmin = ${read.watchedXmin}::xid8,
        state = case when ${tip.number}::int8 >= coalesce(must_reach, ${target})
          and ${target - tip.number}::int8 <= ${read.toleratedBlocks}::int8 then 'AT_HEAD' else 'CATCHING_UP' end
      where ${isLed(lease)} and read_hash is not distinct from ${believed ?? null}
      returning state, read_number`;
  return perform(database, lease, queryOf(lease, led, { ...read, unread: read.unread ?? [], answered: [] }));
}

/** This number is above all blocks, so that no block is taken back. */
const ABOVE_ALL = 9_007_199_254_740_991;

/**
 * Writes what unread transactions turned out to be. The holder must not write blocks at the same time: otherwise a
 * transfer could be recorded that was taken back in between. A holder that was cut off writes nothing.
 */
export function answerUnread(database: Database, lease: Lease, read: ReadAnswers): Promise<Advanced> {
  const led = sql`select state, read_number from chain_records where ${isLed(lease)} for no key update`;
  const part = { ...read, ancestorNumber: ABOVE_ALL, unread: [], blocks: [] };
  return perform(database, lease, queryOf(lease, led, part));
}

function isLed({ environment, chainId, holder, epoch }: Lease): RawBuilder<unknown> {
  return sql`chain_records.environment = ${environment} and chain_records.chain_id = ${chainId}
        and holder = ${holder} and epoch = ${epoch}`;
}

async function perform(
  database: Database,
  { environment }: Lease,
  query: RawBuilder<AdvancedRow>,
): Promise<Advanced> {
  const { rows } = await query.execute(database);
  const [row] = rows;
  if (row === undefined || row.state === null) return { outcome: 'LEASE_LOST' };
  const touched = row.touched.map(({ organisationId, planId }) => ({
    scope: { organisationId, environment },
    planId,
  }));
  const { added_count, gone_count, ignored_count } = row;
  const counts = { added: Number(added_count), gone: Number(gone_count), ignored: Number(ignored_count) };
  return { outcome: 'RECORDED', state: row.state, ...counts, touched };
}

type Parts = ReadAnswers &
  Pick<RecordedBlocks, 'ancestorNumber' | 'blocks'> & { readonly unread: readonly ReadTransfer[] };

/**
 * All or nothing: every part depends on `led`, which is empty for a holder that was cut off. A row is never changed
 * by two parts. Removed blocks are not among the fresh ones, as no block is deleted whose number is written.
 */
function queryOf(
  { environment, chainId }: Lease,
  led: RawBuilder<unknown>,
  { ancestorNumber, unread, answered, ...read }: Parts,
): RawBuilder<AdvancedRow> {
  const chain = (table: string) => isOfChain(table, environment, chainId);
  const [transfers, blocks] = [read.transfers.map(transferRow), read.blocks.map(blockRow)];
  const unreadRows = unread.map(transferRow);
  const freshHashes = [...new Set([...transfers, ...unreadRows].map(({ block_hash }) => block_hash))];
  const freshNumbers = blocks.map(({ number }) => number);
  return sql<AdvancedRow>`
    with led as (${led}
    ), gone as (
      update chain_transfers set canonical = false from led
      where ${chain('chain_transfers')} and block_number > ${ancestorNumber} and canonical
        and block_hash <> all(${freshHashes}::text[])
      returning to_address, tx_hash
    ), gone_blocks as (
      delete from chain_blocks using led
      where ${chain('chain_blocks')} and number > ${ancestorNumber} and number <> all(${freshNumbers}::int8[])
    ), gone_unread as (
      delete from chain_unread using led
      where ${chain('chain_unread')} and block_number > ${ancestorNumber} and block_hash <> all(${freshHashes}::text[])
    ), answered as (
      delete from chain_unread using led, ${places(answered)}
      where ${chain('chain_unread')}
        and (chain_unread.block_hash, chain_unread.tx_hash) = (place.block_hash, place.tx_hash)
      returning chain_unread.block_hash, chain_unread.tx_hash
    ), offered as (${offeredTransfers(environment, transfers, answered)}
    ), traced as (
      update chain_transfers known set untraced = false from answered
      where ${chain('known')} and known.untraced
        and (known.block_hash, known.tx_hash) = (answered.block_hash, answered.tx_hash)
        and (known.block_hash, known.tx_hash, known.log_index) not in (select block_hash, tx_hash, log_index from offered)
    ), unread as (${insertUnread(environment, chainId, unreadRows)}
    ), busy as (${busyAddresses(environment, chainId)}
    ), kept as (${keptTransfers(environment, chainId)}
    ), fresh as (${insertTransfers(environment, chainId)}
    ), blocks as (${insertBlocks(environment, chainId, blocks)}
    ), touched as (${touchedPlans(environment, chainId, ancestorNumber)}
    ), woken as (${endWaits(environment, chainId, sql`led`)}
    ), due as (
      select organisation_id, plan_id, 0 as tries from touched
      union all
      select organisation_id, plan_id, tries from woken
      where (organisation_id, plan_id) not in (select organisation_id, plan_id from touched)
    )
    select (select state from led) as state, (select count(*) from fresh) as added_count,
      (select count(*) from gone) as gone_count, 
      (select count(*) from offered) - (select count(*) from kept) as ignored_count, (
        select coalesce(jsonb_agg(jsonb_build_object('organisationId', organisation_id, 'planId', plan_id)), '[]')
        from due
      ) as touched, ${addChainJobs(environment, sql`due`)} as jobs`;
}

/** The plans that fresh or removed transfers concern, and those that rest on other transactions of removed blocks. */
function touchedPlans(
  environment: Environment,
  chainId: number,
  ancestorNumber: number,
): RawBuilder<unknown> {
  const chain = (table: string) => isOfChain(table, environment, chainId);
  return sql`
      select any_watched.organisation_id, any_watched.plan_id
      from fresh join watched_addresses any_watched on any_watched.address = fresh.to_address
      where ${chain('any_watched')} and (any_watched.purpose <> 'DEPOSIT' or ${isOwner(environment, chainId)})
      union
      select any_watched.organisation_id, any_watched.plan_id from watched_addresses any_watched
      where ${chain('any_watched')} and any_watched.purpose <> 'DEPOSIT'
        and any_watched.address in (select to_address from gone)
      union
      select any_moved.organisation_id, any_moved.plan_id from movements any_moved
      where ${chain('any_moved')} and any_moved.tx_hash in (select tx_hash from gone union select tx_hash from fresh)
      union
      select any_request.organisation_id, any_request.plan_id from led, chain_requests any_request
      where ${chain('any_request')} and any_request.block_number > ${ancestorNumber} and any_request.served
      union
      select any_attempt.organisation_id, any_attempt.plan_id from step_attempts any_attempt
      where any_attempt.environment = ${environment} and any_attempt.instructions is not null
        and right(any_attempt.instructions #>> '{-1,data}', ${TAG_DIGITS}) in (select encode(tag, 'hex') from fresh)
      union
      select any_tagged.organisation_id, any_tagged.plan_id from plans any_tagged
      where any_tagged.environment = ${environment}
        and ${tagName(sql`any_tagged`)} in (select substr(tag, 1, 6) from fresh)`;
}

function isOfChain(table: string, environment: Environment, chainId: number): RawBuilder<unknown> {
  return sql`${sql.ref(`${table}.environment`)} = ${environment} and ${sql.ref(`${table}.chain_id`)} = ${chainId}`;
}

/** The bytes that begin the tags of a plan's attempts, as the index `plans_by_tag` has them. */
function tagName(plan: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`substr(sha256(('fairway plan ' || ${plan}.plan_id)::bytea), 1, 6)`;
}

/**
 * The transfers that were read, without swaps by tags of no plan, and without unread transfers that are gone by now.
 */
function offeredTransfers(
  environment: Environment,
  rows: readonly object[],
  answers: readonly ReadPlace[],
): RawBuilder<unknown> {
  return sql`
      select row.* from led, ${transferSet(rows)}
      where (not row.is_foreign_tag or exists (
        select from plans any_tagged
        where any_tagged.environment = ${environment} and ${tagName(sql`any_tagged`)} = substr(row.tag, 1, 6)
      )) and ((row.block_hash, row.tx_hash) not in (select place.block_hash, place.tx_hash from ${places(answers)})
        or (row.block_hash, row.tx_hash) in (select block_hash, tx_hash from answered))`;
}

function transferSet(rows: readonly object[]): RawBuilder<unknown> {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (block_hash text, log_index int4,
        block_number int8, block_time timestamptz, tx_hash text, token text, from_address text, to_address text,
        amount numeric, tag bytea, untraced bool, is_foreign_tag bool, is_payout bool)`;
}

function places(read: readonly ReadPlace[]): RawBuilder<unknown> {
  const rows = read.map(({ blockHash, txHash }) => ({ block_hash: blockHash, tx_hash: txHash }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as place (block_hash text, tx_hash text)`;
}

/** A possible swap waits to be read, unless the record knows whose it is. */
function insertUnread(
  environment: Environment,
  chainId: number,
  rows: readonly object[],
): RawBuilder<unknown> {
  const [address, token, brought] = [sql`row.to_address`, sql`row.token`, sql`row.brought`];
  return sql`
      insert into chain_unread (environment, chain_id, block_hash, log_index, block_number, block_time, tx_hash, token,
        from_address, to_address, amount)
      select ${environment}, ${chainId}, row.block_hash, row.log_index, row.block_number, row.block_time, row.tx_hash,
        row.token, row.from_address, row.to_address, row.amount
      from (
        select each.*, sum(each.amount) over (partition by each.block_hash, each.tx_hash, each.to_address, each.token) as brought
        from (select row.* from led, ${transferSet(rows)}) each
      ) row
      where ${mayBeSwap(environment, chainId, { address, token, brought })}
        and not exists (
          select from chain_transfers t
          where (t.environment, t.chain_id, t.block_hash, t.tx_hash, t.log_index)
              = (${environment}, ${chainId}, row.block_hash, row.tx_hash, row.log_index)
            and t.canonical and t.tag is not null)
      on conflict (environment, chain_id, block_hash, tx_hash, log_index) do nothing`;
}

/** An address with so many recorded transfers is busy. */
const BUSY_TRANSFERS = 1_000;
/** Where a corridor does not say it, less than this part of a plan's amount is dust. */
const DUST_PART = 1_000;

function busyAddresses(environment: Environment, chainId: number): RawBuilder<unknown> {
  return sql`
      select paid.to_address from (select distinct to_address from offered) paid
      where (select count(*) from (
            select from chain_transfers t
            where t.environment = ${environment} and t.chain_id = ${chainId} and t.to_address = paid.to_address
            limit ${BUSY_TRANSFERS}) many) >= ${BUSY_TRANSFERS}`;
}

/**
 * The transfers that are recorded: to a busy address, only those that a plan of it may have a use for. Anybody can send
 * dust, or name the address of an exchange. Transfers that the record already has stay, and those that a plan asks
 * for are recorded. A transfer of a token that no plan of the address deposits is recorded when it is more than all of
 * that token before it. Each of these doubles what came, so they are few. So dust hides no money sent by mistake.
 */
function keptTransfers(environment: Environment, chainId: number): RawBuilder<unknown> {
  return sql`
      select row.* from (
        select o.*, sum(o.amount) over (
          partition by o.to_address, o.token order by o.block_number, o.log_index
          rows between unbounded preceding and 1 preceding) as offered_before
        from offered o
      ) row
      where case
        when row.tag is not null or row.untraced or row.is_payout then true
        when row.to_address not in (select to_address from busy) then true
        else exists (
            select from chain_transfers t
            where (t.environment, t.chain_id, t.block_hash, t.tx_hash, t.log_index)
              = (${environment}, ${chainId}, row.block_hash, row.tx_hash, row.log_index))
          or exists (
            select from chain_requests any_request
            where any_request.environment = ${environment} and any_request.chain_id = ${chainId}
              and any_request.tx_hash = row.tx_hash)
          or exists (
            select from watched_addresses any_watched join plans p
              on (p.organisation_id, p.environment, p.plan_id)
                = (any_watched.organisation_id, any_watched.environment, any_watched.plan_id)
            where any_watched.environment = ${environment} and any_watched.chain_id = ${chainId}
              and any_watched.address = row.to_address
              and any_watched.purpose = 'DEPOSIT' and any_watched.source_token = row.token
              and row.amount >= coalesce((p.corridor ->> 'dustBelow')::numeric,
                (p.amount_in - p.amount_in % ${DUST_PART}) / ${DUST_PART}))
          or (not exists (
              select from watched_addresses any_watched
              where any_watched.environment = ${environment} and any_watched.chain_id = ${chainId}
                and any_watched.address = row.to_address
                and any_watched.purpose = 'DEPOSIT' and any_watched.source_token = row.token)
            and row.amount > coalesce(row.offered_before, 0) + (
              select coalesce(sum(t.amount), 0) from chain_transfers t
              where t.environment = ${environment} and t.chain_id = ${chainId} and t.canonical
                and t.to_address = row.to_address and t.token = row.token))
        end`;
}

/** A transfer that is on record as canonical is left as it is, and not counted, unless its tag is known only now. */
function insertTransfers(environment: Environment, chainId: number): RawBuilder<unknown> {
  return sql`
      insert into chain_transfers as known (environment, chain_id, block_hash, log_index, block_number, block_time,
        tx_hash, token, from_address, to_address, amount, tag, untraced, canonical)
      select ${environment}, ${chainId}, row.block_hash, row.log_index, row.block_number, row.block_time,
        row.tx_hash, row.token, row.from_address, row.to_address, row.amount, row.tag, row.untraced, true
      from kept as row
      on conflict (environment, chain_id, block_hash, tx_hash, log_index) do update
      set canonical = true, tag = coalesce(known.tag, excluded.tag),
        untraced = coalesce(known.tag, excluded.tag) is null and (known.untraced or excluded.untraced)
      where not known.canonical or known.tag is null and (excluded.tag is not null or excluded.untraced > known.untraced)
      returning block_number, tx_hash, to_address, tag`;
}

/**
 * Whether a fresh transfer to a deposit address may be of the plan that watches it. The plan holds the address, or
 * was the last to hold it when the transfer came. All others that ever had it are left alone: one tenant can make
 * thousands, and a stranger's dust would give each of them work. Transfers that a plan already counts are found by
 * its movements.
 */
function isOwner(environment: Environment, chainId: number): RawBuilder<unknown> {
  return sql`(exists (
          select from plans open_plan
          where (open_plan.organisation_id, open_plan.environment, open_plan.plan_id)
              = (any_watched.organisation_id, any_watched.environment, any_watched.plan_id)
            and ${isHolder('open_plan')})
        or not exists (
          select from plans any_owner
          where any_owner.environment = ${environment} and any_owner.source_chain_id = ${chainId}
            and any_owner.deposit_address = any_watched.address and any_owner.plan_id > any_watched.plan_id
            and any_owner.watch_from_block <= fresh.block_number))`;
}

function insertBlocks(
  environment: Environment,
  chainId: number,
  rows: readonly object[],
): RawBuilder<unknown> {
  return sql`
      insert into chain_blocks as known (environment, chain_id, number, hash, block_time)
      select ${environment}, ${chainId}, row.number, row.hash, row.block_time
      from led, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (number int8, hash text, block_time timestamptz)
      on conflict (environment, chain_id, number) do update
      set hash = excluded.hash, block_time = excluded.block_time where known.hash <> excluded.hash`;
}

/** A tag ends the calldata of a plan's last instruction. */
const TAG_DIGITS = 32;

function transferRow(transfer: ReadTransfer) {
  const { tag, isForeignTag = false, isPayout = false, untraced = false } = transfer;
  return {
    block_hash: transfer.blockHash,
    log_index: transfer.logIndex,
    block_number: transfer.blockNumber,
    block_time: iso(transfer.blockTimeMs),
    tx_hash: transfer.txHash,
    token: transfer.token,
    from_address: transfer.from,
    to_address: transfer.to,
    amount: String(transfer.amount),
    // In JSON a bytea is \x and hexadecimal digits.
    tag: tag === undefined ? null : `\\x${tag.slice(2)}`,
    untraced,
    is_foreign_tag: isForeignTag,
    is_payout: isPayout,
  };
}

function blockRow({ number, hash, timeMs }: RecordedBlock) {
  return { number, hash, block_time: iso(timeMs) };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
