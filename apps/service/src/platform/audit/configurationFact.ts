import { createHmac } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import type { AuditKey } from './key.ts';
import type { AuditFact } from './facts.ts';

/**
 * The facts that a start records about its configuration: a digest of all of it, and members that hold no secret. The
 * digest has a key, because without one anybody could try out secrets.
 */
export function configurationFact(key: AuditKey, config: Config): AuditFact {
  const digest = createHmac('sha256', key.lines)
    .update(`configuration\n${textOf(config)}`)
    .digest('base64url');
  const { environment, chains, payments, host, port, publicUrl, trustedProxies, limits, database } = config;
  const summary = {
    version,
    environment,
    host,
    port: port ?? null,
    tls: config.tls !== undefined,
    publicHost: publicUrl === undefined ? null : new URL(publicUrl).host,
    trustedProxies,
    limits,
    chains: chains?.map(({ chainId }) => chainId) ?? 'sandbox',
    corridors: payments?.corridors.map(({ id }) => id) ?? [],
    mail: config.mail !== undefined,
    database: database.kind,
    serverKey: config.serverKey === undefined ? 'DATABASE' : 'CONFIGURED',
    sealingKeys: config.sealingKeys.map(({ id }) => id),
  };
  return { event: 'CONFIGURATION', digest, summary };
}

/** The configuration as text, the same for the same configuration. */
function textOf(config: Config): string {
  return JSON.stringify(config, (name, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    // Credentials of a platform change by themselves.
    return name === 'access' ? undefined : value;
  });
}
