import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { WebhookRule } from './rule.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** All of IPv6 that is given out for the internet. Other addresses have another meaning, or none yet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** Addresses that a NAT64 gateway connects to the IPv4 address in their last 32 bits (RFC 6052). */
const WELL_KNOWN_NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Whether a webhook may be sent to an IP address in its usual spelling: it is public unicast, or the rule opens it.
 * Anything that is not such an address, also one with a zone (`fe80::1%eth0`), may not.
 */
export function mayConnectTo(address: string, rule: WebhookRule): boolean {
  const parsed = readAddress(address);
  if (parsed === undefined) return false;
  if (isPublic(parsed)) return true;
  if (rule.httpToLoopback && isLoopback(address)) return true;
  if (!rule.allowPrivate.some((cidr) => isWithin(parsed, ipaddr.parseCIDR(cidr)))) return false;
  // An operator who opens NAT64 has the gateway in mind, not what it may reach. So the address behind it is judged on
  // its own.
  return !isWithin(parsed, WELL_KNOWN_NAT64) || mayConnectTo(parsed.toByteArray().slice(12).join('.'), rule);
}

/** Whether an IP address is of this machine itself: 127.0.0.0/8 or ::1. */
export function isLoopback(address: string): boolean {
  return readAddress(address)?.range() === 'loopback';
}

function readAddress(text: string): Address | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.parse(text);
}

function isPublic(address: Address): boolean {
  // The library calls an address unicast when it is on none of its lists. In IPv6, most addresses that are not public
  // are on no list.
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

function isWithin(address: Address, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match(network);
}
