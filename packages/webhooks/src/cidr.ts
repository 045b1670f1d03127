import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

declare const cidrBrand: unique symbol;

/** A network such as `10.1.0.0/16` or `fd00::/8`, in its shortest spelling. */
export type Cidr = string & { readonly [cidrBrand]: true };

/** A network, or what is wrong with the text and how to write it. */
export type CidrOutcome =
  | { readonly ok: true; readonly cidr: Cidr }
  | { readonly ok: false; readonly reason: 'NOT_A_NETWORK' | 'HOST_BITS_SET'; readonly detail: string };

/**
 * Reads a network that an operator opens. An address with bits behind the prefix is refused. The author of
 * `10.1.2.3/8` means one machine, or does not know how much `/8` opens.
 *
 * @example
 * ```ts
 * import { readCidr } from '@fairway/webhooks';
 *
 * const read = readCidr('10.1.2.3/16');
 * const text = read.ok ? read.cidr : read.detail; // '10.1.2.3/16 names ... write 10.1.0.0/16 ...'
 * ```
 */
export function readCidr(text: string): CidrOutcome {
  const [, address = '', digits = ''] = /^([0-9A-Fa-f.:]{2,45})\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const addressBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefixBits = Number(digits);
  if (addressBits === 0 || prefixBits > addressBits) {
    const detail =
      'A network is an IPv4 or IPv6 address, a slash and the length of its prefix: 10.1.0.0/16 or fd00:1::/32.';
    return { ok: false, reason: 'NOT_A_NETWORK', detail };
  }
  const given = ipaddr.parse(address);
  const network =
    given.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  const cidr = `${network.toString()}/${prefixBits}`;
  if (network.toString() !== given.toString()) {
    const machine = `${given.toString()}/${addressBits}`;
    const detail = `${text} names an address inside of a network: write ${cidr} for the network, or ${machine} for this address alone.`;
    return { ok: false, reason: 'HOST_BITS_SET', detail };
  }
  return { ok: true, cidr: cidr as Cidr };
}
