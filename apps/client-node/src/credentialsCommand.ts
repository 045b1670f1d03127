import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Credentials, CredentialsTables } from '@fairway/credentials';
import type { OutboxTables } from '@fairway/outbox';
import { EmbeddedPostgresError, migrateDatabase, openCommandPostgres, openDatabase } from '@fairway/postgres';
import { readDuration } from '@fairway/values';
import { NODE_PERMISSIONS, NODE_ROLES, PERMISSIONS, permissionsOf } from '@fairway/wire';
import { cacheDirectory, type EnvironmentVariables } from './platform/config/config.ts';
import { ConfigError } from './platform/config/error.ts';
import { openCredentials } from './platform/credentials/credentials.ts';
import { MIGRATIONS } from './platform/database/migrations.ts';

const OPTIONS = {
  organisation: { type: 'string' },
  permissions: { type: 'string' },
  'expires-in': { type: 'string' },
  overlap: { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const ALL: readonly string[] = [...PERMISSIONS, ...NODE_PERMISSIONS];
const DEFAULT_ROLE = 'executor';
const DEFAULT_OVERLAP = 'PT24H';

/** What a command found or did: named facts, or rows of them. */
type Said = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
type Act = (credentials: Credentials, environment: EnvironmentVariables) => Promise<Said>;

/**
 * `client-node credentials create | rotate | revoke | list`, beside a running node too. Returns what to print.
 * @throws ConfigError
 */
export async function credentialsCommand(
  args: readonly string[],
  environment: EnvironmentVariables,
): Promise<string> {
  const { values, positionals } = read(args);
  const act = actOf(positionals, values);
  const place = await openPlace(values.data, environment, positionals[0] === 'create');
  const database = openDatabase<CredentialsTables & OutboxTables>(place.connection, () => {});
  try {
    const migrated = await migrateDatabase(place.connection, MIGRATIONS, () => {});
    if (!migrated.ok) throw new ConfigError([migrated.detail]);
    const { credentials } = await openCredentials(database);
    const said = await act(credentials, environment);
    return values.json ? JSON.stringify(said) : textOf(said);
  } finally {
    await database.destroy();
    await place.close();
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

type Values = ReturnType<typeof read>['values'];

/** Checks the whole command line before any database is opened. */
function actOf([verb, username, ...rest]: readonly string[], values: Values): Act {
  if (rest.length > 0) throw new ConfigError([`Unexpected argument: ${rest[0]}.`]);
  if (verb === 'create' && username === undefined) return creating(values);
  if (verb === 'list' && username === undefined) return list;
  if (username !== undefined && verb === 'revoke') return (credentials) => revoke(credentials, username);
  if (username !== undefined && verb === 'rotate') {
    const overlapSeconds = secondsOf('--overlap', values.overlap ?? DEFAULT_OVERLAP, 0);
    return (credentials) => rotate(credentials, username, overlapSeconds);
  }
  throw new ConfigError(['Use one of: credentials create, rotate USERNAME, revoke USERNAME, list.']);
}

function creating({ organisation = 'Operator', permissions: list, 'expires-in': expiresIn }: Values): Act {
  const permissions = permissionsIn(list ?? DEFAULT_ROLE);
  const lifeSeconds = expiresIn === undefined ? undefined : secondsOf('--expires-in', expiresIn, 1);
  return async (credentials, variables) => {
    const { credentials: known } = await credentials.listCredentials();
    const isSandbox = (known[0]?.environment ?? variables['FAIRWAY_NODE_ENVIRONMENT']) === 'sandbox';
    const environment = isSandbox ? 'sandbox' : 'production';
    const expiresAt = lifeSeconds === undefined ? undefined : new Date(Date.now() + 1000 * lifeSeconds);
    const made = await credentials.createCredential({ organisation, environment, permissions, expiresAt });
    if (!made.ok) throw new ConfigError([`credentials create: ${made.detail}.`]);
    const { username, password } = made;
    return { username, password, organisation: made.organisation, ...held({ permissions, expiresAt }) };
  };
}

/** Reads roles and single permissions, and returns the permissions in their usual order. */
function permissionsIn(list: string): readonly string[] {
  const names = list.split(',').map((name) => name.trim());
  const held = new Set<string>();
  for (const name of names) {
    const named = Object.hasOwn(NODE_ROLES, name)
      ? NODE_ROLES[name as keyof typeof NODE_ROLES]
      : (permissionsOf(name) ?? [name]);
    if (!named.every((each) => ALL.includes(each)))
      throw new ConfigError([
        `--permissions: there is no role or permission ${name}. Roles are ${Object.keys(NODE_ROLES).join(', ')}. Permissions are ${ALL.join(', ')}.`,
      ]);
    for (const each of named) held.add(each);
  }
  return ALL.filter((permission) => held.has(permission));
}

async function rotate(credentials: Credentials, username: string, overlapSeconds: number): Promise<Said> {
  const rotated = await credentials.rotateCredential(username, overlapSeconds);
  if (rotated.ok)
    return {
      ...{ username, password: rotated.password },
      previousValidUntil: rotated.previousValidUntil.toISOString(),
    };
  if (rotated.reason === 'OVERLAP_INVALID')
    throw new ConfigError(['--overlap: use whole seconds, at most 30 days, such as PT24H.']);
  throw gone(username, rotated.reason === 'CREDENTIAL_REVOKED');
}

async function revoke(credentials: Credentials, username: string): Promise<Said> {
  const revoked = await credentials.revokeCredential(username);
  if (!revoked.ok) throw gone(username, false);
  return { username, revokedAt: revoked.revokedAt.toISOString() };
}

function gone(username: string, isRevoked: boolean): ConfigError {
  return new ConfigError([
    isRevoked
      ? `${username} is revoked and stays so. Make a new one: credentials create`
      : `There is no credential ${username}. See: credentials list`,
  ]);
}

async function list(credentials: Credentials): Promise<Said> {
  const { credentials: known } = await credentials.listCredentials();
  const nowMs = Date.now();
  return known.map(({ username, organisation, permissions, expiresAt, revokedAt }) => {
    const isExpired = expiresAt !== undefined && expiresAt.getTime() <= nowMs;
    const status = revokedAt !== undefined ? 'REVOKED' : isExpired ? 'EXPIRED' : 'ACTIVE';
    return { username, organisation, status, ...held({ permissions, expiresAt }) };
  });
}

function held(given: { readonly permissions: readonly string[]; readonly expiresAt: Date | undefined }) {
  return { expires: given.expiresAt?.toISOString() ?? 'never', permissions: given.permissions };
}

function secondsOf(option: string, text: string, leastSeconds: number): number {
  const duration = readDuration(text, Date.now(), leastSeconds);
  if (!duration.ok) throw new ConfigError([`${option} ${text}: must be ${duration.must}.`]);
  return duration.seconds;
}

/** The database of DATABASE_URL, else that of the data folder, whether a node runs on it or not. */
async function openPlace(data: string | undefined, environment: EnvironmentVariables, isMaking: boolean) {
  const url = environment['DATABASE_URL'];
  if (url !== undefined && url !== '') return { connection: { url }, close: async () => {} };
  const folder = data ?? (environment['FAIRWAY_NODE_DATA'] || undefined);
  if (folder === undefined)
    throw new ConfigError([
      'Which database? Give --data DIR, the data folder of the node, or set FAIRWAY_NODE_DATA or DATABASE_URL.',
    ]);
  assertFolder(resolve(folder), isMaking);
  try {
    const place = await openCommandPostgres({
      ...{ lockedDirectory: resolve(folder), dataDirectory: join(resolve(folder), 'postgres') },
      ...{ role: 'CLIENT_NODE', cacheDirectory: cacheDirectory() },
    });
    if (place.ok) return place;
    throw new ConfigError([place.detail]);
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new ConfigError([error.message]) : error;
  }
}

/** A name that is mistyped makes no database. Only `create` may come before the first start of the node. */
function assertFolder(folder: string, isMaking: boolean): void {
  if (existsSync(join(folder, 'postgres')) || (isMaking && existsSync(folder))) return;
  throw new ConfigError([
    existsSync(folder)
      ? `The data folder ${folder}: no node has its data there. Give the folder that the node was started with.`
      : `The data folder ${folder}: there is no such folder. Give the folder that the node was started with${isMaking ? ', or make it first for a new node' : ''}.`,
  ]);
}

/** One fact on a line, and an empty line between two credentials. */
function textOf(said: Said): string {
  const rows = Array.isArray(said) ? (said as readonly Readonly<Record<string, unknown>>[]) : [said];
  const text = rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => `${name.padEnd(20)}${Array.isArray(value) ? value.join(', ') : String(value)}`)
      .join('\n'),
  );
  return text.length === 0 ? 'No credentials yet.' : text.join('\n\n');
}
