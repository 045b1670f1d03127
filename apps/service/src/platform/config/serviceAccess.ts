import { basicAuthorization } from '@fairway/evm';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';
import { readReadyFile } from './readyFileContent.ts';

/** Where a running service is, and with which credential a command asks it. */
export type ServiceAccess = {
  /** Without a slash at its end. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
};

/** The header with which a command asks a service. */
export function authorizationOf({ username, password }: ServiceAccess): string {
  return basicAuthorization({ username, password });
}

const WHERE =
  'Which service? Give --ready-file PATH of a running sandbox (fairway start --ready-file PATH writes it), or --service URL with the credential in FAIRWAY_USERNAME and FAIRWAY_PASSWORD.';

/**
 * Reads which service a command asks: the one of `--service`, with the credential of the environment, else the sandbox of
 * the ready file.
 * @throws ConfigError
 */
export function readServiceAccess(
  flags: { readonly service?: string | undefined; readonly readyFile?: string | undefined },
  environment: EnvironmentVariables,
): ServiceAccess {
  if (flags.service !== undefined && flags.readyFile !== undefined)
    throw new ConfigError(['Give --service or --ready-file, not both.']);
  if (flags.service !== undefined) return namedService(flags.service, environment);
  const path = flags.readyFile ?? (environment.FAIRWAY_READY_FILE || undefined);
  if (path === undefined) throw new ConfigError([WHERE]);
  return readySandbox(path);
}

function namedService(url: string, environment: EnvironmentVariables): ServiceAccess {
  const { FAIRWAY_USERNAME: username, FAIRWAY_PASSWORD: password } = environment;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError([
      `--service must be the URL of a service, such as https://fairway.example; given ${url}.`,
    ]);
  if (hasLogin(url))
    throw new ConfigError(['--service must be a URL without a user name and a password in it.']);
  if (!username || !password)
    throw new ConfigError([
      '--service needs the credential in FAIRWAY_USERNAME and FAIRWAY_PASSWORD: a command line is seen by others.',
    ]);
  return { url: url.replace(/\/+$/, ''), username, password };
}

/** Whether a URL holds a user name or a password, which would be printed and kept. */
export function hasLogin(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

function readySandbox(path: string): ServiceAccess {
  const { url, username, password } = readReadyFile(path);
  if (typeof url !== 'string' || typeof username !== 'string' || typeof password !== 'string')
    throw new ConfigError([
      `--ready-file ${path}: names no credential, because its service is no sandbox: give --service with FAIRWAY_USERNAME and FAIRWAY_PASSWORD.`,
    ]);
  return { url, username, password };
}
