import type { FollowerEvent } from '@fairway/evm';
import type { Logger } from 'pino';
import { createReminder } from '../time/reminder.ts';

/** How often the log tells how far the reading of a market is. */
const PROGRESS_MS = 5_000;

/**
 * Writes the events of a follower into the log. A node that does not answer is asked all the time, but logged once a
 * minute.
 */
export function chainLog(log: Logger, monotonicMs: () => number): (event: FollowerEvent) => void {
  const reminder = createReminder(monotonicMs);
  let progressLoggedAtMs = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type === 'READING') {
      if (monotonicMs() < progressLoggedAtMs + PROGRESS_MS) return;
      progressLoggedAtMs = monotonicMs();
    }
    if (event.type === 'FAILED' && !reminder.isDue(event.detail)) return;
    if (event.type === 'NODE_BEHIND' && !reminder.isDue(event.type)) return;
    if ((event.type === 'HEAD' || event.type === 'SYNCED') && reminder.forget())
      log.info({ block: Number(event.head.number) }, 'The chain is followed again');
    logEvent(log, event);
  };
}

function logEvent(log: Logger, event: FollowerEvent): void {
  switch (event.type) {
    case 'SYNCED':
      log.info({ block: Number(event.head.number), pools: event.poolCount }, 'The market is read');
      return;
    case 'RESTORED':
      log.info(
        {
          block: Number(event.head.number),
          snapshotBlock: Number(event.snapshotBlock),
          pools: event.poolCount,
          compared: event.sampleCount,
        },
        'The market is restored from its snapshot',
      );
      return;
    case 'LEFT_OUT':
      log.warn(
        { address: event.address, reason: event.reason },
        'A listed token or its pool is left out; everything else is served',
      );
      return;
    case 'READING':
    case 'READING_RESUMED':
      logReading(log, event);
      return;
    case 'SNAPSHOT_DISCARDED':
      log.warn({ detail: event.detail }, 'The snapshot of the market is not used, so every pool is read');
      return;
    case 'SNAPSHOT_SAVED':
      log.debug({ block: Number(event.blockNumber), bytes: event.byteCount }, 'The market is saved');
      return;
    case 'SNAPSHOT_NOT_SAVED':
      log.warn(
        { detail: event.detail },
        'The market cannot be saved; until it is, each start reads every pool',
      );
      return;
    case 'HEAD':
      if (event.reorgDepth > 0)
        log.info({ block: Number(event.head.number), depth: event.reorgDepth }, 'Reorg');
      return;
    case 'AUDIT_MISMATCH':
      log.error(
        { pool: event.pool, block: Number(event.blockNumber) },
        'A pool differed from the chain and was read again',
      );
      return;
    case 'TOKEN_MEASURED':
      logToken(log, event);
      return;
    case 'NODE_BEHIND':
      log.warn(
        { block: Number(event.head.number), behind: Number(event.blocks) },
        'The nodes are behind the market; their answer was passed over',
      );
      return;
    case 'HEADER_RULES_CHANGED':
      log.warn(
        { block: Number(event.head.number) },
        'The hash of the block is not computed by the known rules any more; its bloom is not used',
      );
      return;
    case 'FAILED':
      log.warn({ detail: event.detail }, 'The chain cannot be followed for now');
      return;
    case 'AUDITED':
      return;
  }
}

function logToken(
  log: Logger,
  { token, behaviour }: Extract<FollowerEvent, { type: 'TOKEN_MEASURED' }>,
): void {
  if (behaviour.kind === 'TAXED')
    log.warn(
      { token, detail: behaviour.detail },
      'A token moves other amounts than it is asked to, and is not traded',
    );
  else if (behaviour.kind === 'SHARES')
    log.info({ token }, 'A token rounds transfers by shares; its quotes name the rounding');
  else log.info({ token }, 'A token moves the right amounts again, and is traded');
}

/** Tells how far the reading of a market is. It takes long if the node accepts few requests. */
function logReading(
  log: Logger,
  event: Extract<FollowerEvent, { type: 'READING' | 'READING_RESUMED' }>,
): void {
  const block = Number(event.head.number);
  if (event.type === 'READING') {
    const { pools, poolsRead, requestsLeft } = event.progress;
    log.info({ block, pools, poolsRead, requestsLeft }, 'The market is being read');
    return;
  }
  log.info(
    { block, snapshotBlock: Number(event.snapshotBlock), pools: event.poolCount },
    'The reading of the market goes on where the last run stopped',
  );
}
