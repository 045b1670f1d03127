import type { KeySource } from '@fairway/keys';
import { LONG_LIMITS } from '@fairway/postgres';
import { readStoreConfig } from '../platform/config/storeConfig.ts';
import { ConfigError } from '../platform/config/error.ts';
import { openCommandStore } from './openCommandStore.ts';
import { parseCommand } from '../platform/config/commandLine.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = {
  data: { type: 'string' },
  json: { type: 'boolean' },
  lost: { type: 'string' },
  'lost-fingerprints': { type: 'boolean' },
} as const;

/**
 * `fairway reseal`: seals every recipient's details with the first of FAIRWAY_SEALING_KEYS, so that the other keys can
 * be removed. Works while the service runs; after an interruption, run the
 * command again. `--lost ID` gives a sealing key up, `--lost-fingerprints` the key of the fingerprints.
 */
export async function resealCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values } = parseCommand(args, OPTIONS, false);
  const { sealingKeys } = readStoreConfig(values.data, terminal.environment);
  if (sealingKeys.length === 0)
    throw new ConfigError([
      'FAIRWAY_SEALING_KEYS: is missing; the first key seals, the others open what they sealed.',
    ]);
  refuseLostKey(values.lost, sealingKeys);
  const { store, close } = await openCommandStore(values.data, terminal, false, {
    sealingKeys,
    lostKeyId: values.lost,
    lostFingerprintKey: values['lost-fingerprints'],
    limits: LONG_LIMITS,
  });
  try {
    const progress = createProgress(terminal.notes);
    const tell = (resealed: number) => progress.tell(`${resealed} records sealed anew`);
    const done = await store.payments.reseal(values.json === true ? () => {} : tell);
    progress.end();
    const { resealed, unreadable, isRewrapped } = done;
    if (values.json === true) return JSON.stringify({ resealed, unreadable, isRewrapped });
    const left = whatIsLeft(unreadable, values.lost);
    const replaced =
      values['lost-fingerprints'] === true
        ? ' The key of the fingerprints is replaced: start every process again.'
        : '';
    return `${resealed} sealed anew. ${left}${replaced}`;
  } finally {
    await close();
  }
}

/** What the operator does next, as docs/operating.md has it. */
function whatIsLeft(unreadable: number, lost: string | undefined): string {
  if (lost !== undefined)
    return (
      `${unreadable} cannot be opened with any key given and were left as they are; those that ${lost} sealed stay closed. ` +
      `${lost} is given up: start every process again, with the keys that were given now.`
    );
  return unreadable === 0
    ? 'Every record is sealed with the first key now; the others can be taken out of FAIRWAY_SEALING_KEYS. Keep them as ' +
        'long as backups from before: those open with them alone.'
    : `${unreadable} cannot be opened with any key given and were left as they are: add the key they were sealed with.`;
}

function refuseLostKey(lost: string | undefined, sealingKeys: readonly KeySource[]): void {
  if (lost !== undefined && sealingKeys.some(({ id }) => id === lost))
    throw new ConfigError([
      `--lost ${lost}: this key is in FAIRWAY_SEALING_KEYS, so it is not lost; leave --lost out, or take the key out.`,
    ]);
}
