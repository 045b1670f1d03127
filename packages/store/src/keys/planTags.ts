import { createHash, createHmac } from 'node:crypto';
import { deriveKey } from '@fairway/credentials';

/** The bytes that name the plan, and those that show who made the tag. */
const [NAME_BYTES, PROOF_BYTES] = [6, 10];

/**
 * The 16 bytes that end the calldata of an attempt of a plan's swap, as `0x` and hexadecimal digits. `position`: that of
 * the attempt, from 0 on.
 */
export type PlanTag = (planId: string, position: number) => `0x${string}`;

/**
 * Makes the tags of attempts. The first bytes are a hash of the plan's id, which the index `plans_by_tag` finds the
 * plan by. The other bytes are an HMAC-SHA256 of plan and attempt under the server key. So only the service can make
 * the tag of an attempt before it gives out its calldata. The tags of attempts that a restored database has lost can
 * therefore be made again.
 */
export function createPlanTag(serverKey: Buffer): PlanTag {
  // The label never changes: calldata that was given out has these tags.
  const key = deriveKey(serverKey, 'fairway plan tags v1');
  return (planId, position) => {
    const name = createHash('sha256').update(`fairway plan ${planId}`).digest().subarray(0, NAME_BYTES);
    const proof = createHmac('sha256', key).update(`${planId}\0${position}`).digest();
    return `0x${Buffer.concat([name, proof.subarray(0, PROOF_BYTES)]).toString('hex')}`;
  };
}
