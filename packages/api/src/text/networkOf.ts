import rateLimitPlugin from '@fastify/rate-limit';

/** An address as Node writes it, not as a caller does. */
const IPV4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/;

/**
 * The network of an address. All addresses of an IPv6 /64 network have one name, because one host can own the network.
 * An IPv4-mapped IPv6 address has the name of its IPv4 address.
 *
 * @example
 * ```ts
 * import { networkOf } from '@fairway/api';
 *
 * networkOf('2001:db8::1');
 * ```
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  return rateLimitPlugin.normalizeIP(ip, 64);
}

/**
 * The wide network of an address: IPv4 /24, IPv6 /48. One customer of a provider can have all addresses of it. An
 * IPv4-mapped IPv6 address has the name of its IPv4 address.
 *
 * @example
 * ```ts
 * import { wideNetworkOf } from '@fairway/api';
 *
 * wideNetworkOf('192.0.2.7'); // '192.0.2.0'
 * ```
 */
export function wideNetworkOf(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  // The first three numbers. It is asked with every request, and reading an address in full takes several times as long.
  const ofFour = IPV4.exec(ip)?.[1];
  if (ofFour !== undefined) return `${ofFour}.0`;
  return rateLimitPlugin.normalizeIP(ip, 48).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0');
}
