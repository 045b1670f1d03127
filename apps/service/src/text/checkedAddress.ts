import { isAddress } from 'viem';

/** One letter case carries no checksum; a mixed-case address must carry the right one. */
export function isCheckedAddress(address: string): boolean {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || isAddress(address);
}
