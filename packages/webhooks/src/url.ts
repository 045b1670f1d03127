import { isLoopback, mayConnectTo } from './address.ts';
import { fixedAddresses } from './host.ts';
import type { WebhookRule } from './rule.ts';

/** Longer than any URL of a receiver, and shorter than what servers commonly refuse. */
const LONGEST_URL = 2048;
const HTTPS_PORT = 443;
/** Ports below are for services of systems, which speak no HTTP or receive for nobody. */
const FIRST_FREE_PORT = 1024;

declare const urlBrand: unique symbol;

/** A URL that webhooks may be sent to, in the normal form of the URL standard. */
export type WebhookUrl = string & { readonly [urlBrand]: true };

/** What a URL is refused for. */
export type UrlRefusal =
  | 'TOO_LONG'
  | 'NOT_A_URL'
  | 'NOT_HTTPS'
  | 'HAS_CREDENTIALS'
  | 'HAS_FRAGMENT'
  | 'PORT_NOT_ALLOWED'
  | 'HOST_ENDS_WITH_DOT'
  | 'ADDRESS_NOT_PUBLIC';

/** A URL in its normal form, or what it is refused for, with a sentence that says the remedy. */
export type UrlOutcome =
  | { readonly ok: true; readonly url: WebhookUrl }
  | { readonly ok: false; readonly reason: UrlRefusal; readonly detail: string };

const DETAILS: Readonly<Record<Exclude<UrlRefusal, 'NOT_HTTPS'>, string>> = {
  TOO_LONG: `The URL is longer than ${LONGEST_URL} characters: shorten its path or query.`,
  NOT_A_URL: 'The text cannot be read as a URL: write one such as https://example.com/webhooks.',
  HAS_CREDENTIALS:
    'The URL holds a user name or a password: remove them, and give an own header such as authorization instead.',
  HAS_FRAGMENT: 'The URL has a fragment, which is never sent: remove the # and what follows it.',
  PORT_NOT_ALLOWED: `The port of the URL is not allowed: use ${HTTPS_PORT} over https, or a port from ${FIRST_FREE_PORT} to 65535.`,
  HOST_ENDS_WITH_DOT: 'The host of the URL ends with a dot: remove the dot.',
  ADDRESS_NOT_PUBLIC:
    'The host of the URL is an address that is not public on the internet: use a public host, or have the operator ' +
    'open its network for webhooks.',
};

/**
 * Judges the URL of a webhook, in the same way when an endpoint is made, tested and sent to. No name is resolved: what
 * a name resolves to is checked when the sender connects to it.
 *
 * @example
 * ```ts
 * import { judgeWebhookUrl } from '@fairway/webhooks';
 *
 * const judged = judgeWebhookUrl('https://0x7f.1/hooks', { httpToLoopback: false, allowPrivate: [] });
 * const text = judged.ok ? judged.url : judged.detail; // 'The host of the URL is an address that is not public ...'
 * ```
 */
export function judgeWebhookUrl(text: string, rule: WebhookRule): UrlOutcome {
  if (text.length > LONGEST_URL) return refused('TOO_LONG', rule);
  const url = URL.parse(text);
  if (url === null) return refused('NOT_A_URL', rule);
  const reason = refusalOf(url, rule);
  return reason === undefined ? { ok: true, url: url.href as WebhookUrl } : refused(reason, rule);
}

function refusalOf(url: URL, rule: WebhookRule): UrlRefusal | undefined {
  const addresses = fixedAddresses(url.hostname);
  const isHttpAllowed = rule.httpToLoopback && addresses?.every(isLoopback) === true;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHttpAllowed)) return 'NOT_HTTPS';
  if (url.username !== '' || url.password !== '') return 'HAS_CREDENTIALS';
  // An empty fragment has no text, only its sign.
  if (url.href.includes('#')) return 'HAS_FRAGMENT';
  // A port is empty where it is the scheme's own: 443, or the 80 of http, which is not allowed.
  const isPortAllowed = url.port === '' ? url.protocol === 'https:' : Number(url.port) >= FIRST_FREE_PORT;
  if (!isPortAllowed) return 'PORT_NOT_ALLOWED';
  if (url.hostname.endsWith('.')) return 'HOST_ENDS_WITH_DOT';
  if (addresses?.some((address) => !mayConnectTo(address, rule)) === true) return 'ADDRESS_NOT_PUBLIC';
  // The normal form can be longer than what was given, and is itself judged when it is sent to.
  return url.href.length > LONGEST_URL ? 'TOO_LONG' : undefined;
}

function refused(reason: UrlRefusal, { httpToLoopback }: WebhookRule): UrlOutcome {
  if (reason !== 'NOT_HTTPS') return { ok: false, reason, detail: DETAILS[reason] };
  const exception = httpToLoopback ? ', or an http:// URL of localhost, 127.0.0.1 or [::1]' : '';
  return { ok: false, reason, detail: `Webhooks are sent over https: write an https:// URL${exception}.` };
}
