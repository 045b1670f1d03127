import type { Store } from '@fairway/store';
import type { Logger } from 'pino';
import type { AuditPort } from '../audit/facts.ts';
import { ConfigError } from '../config/error.ts';
import { type Aligned, alignErasures } from './alignErasures.ts';
import { DatabaseUnavailableError } from '@fairway/postgres';
import { prepareErasureFile } from './erasureFile.ts';
import { createErasureKeeper, type ErasureKeeper } from './erasureKeeper.ts';

type ErasureConfig = { readonly erasureLog?: string; readonly environment: 'sandbox' | 'production' };

/**
 * Makes the file of erasures where there is none, carries out what a process that was killed has left, and adds what the file lacks.
 * @throws ConfigError when the file cannot be used.
 */
export async function startErasures(
  { erasureLog, environment }: ErasureConfig,
  store: Store,
  audit: AuditPort,
  log: Logger,
): Promise<ErasureKeeper> {
  const keeper = createErasureKeeper(erasureLog, environment, (detail) =>
    log.error(`The file of erasures ${erasureLog} cannot be written: ${detail}`),
  );
  if (erasureLog === undefined) return keeper;
  try {
    await prepareErasureFile(erasureLog);
    const aligned = await alignErasures(store, erasureLog, 'REQUESTED');
    report(aligned, log);
    for (const { recipientId, scope } of aligned.erased)
      audit.record({ event: 'ERASURE_GRANTED', recipientId, organisationId: scope.organisationId });
  } catch (error) {
    const detail = (error as Error).message;
    if (!(error instanceof DatabaseUnavailableError))
      throw new ConfigError([`--erasure-log ${erasureLog}: cannot be used: ${detail}`]);
    log.warn(`The file of erasures is not compared with the database, which does not answer: ${detail}`);
  }
  return keeper;
}

function report({ erased, refused, added, unreadable }: Aligned, log: Logger): void {
  if (erased.length > 0) log.info(`Erased ${erased.length} recipients that only the file of erasures named`);
  if (added > 0) log.info(`Added ${added} erasures to the file of erasures, which it lacked`);
  if (unreadable > 0) log.warn(`${unreadable} lines of the file of erasures are no erasures`);
  if (refused > 0)
    log.warn(
      `${refused} recipients that the file of erasures names are in use in this database. Was a backup put back? Then run fairway recover.`,
    );
}
