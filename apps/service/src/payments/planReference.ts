import { createHash } from 'node:crypto';

const REFERENCE_BYTES = 16;

/**
 * The last 16 bytes of the calldata of a plan's swap. They differ for every plan, so that a transaction that executes
 * one plan's instructions is not taken as evidence for another plan. A hash, because everybody can read calldata.
 */
export function planReference(planId: string): `0x${string}` {
  const hash = createHash('sha256').update(`fairway plan ${planId}`).digest();
  return `0x${hash.subarray(0, REFERENCE_BYTES).toString('hex')}`;
}
