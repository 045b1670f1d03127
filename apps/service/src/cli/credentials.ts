import { readDuration } from '@fairway/values';
import type { CredentialGone, CredentialRefusal, CredentialSummary } from '@fairway/credentials';
import type { Store } from '@fairway/store';
import { type Permission, PERMISSIONS, permissionsOf, ROLES } from '@fairway/wire';

import { CommandError } from './commandError.ts';
import { type Output, runOnStore } from './storeCommand.ts';
import { table } from './textLines.ts';
import { parseCommand } from '../platform/config/commandLine.ts';
import { UsageError } from '../platform/config/error.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = {
  organisation: { type: 'string' },
  environment: { type: 'string' },
  permissions: { type: 'string' },
  'expires-in': { type: 'string' },
  overlap: { type: 'string' },
  'audit-log': { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseCommand<typeof OPTIONS>>['values'];

/**
 * `fairway credentials create | rotate | revoke | list`. Returns what to print.
 * @throws UsageError, CommandError, ConfigError
 */
export async function credentialsCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  const [verb, username, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest[0]}`);
  const run = prepare(verb, username, values);
  const command = { name: `credentials ${verb}`, isChange: verb !== 'list', mayMake: verb === 'create' };
  return runOnStore(values, terminal, command, run);
}

/** Checks the whole command line before any database is opened. */
function prepare(verb: string | undefined, username: string | undefined, values: Values) {
  if (verb === 'create' && username === undefined) return prepareCreate(values);
  if (verb === 'list' && username === undefined) return list;
  if (verb === 'rotate' && username !== undefined) {
    const overlapSeconds = secondsOf('--overlap', values.overlap ?? 'PT24H', 0);
    return (store: Store) => rotate(store, username, overlapSeconds);
  }
  if (verb === 'revoke' && username !== undefined) return (store: Store) => revoke(store, username);
  if (verb === 'rotate' || verb === 'revoke') throw new UsageError(`credentials ${verb} needs a USERNAME.`);
  throw new UsageError('Use one of: credentials create, rotate USERNAME, revoke USERNAME, list.');
}

function prepareCreate(values: Values) {
  const { organisation } = values;
  if (organisation === undefined) throw new UsageError('credentials create needs --organisation NAME.');
  const environment = values.environment ?? 'sandbox';
  if (environment !== 'sandbox' && environment !== 'production') {
    throw new UsageError(`--environment ${environment}: use sandbox or production.`);
  }
  const permissions = readPermissions(values.permissions ?? 'integrator');
  const expiresIn = values['expires-in'];
  const lifetimeSeconds = expiresIn === undefined ? undefined : secondsOf('--expires-in', expiresIn, 1);
  return async (store: Store): Promise<Output> => {
    const expiresAt =
      lifetimeSeconds === undefined ? undefined : new Date(store.clock.nowMs() + 1000 * lifetimeSeconds);
    const made = await store.createCredential({ organisation, environment, permissions, expiresAt });
    if (!made.ok) throw refused('', made);
    const { username, password } = made;
    const json = {
      username,
      password,
      organisation: made.organisation,
      environment,
      permissions,
      expiresAt: expiresAt?.toISOString() ?? null,
    };
    const text = [
      `organisation  ${made.organisation} (${environment})`,
      `username      ${username}`,
      `password      ${password}`,
      `expires       ${json.expiresAt ?? 'never'}`,
      `permissions   ${permissions.join(', ')}`,
      '',
      'The password is shown this once. Keep it in your secret store.',
    ].join('\n');
    const fact = {
      event: 'CREDENTIAL_CREATED' as const,
      ...{ credentialId: username, environment, permissions, expiresAt: json.expiresAt },
    };
    return { text, json, fact };
  };
}

/** Reads roles and single permissions, and returns the permissions in their usual order. */
function readPermissions(list: string): readonly Permission[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => permissionsOf(name) === undefined);
  if (unknown.length > 0)
    throw new UsageError(
      `--permissions: no such role or permission: ${unknown.join(', ')}. Roles are ${Object.keys(ROLES).join(', ')}. Permissions are ${PERMISSIONS.join(', ')}.`,
    );
  const held = new Set(names.flatMap((name) => permissionsOf(name) ?? []));
  return PERMISSIONS.filter((permission) => held.has(permission));
}

async function rotate(store: Store, username: string, overlapSeconds: number): Promise<Output> {
  const rotated = await store.rotateCredential(username, overlapSeconds);
  if (!rotated.ok) throw refused(username, rotated);
  const previousValidUntil = rotated.previousValidUntil.toISOString();
  const text = [
    `username      ${username}`,
    `new password  ${rotated.password}`,
    '',
    `The old password works until ${previousValidUntil}. The new one is shown this once.`,
  ].join('\n');
  const fact = { event: 'CREDENTIAL_ROTATED', credentialId: username, previousValidUntil } as const;
  return { text, json: { username, password: rotated.password, previousValidUntil }, fact };
}

async function revoke(store: Store, username: string): Promise<Output> {
  const revoked = await store.revokeCredential(username);
  if (!revoked.ok) throw refused(username, revoked);
  const revokedAt = revoked.revokedAt.toISOString();
  return {
    text: `${username} is revoked; running services refuse it within 5 s.`,
    json: { username, revokedAt },
    fact: { event: 'CREDENTIAL_REVOKED', credentialId: username, revokedAt },
  };
}

async function list(store: Store): Promise<Output> {
  const listed = await store.listCredentials();
  const credentials = listed.credentials.map((each) => summaryToJson(each, store.clock.nowMs()));
  const rows = credentials.map((each) => [
    ...[each.username, each.organisation, each.environment, each.status, each.expiresAt ?? 'never'],
    each.permissions.join(', '),
  ]);
  const head = ['USERNAME', 'ORGANISATION', 'ENVIRONMENT', 'STATUS', 'EXPIRES', 'PERMISSIONS'];
  const text = rows.length === 0 ? 'No credentials yet.' : table([head, ...rows]).join('\n');
  return { text, json: { credentials }, fact: { event: 'CREDENTIALS_LISTED', count: rows.length } };
}

function summaryToJson(credential: CredentialSummary, nowMs: number) {
  const { username, organisation, environment, permissions, expiresAt, revokedAt } = credential;
  const expired = expiresAt !== undefined && expiresAt.getTime() <= nowMs;
  return {
    username,
    organisation,
    environment,
    status: revokedAt !== undefined ? 'REVOKED' : expired ? 'EXPIRED' : 'ACTIVE',
    permissions,
    createdAt: credential.createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    previousValidUntil: credential.previousValidUntil?.toISOString() ?? null,
  };
}

type Refusal =
  | CredentialRefusal
  | CredentialGone
  | { readonly ok: false; readonly reason: 'OVERLAP_INVALID' };

function refused(username: string, refusal: Refusal): UsageError | CommandError {
  const { reason } = refusal;
  switch (reason) {
    case 'CREDENTIAL_UNKNOWN':
      return new CommandError(reason, `There is no credential ${username}. See: fairway credentials list`);
    case 'CREDENTIAL_REVOKED':
      return new CommandError(
        reason,
        `${username} is revoked and stays so. Make a new one: fairway credentials create`,
      );
    case 'OVERLAP_INVALID':
      return new UsageError('--overlap: use whole seconds, at most 30 days, such as PT24H.');
    case 'ORGANISATION_INVALID':
      return new UsageError(`--organisation: ${refusal.detail}.`);
    case 'ENVIRONMENT_NOT_SERVED':
      return new UsageError(`--environment: ${refusal.detail}.`);
    case 'EXPIRY_INVALID':
      return new UsageError(`--expires-in: ${refusal.detail}.`);
  }
}

function secondsOf(option: string, text: string, leastSeconds: number): number {
  const duration = readDuration(text, Date.now(), leastSeconds);
  if (!duration.ok) throw new UsageError(`${option} ${text}: must be ${duration.must}.`);
  return duration.seconds;
}
