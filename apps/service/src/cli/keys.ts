import { writeFileSync } from 'node:fs';
import { createWrappedKey } from '@fairway/keys';
import { defined } from '@fairway/values';
import { parseCommand } from '../platform/config/commandLine.ts';
import { UsageError } from '../platform/config/error.ts';
import { readKeyServiceAccess } from '../platform/config/storeConfig.ts';
import { SEALING_KEY_ID } from '../platform/config/sealingKeys.ts';
import { CommandError } from './commandError.ts';
import { keyRefused } from './openCommandStore.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = {
  kms: { type: 'string' },
  region: { type: 'string' },
  endpoint: { type: 'string' },
  out: { type: 'string' },
} as const;

/**
 * `fairway keys create`: asks a key management service to make a sealing key, and writes the wrapped key to a file.
 * Returns what to print.
 * @throws UsageError, CommandError, ConfigError
 */
export async function keysCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  const [action, id, ...rest] = positionals;
  const { kms: kmsKey, region, endpoint, out } = values;
  if (action !== 'create' || id === undefined || rest.length > 0)
    throw new UsageError('Use: fairway keys create ID --kms KEY --region REGION --out FILE.');
  if (!SEALING_KEY_ID.test(id)) throw new UsageError('An ID has 1 to 32 letters, digits, ".", "_" and "-".');
  if (!kmsKey || !region || !out)
    throw new UsageError('keys create needs --kms KEY, --region REGION and --out FILE.');
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new UsageError('--region is a name such as eu-central-1.');
  if (endpoint !== undefined && !/^https?:\/\/\S+$/.test(endpoint))
    throw new UsageError('--endpoint must be an http or https URL.');
  const created = await createWrappedKey(
    { id, kmsKey, region, ...defined({ endpoint }) },
    readKeyServiceAccess(terminal.environment),
  );
  if (!created.ok) throw keyRefused(created);
  try {
    // An existing file is never replaced: it could be the only copy of a key that records are sealed with.
    writeFileSync(out, created.fileText, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const why = code === 'EEXIST' ? 'there is such a file already' : code;
    throw new CommandError('FILE_NOT_WRITTEN', `--out ${out}: cannot be written: ${why}.`);
  }
  return `${out} holds the key ${id}, wrapped. Keep a copy of the file, and add ${id}:kms:${out} to FAIRWAY_SEALING_KEYS.`;
}
