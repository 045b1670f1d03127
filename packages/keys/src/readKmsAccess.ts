import type { KmsAccess, KmsCredentials } from './kmsAccess.ts';

/**
 * Reads the credentials that the tools of AWS read from the environment, too. Their presence is checked at use.
 *
 * @example
 * ```ts
 * import { readKmsAccess } from '@fairway/keys';
 *
 * const access = readKmsAccess(process.env);
 * ```
 */
export function readKmsAccess(environment: Readonly<Record<string, string | undefined>>): KmsAccess {
  const credentials = readCredentials((name) => environment[name] || undefined);
  return credentials === undefined ? {} : { credentials };
}

function readCredentials(read: (name: string) => string | undefined): KmsCredentials | undefined {
  const [accessKeyId, secretAccessKey] = [read('AWS_ACCESS_KEY_ID'), read('AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const sessionToken = read('AWS_SESSION_TOKEN');
    return {
      ...{ kind: 'STATIC', accessKeyId, secretAccessKey },
      ...(sessionToken !== undefined && { sessionToken }),
    };
  }
  const relative = read('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const url =
    relative === undefined ? read('AWS_CONTAINER_CREDENTIALS_FULL_URI') : `http://169.254.170.2${relative}`;
  if (url === undefined) return undefined;
  const authorization = read('AWS_CONTAINER_AUTHORIZATION_TOKEN');
  const authorizationFile = read('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  return {
    ...{ kind: 'CONTAINER', url },
    ...(authorization !== undefined && { authorization }),
    ...(authorizationFile !== undefined && { authorizationFile }),
  };
}
