import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;
const SECRET = /^whsec_([A-Za-z0-9+/]{43}=)$/;

declare const keyBrand: unique symbol;

/** The 32 bytes that webhooks of an endpoint are signed with. */
export type WebhookKey = Buffer & { readonly [keyBrand]: true };

/** The key of a secret. A refusal repeats nothing of the text. */
export type SecretOutcome =
  | { readonly ok: true; readonly key: WebhookKey }
  | { readonly ok: false; readonly reason: 'NOT_A_SECRET'; readonly detail: string };

/**
 * Makes a new secret of an endpoint, as receivers enter it: `whsec_` and 32 random bytes in base64.
 *
 * @example
 * ```ts
 * import { createWebhookSecret } from '@fairway/webhooks';
 *
 * const secret = createWebhookSecret(); // 'whsec_' and 44 characters
 * ```
 */
export function createWebhookSecret(): string {
  return `${PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`;
}

/**
 * Reads the key out of a secret that `createWebhookSecret` made. Other spellings of the same bytes are refused.
 *
 * @example
 * ```ts
 * import { createWebhookSecret, readWebhookSecret } from '@fairway/webhooks';
 *
 * const read = readWebhookSecret(createWebhookSecret());
 * const byteCount = read.ok ? read.key.length : 0; // 32
 * ```
 */
export function readWebhookSecret(text: string): SecretOutcome {
  const base64 = SECRET.exec(text)?.[1] ?? '';
  const key = Buffer.from(base64, 'base64');
  // The last digit has bits that no byte uses, and that decoding ignores.
  if (key.length === KEY_BYTES && key.toString('base64') === base64)
    return { ok: true, key: key as WebhookKey };
  const detail = `A webhook secret is ${PREFIX} followed by ${KEY_BYTES} bytes in base64: copy it whole, without spaces.`;
  return { ok: false, reason: 'NOT_A_SECRET', detail };
}
