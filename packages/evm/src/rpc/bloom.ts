import { type Hex, hexToBytes, keccak256 } from 'viem';

const BLOOM_BYTES = 256;

/** Whether a log may be in a block, by the bloom of the block's header: false is certain, true is only likely. */
export type MayContain = (item: Hex) => boolean;

/** Reads a header's bloom of log addresses and topics (Yellow Paper 4.3.1). */
export function readBloom(bloom: Hex): MayContain {
  const bits = hexToBytes(bloom);
  if (bits.length !== BLOOM_BYTES) return () => true;
  return (item) => {
    const hash = keccak256(item, 'bytes');
    return [0, 2, 4].every((at) => {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
      return ((bits[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
    });
  };
}
