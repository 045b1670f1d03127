import { isIP } from 'node:net';
import type { KeySource } from '@fairway/keys';
import { addressName, type AuditKey, auditKeyOf } from '../platform/audit/key.ts';
import { type AuditFindings, type KnownHead, verifyAuditLog } from '../platform/audit/verifyAuditLog.ts';
import { parseCommand } from '../platform/config/commandLine.ts';
import { readStoreConfig } from '../platform/config/storeConfig.ts';
import type { AuditConfig } from '../platform/config/audit.ts';
import { ConfigError, UsageError } from '../platform/config/error.ts';
import { loadSealingKeys } from '../platform/database/loadSealingKeys.ts';
import { auditLedger } from './auditLedger.ts';
import { CommandError } from './commandError.ts';
import { keyRefused } from './openCommandStore.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = {
  data: { type: 'string' },
  head: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

/** The most faults that are printed for people. */
const FAULTS_SHOWN = 20;

/**
 * `fairway audit log [FILE...]`: verifies audit logs. `fairway audit address IP`: the name of an address in them.
 * `fairway audit ledger`: compares the ledgers of all plans with their histories.
 * @throws UsageError, ConfigError, CommandError; AUDIT_LOG_FAULTY when something is missing or was changed.
 */
export async function auditCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  const [verb, ...rest] = positionals;
  // The name of an address needs only the key, and no log; but some file must be named.
  if (verb === 'address')
    return addressCommand(rest, auditConfig('audit.log', values.data, terminal), values.json === true);
  if (verb === 'ledger') {
    if (rest.length > 0) throw new UsageError('audit ledger takes no arguments beside its options.');
    return auditLedger(values.data, terminal, values.json === true);
  }
  if (verb !== 'log')
    throw new UsageError('Use one of: audit log [FILE...], audit ledger, audit address IP.');
  const config = auditConfig(rest[0], values.data, terminal);
  const heads = (values.head ?? []).map(readHead);
  const findings = await verified(config, rest.length > 0 ? rest : [config.file], heads);
  const text = values.json === true ? JSON.stringify(findings) : findingsText(findings);
  if (findings.faults.length > 0) throw new CommandError('AUDIT_LOG_FAULTY', text);
  return text;
}

/** Verifies with the keys of the log; sealing keys are read beside FAIRWAY_AUDIT_KEY only when lines need another key. */
async function verified(
  { keys, formerKeys, variable }: AuditConfig,
  files: readonly string[],
  heads: readonly KnownHead[],
): Promise<AuditFindings> {
  const own = await keysOf(keys, variable);
  const findings = await verifyAuditLog(files, own, heads);
  if (formerKeys.length === 0 || !findings.faults.some(({ kind }) => kind === 'KEY_UNKNOWN')) return findings;
  return verifyAuditLog(files, [...own, ...(await keysOf(formerKeys, 'FAIRWAY_SEALING_KEYS'))], heads);
}

async function addressCommand(
  [address = '', ...others]: readonly string[],
  { keys, variable }: AuditConfig,
  asJson: boolean,
): Promise<string> {
  if (isIP(address) === 0 || others.length > 0) throw new UsageError('audit address needs one IP address.');
  const names = (await keysOf(keys, variable)).map((key) => ({
    name: addressName(key, address),
    key: key.id,
  }));
  return asJson
    ? JSON.stringify({ names })
    : names.map(({ name, key }) => `${name}  in chains whose first line has "key":"${key}"`).join('\n');
}

/** The keys in the order of their sources. @throws ConfigError, CommandError */
async function keysOf(
  sources: readonly KeySource[],
  variable: AuditConfig['variable'],
): Promise<readonly AuditKey[]> {
  const loaded = await loadSealingKeys(sources);
  if (!loaded.ok) throw keyRefused(loaded, variable);
  return loaded.keys.map(({ key }) => auditKeyOf(key));
}

function auditConfig(
  file: string | undefined,
  data: string | undefined,
  { environment }: Terminal,
): AuditConfig {
  const { audit } = readStoreConfig(data, environment, file);
  if (audit !== undefined) return audit;
  throw new ConfigError([
    "Which audit log? Give FILE, or --data DIR, the service's data folder, or set FAIRWAY_AUDIT_LOG.",
  ]);
}

function readHead(text: string): KnownHead {
  const [, chain = '', lines, head] = /^([0-9a-f]{16}):(\d{1,15}):(\d{1,15})$/.exec(text) ?? [];
  if (chain !== '') return { chain, lines: Number(lines), head: Number(head) };
  throw new UsageError(
    `--head ${text}: use CHAIN:LINES:HEAD, from the metrics fairway_audit_lines and fairway_audit_head.`,
  );
}

function findingsText({ lines, chains, faults, notes }: AuditFindings): string {
  const verdict =
    faults.length === 0
      ? `Nothing is missing or changed in ${lines} lines of ${chains.length} processes.`
      : `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in ${lines} lines of ${chains.length} processes:`;
  const shown = faults.slice(0, FAULTS_SHOWN).map(({ kind, at, detail }) => `  ${kind}  ${at}: ${detail}`);
  const more = faults.length > FAULTS_SHOWN ? [`  and ${faults.length - FAULTS_SHOWN} more; see --json`] : [];
  return [verdict, ...shown, ...more, ...notes.map((note) => `  note  ${note}`)].join('\n');
}
