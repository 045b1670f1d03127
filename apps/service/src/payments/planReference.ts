import { createHash } from 'node:crypto';

const REFERENCE_BYTES = 16;

/**
 * What the calldata of a plan's swap ends with: 16 bytes that no other plan's has, so that a transaction that executes
 * one plan's instructions can never pass for another's. A hash, as the chain shows it to everybody.
 */
export function planReference(planId: string): `0x${string}` {
  const hash = createHash('sha256').update(`fairway plan ${planId}`).digest();
  return `0x${hash.subarray(0, REFERENCE_BYTES).toString('hex')}`;
}
