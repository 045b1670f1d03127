import { AwsClient } from 'aws4fetch';
import type { KmsAccess } from './kmsAccess.ts';
import { currentCredentials } from './kmsCredentials.ts';

/** Where a key management service is, and which of its keys is meant. */
export type KmsPlace = { readonly kmsKey: string; readonly region: string; readonly endpoint?: string };

/** The answer of the service, or why there is none. `isTransient`: a later attempt may succeed. */
export type KmsAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly isTransient: boolean; readonly detail: string };

const TIMEOUT_MS = 5000;
const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Errors of the service that may end by themselves. Statuses from 500 on may, too. */
const TRANSIENT_ERRORS = new Set([
  'ThrottlingException',
  'Throttling',
  'LimitExceededException',
  'RequestExpired',
]);

/** What the service is asked to do. */
export type KmsAction = 'Decrypt' | 'GenerateDataKeyWithoutPlaintext' | 'GetPublicKey' | 'Sign';

const REMEDIES: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'allow these credentials kms:Decrypt and, to create keys, kms:GenerateDataKeyWithoutPlaintext; for a key that signs, kms:GetPublicKey and kms:Sign',
  NotFoundException: 'the key does not exist in this region',
  IncorrectKeyException: 'another key wrapped it: give the file its own kmsKey',
  InvalidCiphertextException: 'the ciphertext was altered, or was made for a key of another id',
  DisabledException: 'enable the key',
  InvalidKeyUsageException: 'give a key of the usage SIGN_VERIFY and the spec ECC_SECG_P256K1',
  KMSInvalidStateException: 'the key is disabled or about to be deleted: enable it',
};

/** Sends one signed request. A detail repeats nothing of its answer but the name of an error. */
export async function callKms(
  place: KmsPlace,
  access: KmsAccess,
  action: KmsAction,
  body: object,
): Promise<KmsAnswer> {
  const { region, endpoint = `https://kms.${region}.amazonaws.com` } = place;
  if (!isPrivate(endpoint)) {
    const detail = `the endpoint ${endpoint} must be an https URL, because keys are sent over it.`;
    return { ok: false, isTransient: false, detail };
  }
  const timeoutMs = access.timeoutMs ?? TIMEOUT_MS;
  const signal = AbortSignal.timeout(timeoutMs);
  const signing = await currentCredentials(access.credentials, signal);
  if (!signing.ok) return signing;
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` },
    body: JSON.stringify(body),
  };
  const away = (text: string): KmsAnswer => ({ ok: false, isTransient: true, detail: `${endpoint} ${text}` });
  try {
    const client = new AwsClient({ ...signing.credentials, region, service: 'kms', retries: 0 });
    const signed = await client.sign(endpoint, request);
    const response = await fetch(signed, { redirect: 'error', signal });
    const text = await response.text();
    const answer = jsonObjectOf(text);
    if (response.ok && answer !== undefined) return { ok: true, body: answer };
    return response.ok
      ? away('does not answer as a key management service does.')
      : refusal(response.status, answer, away);
  } catch {
    return away(signal.aborted ? `does not answer within ${timeoutMs / 1000} s.` : 'cannot be reached.');
  }
}

/** Whether nobody on the way can read what is sent to a URL. */
function isPrivate(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname));
}

function refusal(
  status: number,
  answer: Readonly<Record<string, unknown>> | undefined,
  away: (text: string) => KmsAnswer,
): KmsAnswer {
  const given = typeof answer?.['__type'] === 'string' ? (answer['__type'].split('#').at(-1) ?? '') : '';
  // An error's own text can repeat the request, so that only its name is shown.
  const name = /^[A-Za-z]{1,60}$/.test(given) ? given : `status ${status}`;
  if (status >= 500 || status === 429 || TRANSIENT_ERRORS.has(name)) return away(`answers ${name}.`);
  const remedy = REMEDIES[name] ?? 'correct the credentials, the region and the key';
  return { ok: false, isTransient: false, detail: `the key management service answers ${name}: ${remedy}.` };
}

/** The JSON object of a text; undefined for any other text. */
export function jsonObjectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
