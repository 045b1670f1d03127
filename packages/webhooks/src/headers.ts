const MOST_HEADERS = 20;
const LONGEST_NAME = 64;
/** Names and values together: with our own headers they stay below the 8 kB that servers commonly take. */
const MOST_HEADER_BYTES = 6000;

/** Names are tokens of RFC 9110. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, with spaces and tabs inside: no line break, and nothing that servers decode differently. */
const VALUE = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

/** Headers that the sender writes, headers about one connection alone, and headers that would contradict the body. */
const RESERVED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
/** The standard's own headers, also those that it may get. */
const RESERVED_PREFIX = 'webhook-';

/** What headers are refused for. */
export type HeadersRefusal =
  | 'TOO_MANY'
  | 'TOO_LONG'
  | 'NAME_NOT_ALLOWED'
  | 'NAME_RESERVED'
  | 'NAME_REPEATED'
  | 'VALUE_NOT_ALLOWED';

/** Headers with names in lower case, or what they are refused for. `header` is the name of the one at fault, as given. */
export type HeadersOutcome =
  | { readonly ok: true; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly ok: false;
      readonly reason: HeadersRefusal;
      readonly header?: string;
      readonly detail: string;
    };

/**
 * Judges the headers that a receiver wants with each webhook. A refusal never repeats a value, which can be a secret.
 *
 * @example
 * ```ts
 * import { judgeWebhookHeaders } from '@fairway/webhooks';
 *
 * const judged = judgeWebhookHeaders({ 'X-Tenant': 'north', Host: 'example.com' });
 * const header = judged.ok ? undefined : judged.header; // 'Host'
 * ```
 */
export function judgeWebhookHeaders(headers: Readonly<Record<string, string>>): HeadersOutcome {
  const given = Object.entries(headers);
  if (given.length > MOST_HEADERS) {
    return {
      ok: false,
      reason: 'TOO_MANY',
      detail: `There are more than ${MOST_HEADERS} headers: remove some.`,
    };
  }
  const taken = new Map<string, string>();
  for (const [header, value] of given) {
    const name = header.toLowerCase();
    const fault = faultOf(name, value, taken);
    if (fault !== undefined) return { ok: false, header, ...fault };
    taken.set(name, value);
  }
  const length = given.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > MOST_HEADER_BYTES) {
    const detail = `The headers are longer than ${MOST_HEADER_BYTES} bytes in all: shorten their values.`;
    return { ok: false, reason: 'TOO_LONG', detail };
  }
  return { ok: true, headers: Object.fromEntries(taken) };
}

function faultOf(
  name: string,
  value: string,
  taken: ReadonlyMap<string, string>,
): { reason: HeadersRefusal; detail: string } | undefined {
  if (name.length > LONGEST_NAME || !NAME.test(name)) {
    const detail = `The name of a header is 1 to ${LONGEST_NAME} letters, digits and hyphens, without spaces.`;
    return { reason: 'NAME_NOT_ALLOWED', detail };
  }
  if (RESERVED.has(name) || name.startsWith(RESERVED_PREFIX)) {
    return { reason: 'NAME_RESERVED', detail: `The header ${name} is written by the sender: remove it.` };
  }
  if (taken.has(name)) {
    return { reason: 'NAME_REPEATED', detail: `The header ${name} is given twice: give it once.` };
  }
  if (!VALUE.test(value)) {
    const detail = `The value of the header ${name} is ASCII without line breaks and without spaces at its ends.`;
    return { reason: 'VALUE_NOT_ALLOWED', detail };
  }
  return undefined;
}
