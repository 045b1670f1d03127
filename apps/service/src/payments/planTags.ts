import { createHash } from 'node:crypto';
import { type ForgottenRules, MOST_FORGOTTEN, type Plan, swapStep } from '@fairway/plan';
import type { ChainService } from '../chains/chainService.ts';
import type { PaymentParts } from './paymentParts.ts';

const TAG_BYTES = 16;

/**
 * The digits at the end of the calldata of a plan's instructions, in hexadecimal, each with the position of its attempt:
 * of those that it has, of those that it may have lost, and of those of earlier versions, which had one tag for a plan.
 * What an earlier version derived and the plan has lost comes after the last attempt.
 */
export function tagsOf({ store }: Pick<PaymentParts, 'store'>, plan: Plan): ReadonlyMap<string, number> {
  const { attempts } = swapStep(plan);
  const next = attempts.length;
  const tags = new Map([[formerTag(plan.planId), next]]);
  for (const { instructions } of attempts) {
    const digits = instructions
      .at(-1)
      ?.data.toLowerCase()
      .slice(-2 * TAG_BYTES);
    if (digits !== undefined) tags.set(digits, next);
  }
  for (let position = 0; position < next + MOST_FORGOTTEN; position += 1)
    tags.set(store.planTag(plan.planId, position).slice(2), Math.max(position, next));
  return tags;
}

/** What shows that a transaction executed instructions that the plan has lost. */
export function forgottenRules(
  parts: Pick<PaymentParts, 'store'>,
  chain: ChainService,
  plan: Plan,
): ForgottenRules {
  const named = swapStep(plan).attempts.flatMap(({ instructions }) => instructions.at(-1)?.to ?? []);
  return {
    tags: tagsOf(parts, plan),
    routers: [...new Set([chain.router, ...named].map((address) => address.toLowerCase()))],
  };
}

/** The tag of a plan by versions that had one for all of its attempts. */
function formerTag(planId: string): string {
  return createHash('sha256')
    .update(`fairway plan ${planId}`)
    .digest()
    .subarray(0, TAG_BYTES)
    .toString('hex');
}
