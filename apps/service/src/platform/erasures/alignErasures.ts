import type { Erasure, Store } from '@fairway/store';
import { appendErasure, readErasures } from './erasureFile.ts';

/** How many erasures are read of the database at once. */
const READ_AT_ONCE = 1000;

/**
 * What was done. `erased`: recipients that the file names and the database had not erased. `refused`: recipients that may not be
 * erased in their present state. `added`: erasures that the file lacked. `unreadable`: lines of the file that are no erasures.
 */
export type Aligned = {
  readonly erased: readonly Erasure[];
  readonly refused: number;
  readonly added: number;
  readonly unreadable: number;
};

/**
 * Erases the recipients that the file names and the database still has, and adds to the file the erasures that it lacks. `cause` is
 * REQUESTED when a process ended between the line and its erasure: the erasure is then done, if it is still allowed. `cause` is LOST
 * when a database from before the erasures was restored. A recipient that the file names and the database does not know is no error:
 * it is younger than the backup.
 * @throws DatabaseUnavailableError, and the errors of the file system.
 */
export async function alignErasures(
  { recipients, operator, clock }: Pick<Store, 'recipients' | 'operator' | 'clock'>,
  path: string,
  cause: 'REQUESTED' | 'LOST',
): Promise<Aligned> {
  const { erasures: named, unreadable } = await readErasures(path);
  const done = await erasedOf(operator);
  const [isNamed, isDone] = [named, done].map((list) => new Set(list.map(nameOf)));
  const erased: Erasure[] = [];
  let refused = 0;
  for (const erasure of named) {
    if (isDone?.has(nameOf(erasure)) === true) continue;
    const order = { cause, keepOutside: async () => undefined };
    const outcome = await recipients.eraseRecipient(erasure.scope, erasure.recipientId, order, clock.nowMs());
    if (outcome.ok && outcome.outcome === 'CHANGED') erased.push(erasure);
    if (!outcome.ok && outcome.reason !== 'RECIPIENT_UNKNOWN') refused += 1;
  }
  const missing = done.filter((erasure) => isNamed?.has(nameOf(erasure)) === false);
  for (const erasure of missing) await appendErasure(path, erasure);
  return { erased, refused, added: missing.length, unreadable };
}

function nameOf({ scope, recipientId }: Erasure): string {
  return `${scope.organisationId} ${scope.environment} ${recipientId}`;
}

async function erasedOf(operator: Store['operator']): Promise<readonly Erasure[]> {
  const all: Erasure[] = [];
  let after: string | undefined;
  do {
    const page = await operator.erasedRecipients({ limit: READ_AT_ONCE, after });
    all.push(...page.erasures);
    after = page.next;
  } while (after !== undefined);
  return all;
}
