/** The user name and the password of a URL, as they are after percent-decoding. */
export type UrlLogin = { readonly username: string; readonly password: string };

/** A URL as it is asked, and the login that it had. `login` undefined: none. */
export type ParsedUrl = { readonly url: string; readonly login: UrlLogin | undefined };

/**
 * Takes a URL apart: the one way in which the login of a URL is read. Percent-encoding in it is of UTF-8 (RFC 3986, RFC 7617).
 * Undefined where that is malformed, where a user name has a colon, which ends it in a credential, or where it is no URL.
 *
 * @example
 * ```ts
 * import { parseUrlLogin } from '@fairway/evm';
 *
 * parseUrlLogin('https://me:p%C3%A4ss%25@node.example/v1');
 * // { url: 'https://node.example/v1', login: { username: 'me', password: 'päss%' } }
 * parseUrlLogin('https://me:100%@node.example'); // undefined: a percent sign is %25
 * ```
 */
export function parseUrlLogin(text: string): ParsedUrl | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (url.username === '' && url.password === '') return { url: text, login: undefined };
  try {
    const username = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    if (username.includes(':')) return undefined;
    url.username = '';
    url.password = '';
    return { url: url.href, login: { username, password } };
  } catch {
    return undefined;
  }
}

/**
 * The value of an Authorization header for a login, in UTF-8 (RFC 7617).
 *
 * @example
 * ```ts
 * import { basicAuthorization } from '@fairway/evm';
 *
 * basicAuthorization({ username: 'me', password: 'pass' }); // 'Basic bWU6cGFzcw=='
 * ```
 */
export function basicAuthorization({ username, password }: UrlLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A URL that a node is asked at, and the headers that carry its login. @throws where the login is malformed. */
export function urlAndHeaders(text: string): { url: string; headers: Readonly<Record<string, string>> } {
  const parsed = parseUrlLogin(text);
  // The text may hold a password.
  if (parsed === undefined) throw new Error('The URL of a node cannot be read');
  const { url, login } = parsed;
  return { url, headers: login === undefined ? {} : { authorization: basicAuthorization(login) } };
}
