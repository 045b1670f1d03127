import { readSmallFile } from './keyFile.ts';
import type { KmsCredentials, SigningCredentials } from './kmsAccess.ts';

/** Credentials, or why there are none. `isTransient`: a later attempt may succeed. */
export type CredentialsOutcome =
  | { readonly ok: true; readonly credentials: SigningCredentials }
  | { readonly ok: false; readonly isTransient: boolean; readonly detail: string };

/** Hosts on this machine or link-local. Amazon ECS and EKS serve credentials there without TLS. */
const PLAIN_HOSTS = new Set([
  '127.0.0.1',
  'localhost',
  '[::1]',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
]);

/** The credentials to sign a request with. Those of a platform are asked for each time, because they expire. */
export async function currentCredentials(
  credentials: KmsCredentials | undefined,
  signal: AbortSignal,
): Promise<CredentialsOutcome> {
  if (credentials === undefined) {
    const detail =
      'there are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where the platform serves ' +
      'credentials to containers.';
    return { ok: false, isTransient: false, detail };
  }
  return credentials.kind === 'STATIC' ? { ok: true, credentials } : servedCredentials(credentials, signal);
}

async function servedCredentials(
  { url, authorization, authorizationFile }: Extract<KmsCredentials, { kind: 'CONTAINER' }>,
  signal: AbortSignal,
): Promise<CredentialsOutcome> {
  const place = URL.canParse(url) ? new URL(url) : undefined;
  if (place === undefined || (place.protocol !== 'https:' && !PLAIN_HOSTS.has(place.hostname))) {
    const detail =
      'AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL, or lead to this machine or its platform.';
    return { ok: false, isTransient: false, detail };
  }
  const file =
    authorizationFile === undefined ? undefined : await readSmallFile(authorizationFile, () => undefined);
  if (file?.ok === false) return { ok: false, isTransient: false, detail: file.detail };
  const header = file?.text.trim() ?? authorization;
  try {
    const response = await fetch(place, {
      headers: header === undefined ? {} : { authorization: header },
      redirect: 'error',
      signal,
    });
    const served = response.ok ? ((await response.json()) as ServedCredentials | null) : null;
    if (served?.AccessKeyId && served.SecretAccessKey) {
      const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token } = served;
      const session = Token === undefined ? {} : { sessionToken: Token };
      return { ok: true, credentials: { accessKeyId, secretAccessKey, ...session } };
    }
    return {
      ok: false,
      isTransient: true,
      detail: `the platform serves no credentials (status ${response.status}).`,
    };
  } catch {
    // The error may repeat the answer, which holds secrets.
    return { ok: false, isTransient: true, detail: 'the platform that serves credentials does not answer.' };
  }
}

type ServedCredentials = {
  readonly AccessKeyId?: string;
  readonly SecretAccessKey?: string;
  readonly Token?: string;
};
