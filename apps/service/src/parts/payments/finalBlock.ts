import { blockAt } from '@fairway/evm';
import type { Plan, TimeMs } from '@fairway/plan';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { type Away, readOrAway } from './chainFacts.ts';

/**
 * The time of the newest block that has the confirmations that a plan's corridor asks for, or why the chain cannot be
 * read now. A transaction whose deadline is before that time can never be executed any more.
 */
export async function finalBlockTimeMs(
  chain: ChainService,
  { corridor }: Plan,
): Promise<{ readonly ok: true; readonly timeMs: TimeMs } | { readonly ok: false; readonly away: Away }> {
  const head = chain.follower.head();
  if (head === undefined) return { ok: false, away: 'UNREACHABLE' };
  const number = head.number - BigInt(corridor.minConfirmations - 1);
  if (number <= 0n) return { ok: true, timeMs: 0 };
  const read = await readOrAway(() => blockAt(chain.request, number));
  if (!read.ok) return read;
  return read.value === undefined
    ? { ok: false, away: 'UNREACHABLE' }
    : { ok: true, timeMs: 1000 * Number(read.value.timestampSeconds) };
}
