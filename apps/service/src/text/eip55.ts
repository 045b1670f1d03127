import type { Address } from '@fairway/engine';
import { checksumAddress } from 'viem';

const checksummed = new Map<string, `0x${string}`>();
const REMEMBERED_AT_MOST = 20_000;

/** An address of ours (a pool, a listed token, a contract) in EIP-55 letter case; remembered, as hashing is slow. */
export function eip55(address: Address | `0x${string}`): `0x${string}` {
  const known = checksummed.get(address);
  if (known !== undefined) return known;
  if (checksummed.size >= REMEMBERED_AT_MOST) checksummed.clear();
  const computed = checksumAddress(address);
  checksummed.set(address, computed);
  return computed;
}

/** Whether the letter case of an address says something else than its digits: mixed case with a wrong checksum. */
export function hasWrongChecksum(address: string): boolean {
  const lower = address.toLowerCase();
  // Most that are given are tokens of ours, whose checksum is remembered; strangers are not, they would displace them.
  if (address === lower || checksummed.get(lower) === address) return false;
  const digits = address.slice(2);
  return digits !== digits.toUpperCase() && checksumAddress(address as `0x${string}`) !== address;
}
