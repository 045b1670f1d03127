import { isIP } from 'node:net';

/**
 * The addresses that the host of a URL stands for without a name server. That is the host itself if it is an address.
 * `localhost` and names below it stand for this machine's (RFC 6761). Undefined: only name servers can tell.
 */
export function fixedAddresses(hostname: string): readonly string[] | undefined {
  const host = bareHost(hostname);
  if (isIP(host) !== 0) return [host];
  return /(^|\.)localhost$/.test(host) ? ['127.0.0.1', '::1'] : undefined;
}

/** The host of a URL as sockets take it: IPv6 addresses without their brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
