import { toAddress } from '@fairway/engine';
import { type Amount, isLess, isTransferOnly, unitsOf } from '@fairway/plan';
import { withMeantAmount } from '../fields/meantAmount.ts';
import { invalidFields, type ProblemFacts } from '../problems/problem.ts';
import type { PaymentAsk } from './judgeRequest.ts';
import type { PaymentParts } from './paymentParts.ts';
import { planWords } from './planWords.ts';

/**
 * The problem of an `options.minAmountOut` that the payment can never bring. It is above what goes in when nothing is swapped, or
 * looks as if it was given with other decimals than the token has. Undefined for others, also for one above the present price: the
 * plan waits for that price. `amountOut`: what the payment would bring now.
 */
export function refuseFloor(
  { chains }: Pick<PaymentParts, 'chains'>,
  { corridor, options: { minAmountOut: floor } }: Pick<PaymentAsk, 'corridor' | 'options'>,
  amountOut: Amount,
): ProblemFacts | undefined {
  if (floor === undefined || !isLess(amountOut, floor)) return undefined;
  const { chainId, token: address } = corridor.target;
  const token = chains.get(chainId)?.follower.tokens.get(toAddress(address));
  if (token === undefined) return undefined;
  const isFixed = isTransferOnly(corridor);
  const brought = planWords(chains).amount(amountOut, { chainId, address });
  const pointer = '/options/minAmountOut';
  const detail = `minAmountOut is more than the payment brings, ${brought}${isFixed ? '; nothing is swapped' : ' now'}.`;
  const problem = invalidFields([{ pointer, detail }]);
  const unfit = { pointer, units: unitsOf(floor), token, fault: 'TOO_LARGE' } as const;
  // A floor just above the price is no mistake, even if the same amount with other decimals could be meant.
  const canBeMeant = (units: bigint) => units <= unitsOf(amountOut) && units * 100n >= unitsOf(amountOut);
  const refusal = withMeantAmount(problem, unfit, canBeMeant);
  return isFixed || refusal !== problem ? refusal : undefined;
}
