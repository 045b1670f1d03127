/**
 * The headers of an HTML page: no page of another site that has opened it, or that it opens, gets hold of it.
 *
 * @example
 * ```ts
 * import { pageHeaders } from '@fairway/api';
 *
 * const headers = pageHeaders("default-src 'none'");
 * ```
 */
export function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
  };
}
