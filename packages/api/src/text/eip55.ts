import type { Address } from '@fairway/engine';
import { checksum } from 'ox/Address';

const checksummed = new Map<string, `0x${string}`>();
const REMEMBERED_AT_MOST = 20_000;

/**
 * Writes a known address (a pool, a listed token, a contract) in EIP-55 letter case. The result is remembered,
 * because hashing is slow.
 *
 * @example
 * ```ts
 * import { eip55 } from '@fairway/api';
 *
 * eip55('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'); // '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
 * ```
 */
export function eip55(address: Address | `0x${string}`): `0x${string}` {
  const known = checksummed.get(address);
  if (known !== undefined) return known;
  if (checksummed.size >= REMEMBERED_AT_MOST) checksummed.clear();
  // Its characters in one piece: JSON.stringify takes a slower way for texts that are put together from others.
  const computed = Buffer.from(checksum(address)).toString('latin1') as `0x${string}`;
  checksummed.set(address, computed);
  return computed;
}

/**
 * Whether an address has mixed letter case that is not its EIP-55 checksum. An address in one letter case has no
 * checksum.
 *
 * @example
 * ```ts
 * import { hasWrongChecksum } from '@fairway/api';
 *
 * hasWrongChecksum('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'); // false
 * ```
 */
export function hasWrongChecksum(address: string): boolean {
  const lower = address.toLowerCase();
  // Most given addresses are known tokens, whose checksum is remembered. Others are not remembered, because they
  // would displace the known ones.
  if (address === lower || checksummed.get(lower) === address) return false;
  const digits = address.slice(2);
  return digits !== digits.toUpperCase() && checksum(address) !== address;
}
