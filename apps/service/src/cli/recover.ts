import { defined } from '@fairway/values';
import { DatabaseUnavailableError, LONG_LIMITS } from '@fairway/postgres';
import type { Store } from '@fairway/store';
import type { AuditPort } from '../platform/audit/facts.ts';
import { ConfigError, UsageError } from '../platform/config/error.ts';
import { alignErasures } from '../platform/erasures/alignErasures.ts';
import { parseCommand } from '../platform/config/commandLine.ts';
import { readStoreConfig } from '../platform/config/storeConfig.ts';
import { timestampToMs } from '@fairway/api';
import { audited } from './auditedCommand.ts';
import { CommandError } from './commandError.ts';
import { openCommandStore } from './openCommandStore.ts';
import type { Terminal, TextStream } from './terminal.ts';

const OPTIONS = {
  since: { type: 'string' },
  'audit-log': { type: 'string' },
  'erasure-log': { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/**
 * `fairway recover --since TIME`: marks that a backup of this time was put back. Begins an epoch, and has all chains
 * read again from this time on. Meanwhile no instructions are derived. Works while services run, and can be repeated.
 * @throws UsageError, CommandError, ConfigError
 */
export async function recoverCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values } = parseCommand(args, OPTIONS, false);
  const sinceMs = values.since === undefined ? undefined : timestampToMs(values.since);
  if (sinceMs === undefined)
    throw new UsageError(
      'recover needs --since TIME, when the backup was made, such as 2026-11-22T10:00:00Z.',
    );
  const since = new Date(sinceMs).toISOString();
  const { audit, erasureLog } = readStoreConfig(
    values.data,
    terminal.environment,
    values['audit-log'],
    values['erasure-log'],
  );
  const { store, close } = await openCommandStore(values.data, terminal, false, {
    sealingKeys: [],
    limits: LONG_LIMITS,
  });
  try {
    const nowMs = store.clock.nowMs();
    if (sinceMs > nowMs)
      throw new UsageError(
        `--since ${since} has not come yet: the database's clock says ${new Date(nowMs).toISOString()}. Give the time of the backup by that clock; a sandbox's time, which its plans show, can be ahead of it.`,
      );
    const { epoch, isNew, chains, erased } = await audited(audit, terminal, 'recover', async (port) => {
      const done = await store.operator.recover(sinceMs);
      port.record({ event: 'RESTORE_MARKED', since, epoch: done.epoch });
      // Before anything is published again, because erased recipients are published as erased.
      return { ...done, erased: await eraseAgain(store, erasureLog, port) };
    });
    const again = await publishAgain(store.operator, sinceMs, terminal.notes);
    if (values.json) return JSON.stringify({ since, epoch, isNew, chains, ...again, ...defined({ erased }) });
    const verb = isNew ? 'begins' : 'began before';
    const told = chains.map(
      ({ environment, chainId, from }) => `  chain ${chainId} (${environment}) from block ${from} on`,
    );
    return [
      `The restore of ${since} is marked: epoch ${epoch} ${verb}.`,
      told.length === 0 ? 'No chain was read yet.' : 'Read again, and no instructions are derived meanwhile:',
      ...told,
      `Published again: ${again.republishedPlans} plans that are open or have changed since, ${again.republishedRecipients} recipients that are ACTIVE or have changed since, ${again.republishedEndpoints} webhook endpoints, ${again.republishedEntries} entries of statements that are not wholly matched or ignored, or have changed since, ${again.republishedReports} reports that are PENDING or have changed since.`,
      ...erasedLines(erased),
      'Before anybody pays, compare every payout that is due (fairway plans list --due) with the custodian.',
    ].join('\n');
  } finally {
    await close();
  }
}

/** Publishes again all that is open or may have changed since a time. Returns how many of each kind. */
async function publishAgain(
  {
    republish,
    republishRecipients,
    republishEndpoints,
    republishEntries,
    republishReports,
  }: Store['operator'],
  sinceMs: number,
  notes: Terminal['notes'],
) {
  return {
    republishedPlans: await republishAll(republish, sinceMs, 'plans', notes),
    republishedRecipients: await republishAll(republishRecipients, sinceMs, 'recipients', notes),
    republishedEndpoints: await republishAll(republishEndpoints, sinceMs, 'webhook endpoints', notes),
    republishedEntries: await republishAll(republishEntries, sinceMs, 'entries of statements', notes),
    republishedReports: await republishAll(republishReports, sinceMs, 'reports', notes),
  };
}

/** Erases again the recipients that the file of erasures names. Undefined without a file. */
async function eraseAgain(
  store: Store,
  erasureLog: string | undefined,
  port: AuditPort,
): Promise<{ readonly recipients: number; readonly unreadableLines: number } | undefined> {
  if (erasureLog === undefined) return undefined;
  try {
    const { erased, unreadable } = await alignErasures(store, erasureLog, 'LOST');
    for (const { recipientId, scope } of erased)
      port.record({ event: 'ERASURE_GRANTED', recipientId, organisationId: scope.organisationId });
    return { recipients: erased.length, unreadableLines: unreadable };
  } catch (error) {
    const detail = (error as Error).message;
    if (error instanceof DatabaseUnavailableError) throw error;
    throw new ConfigError([`--erasure-log ${erasureLog}: cannot be used: ${detail}`]);
  }
}

function erasedLines(erased: Awaited<ReturnType<typeof eraseAgain>>): string[] {
  if (erased === undefined)
    return [
      'No file of erasures was given: recipients that were erased since the backup are back. Give the file with --erasure-log, if there is one.',
    ];
  const { recipients, unreadableLines } = erased;
  const unread =
    unreadableLines === 0
      ? ''
      : ` ${unreadableLines} lines of the file cannot be read as erasures and were left out.`;
  return [`Erased again: ${recipients} recipients that the file of erasures names.${unread}`];
}

/** How many plans, recipients, endpoints, entries or reports are published again in one part. */
const REPUBLISHED_AT_ONCE = 200;

/**
 * Publishes the present state of all plans, or recipients, endpoints, entries or reports, again. Reports the progress,
 * and returns how many.
 */
async function republishAll(
  republish: Store['operator']['republish'],
  sinceMs: number,
  what: 'plans' | 'recipients' | 'webhook endpoints' | 'entries of statements' | 'reports',
  notes: TextStream,
): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const told = await republish({ sinceMs, limit: REPUBLISHED_AT_ONCE, after }).catch(
      (error: unknown): never => {
        if (!(error instanceof DatabaseUnavailableError)) throw error;
        throw new CommandError(
          'DATABASE_UNAVAILABLE',
          `The database does not answer (${error.message}). The restore is marked; run the command again, so that all ${what} are published.`,
        );
      },
    );
    count += told.count;
    after = told.next;
    if (after !== undefined) notes.write(`${count} ${what} are published again so far\n`);
  } while (after !== undefined);
  return count;
}
