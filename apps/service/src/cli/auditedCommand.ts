import { readKey } from '@fairway/keys';
import { auditKeyOf } from '../platform/audit/key.ts';
import { hasOtherKey } from '../platform/audit/lines.ts';
import { openAuditLog } from '../platform/audit/log.ts';
import { type AuditPort, NO_AUDIT } from '../platform/audit/facts.ts';
import { type AuditConfig, publishedKeyRefusal } from '../platform/config/audit.ts';
import { CommandError } from './commandError.ts';
import { keyRefused } from './openCommandStore.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs a command with the audit log open. The command's name is written before the command begins, so that a killed
 * command has left a line. A command that is refused is recorded with the code of its refusal.
 * @throws CommandError when the log cannot be written, ConfigError when it has another key than this command. In both
 * cases nothing was done.
 */
export async function audited<Result>(
  config: AuditConfig | undefined,
  { notes }: Terminal,
  command: string,
  run: (audit: AuditPort) => Promise<Result>,
): Promise<Result> {
  if (config === undefined) return run(NO_AUDIT);
  const { file, keys, isPublished } = config;
  const read = await readKey(keys[0]);
  if (!read.ok) throw keyRefused(read, config.variable);
  const key = auditKeyOf(read.key.key);
  if (isPublished && (await hasOtherKey(file, key.id))) throw publishedKeyRefusal(file);
  const warn = (detail = 'it works again') => notes.write(`The audit log ${file}: ${detail}\n`);
  const opened = await openAuditLog({ file, key, command, onFault: warn });
  if (!opened.ok)
    throw new CommandError(
      'AUDIT_LOG_UNWRITABLE',
      `The audit log ${file} cannot be written, so nothing was done: ${opened.detail}`,
    );
  try {
    return await run(opened.log);
  } catch (error) {
    const reason = error instanceof CommandError ? error.code : 'ERROR';
    opened.log.record({ event: 'COMMAND_REFUSED', reason });
    throw error;
  } finally {
    await opened.log.close();
  }
}
