import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ChainKey, ChainMoment, RecordedBlock } from './types.ts';

/** The columns of `chain_records` that say how far a chain was read. */
export type TipRow = { read_number: bigint | null; read_hash: string | null; read_time: Date | null };

/** The last block that was read; undefined when none was. */
export function readTip({ read_number, read_hash, read_time }: TipRow): RecordedBlock | undefined {
  if (read_number === null || read_hash === null) return undefined;
  return { number: Number(read_number), hash: read_hash, timeMs: read_time?.getTime() ?? 0 };
}

/** How far a chain's record is, as every process may know it. */
export async function position(
  database: Database,
  { environment, chainId }: ChainKey,
): Promise<{ moment: ChainMoment }> {
  const { rows } = await sql<MomentRow>`
      select state, read_number, read_hash, read_time, lease_until > clock_timestamp() as is_led, (
          select count(*) from (
            select from chain_unread u where u.environment = ${environment} and u.chain_id = ${chainId} limit ${MOST_COUNTED}
          ) many
        ) as unread_count
      from chain_records where environment = ${environment} and chain_id = ${chainId}`.execute(database);
  return { moment: momentOf(chainId, rows[0]) };
}

/** The most unread transfers that are counted. */
const MOST_COUNTED = 10_000;

/** The columns that say how far a record is, and whether anybody keeps it. */
export type MomentRow = TipRow & {
  has_record?: boolean;
  state: 'AT_HEAD' | 'CATCHING_UP';
  is_led: boolean;
  unread_count?: bigint;
};

/** How far a record is; without a row there is none. */
export function momentOf(chainId: number, row: MomentRow | undefined): ChainMoment {
  const tip = row && readTip(row);
  const led = row?.is_led === true ? row.state : 'CATCHING_UP';
  const state = row === undefined ? 'NOT_SERVED' : led;
  const unread = row?.unread_count === undefined ? {} : { unread: Number(row.unread_count) };
  return { chainId, state, readNumber: tip?.number, readTimeMs: tip?.timeMs, ...unread };
}

/** The newest blocks of the record below a number, newest first. */
export async function storedBlocks(
  database: Database,
  { environment, chainId }: ChainKey,
  below: number,
  limit: number,
): Promise<{ blocks: readonly RecordedBlock[] }> {
  const { rows } = await sql<{ block_number: bigint; hash: string; block_time: Date }>`
      select number as block_number, hash, block_time from chain_blocks
      where environment = ${environment} and chain_id = ${chainId} and number < ${below}
      order by number desc limit ${limit}`.execute(database);
  const blocks = rows.map(({ block_number, hash, block_time }) => ({
    number: Number(block_number),
    hash,
    timeMs: block_time.getTime(),
  }));
  return { blocks };
}
