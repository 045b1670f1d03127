import { readStoreConfig } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';
import { CommandError } from './commandError.ts';
import { openCommandStore } from './openCommandStore.ts';
import { parseCommand } from '../config/commandLine.ts';

/**
 * `fairway reseal`: seals every recipient's details with the first of FAIRWAY_SEALING_KEYS, so that the other keys
 * can be removed. Works while the service runs; after an interruption, run the command again.
 */
export async function resealCommand(args: readonly string[]): Promise<string> {
  const { values } = parseCommand(args, { data: { type: 'string' }, json: { type: 'boolean' } }, false);
  if (readStoreConfig(values.data).sealingKeys.length === 0)
    throw new ConfigError([
      'FAIRWAY_SEALING_KEYS: is missing; the first key seals, the others open what they sealed.',
    ]);
  const { store, close } = await openCommandStore(values.data, false);
  try {
    const done = await store.payments.resealRecipients((count) => {
      if (values.json !== true && process.stderr.isTTY) process.stderr.write(`\r${count} sealed anew`);
    });
    if (!done.ok)
      throw new CommandError('DATABASE_UNAVAILABLE', `The database does not answer: ${done.detail}`);
    const { resealed, unreadable } = done;
    if (values.json === true) return JSON.stringify({ resealed, unreadable });
    const left =
      unreadable === 0
        ? 'Every record is sealed with the first key now; the others can be taken out of FAIRWAY_SEALING_KEYS.'
        : `${unreadable} cannot be opened with any key given and were left as they are: add the key they were sealed with.`;
    return `${resealed} sealed anew. ${left}`;
  } finally {
    await close();
  }
}
