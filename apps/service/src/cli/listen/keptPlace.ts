import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createWebhookSecret, readWebhookSecret, type WebhookKey } from '@fairway/webhooks';
import { ConfigError } from '../../platform/config/error.ts';
import type { ServiceAccess } from '../../platform/config/serviceAccess.ts';

/** What `fairway listen` keeps in a file between two runs: how far it has forwarded, and what it signs with. */
export type KeptPlace = {
  /** Where to go on; undefined where the file is new or of another service. */
  readonly after: string | undefined;
  readonly secret: string;
  readonly key: WebhookKey;
  /** Keeps how far events were forwarded. */
  keep(after: string): void;
};

type Content = { service?: unknown; username?: unknown; secret: string; after?: unknown };

/**
 * Reads the file, or begins it. The secret stays the same for whatever service is listened to, so that a receiver keeps its
 * setting.
 * @throws ConfigError where the file cannot be read or written
 */
export function openKeptPlace(path: string, { url, username }: ServiceAccess): KeptPlace {
  const content = contentOf(path);
  const secret = content === undefined ? createWebhookSecret() : content.secret;
  const read = readWebhookSecret(secret);
  if (!read.ok) throw new ConfigError([`--state ${path}: its secret cannot be read: ${read.detail}`]);
  const isSame = content?.service === url && content.username === username;
  const after = isSame && typeof content.after === 'string' ? content.after : undefined;
  const keep = (place: string | undefined) => {
    const text = `${JSON.stringify({ service: url, username, secret, after: place }, null, 2)}\n`;
    try {
      // Written beside it and moved, so that the file is whole whenever the command is ended.
      writeFileSync(`${path}.partial`, text, { mode: 0o600 });
      renameSync(`${path}.partial`, path);
    } catch (error) {
      throw new ConfigError([`--state ${path}: cannot be written: ${(error as Error).message}`]);
    }
  };
  keep(after);
  return { after, secret, key: read.key, keep };
}

function contentOf(path: string): Content | undefined {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as Partial<Content> | null;
    if (typeof content?.secret !== 'string') throw new Error('it holds no secret');
    return { ...content, secret: content.secret };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([
      `--state ${path}: cannot be read: ${(error as Error).message}. Remove it to begin anew.`,
    ]);
  }
}
