import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerSweep } from '@fairway/store';
import type { Logger } from 'pino';

/** How long between two sweeps. */
const SWEEP_MS = 30_000;
/** How many plans are looked for at once. */
const SWEPT_AT_ONCE = 200;

/**
 * Brings the ledgers of plans up to date that a process of 0.1.0 wrote, now and every 30 seconds, until `close`: plans
 * of before the update, and plans that such a process still writes while the update is rolled out.
 */
export function startLedgerSweep(ledger: LedgerSweep, log: Logger): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  const sweeping = sweepOn(ledger, log, signal);
  return {
    async close() {
      closing.abort();
      await sweeping;
    },
  };
}

async function sweepOn(ledger: LedgerSweep, log: Logger, signal: AbortSignal): Promise<void> {
  const told = new Set<string>();
  while (!signal.aborted) {
    await sweep(ledger, log, signal, told);
    await sleep(SWEEP_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Goes once through all plans that are behind. `told`: the plans that were named in the log before. */
async function sweep(
  ledger: LedgerSweep,
  log: Logger,
  signal: AbortSignal,
  told: Set<string>,
): Promise<void> {
  let after: Parameters<LedgerSweep['catchUp']>[0]['after'];
  let count = 0;
  do {
    const swept = await ledger.catchUp({ limit: SWEPT_AT_ONCE, after });
    // The database is away. What is left is found by the next sweep.
    if (!swept.ok) return;
    for (const { planId, cause } of swept.failed) {
      if (told.has(planId)) continue;
      told.add(planId);
      log.error({ planId, err: cause }, 'The ledger of a plan cannot be brought up to date');
    }
    count += swept.found - swept.failed.length;
    after = swept.next;
  } while (after !== undefined && !signal.aborted);
  if (count > 0)
    log.info({ plans: count }, 'The ledgers of plans of an earlier version were brought up to date');
}
