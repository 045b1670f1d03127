import { type ForgottenRules, MOST_FORGOTTEN, type Plan, swapStep } from '@fairway/plan';
import type { ChainService } from '../../platform/chains/chainService.ts';
import type { PaymentParts } from './paymentParts.ts';

const TAG_BYTES = 16;

/**
 * The hexadecimal digits at the end of the calldata of a plan's instructions, and of instructions that it may have
 * lost. Each has the position that an attempt gets which was lost and is found by it: after the attempts of the plan.
 */
export function tagsOf({ store }: Pick<PaymentParts, 'store'>, plan: Plan): ReadonlyMap<string, number> {
  const { attempts } = swapStep(plan);
  const next = attempts.length;
  const tags = new Map<string, number>();
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

/** The facts by which an execution of lost instructions is recognised. */
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
