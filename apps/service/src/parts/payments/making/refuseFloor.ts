import { toAddress } from '@fairway/engine';
import { type Amount, isLess, isTransferOnly, unitsOf } from '@fairway/plan';
import { withMeantAmount } from '../../trading/index.ts';
import { invalidFields, type ProblemFacts } from '@fairway/api';
import type { PaymentAsk } from './judgeRequest.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { planWords } from '../planWords.ts';

/** How many times another price no price comes to: a floor so far above is a mistake, and its plan would wait for ever. */
const FAR = 100n;

/**
 * The problem of an `options.minAmountOut` that the payment can never bring. It is above what goes in when nothing is swapped.
 * Or it looks as if it was given with other decimals, or is a hundred times what the payment brings. Undefined for others, also for one above the present price: the plan waits for that price. `amountOut`: what the payment would bring now.
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
  const isAbsurd = unitsOf(floor) >= unitsOf(amountOut) * FAR;
  const most = isAbsurd && !isFixed ? unitsOf(amountOut) * FAR : unitsOf(amountOut);
  const canBeMeant = (units: bigint) => units <= most && units * FAR >= unitsOf(amountOut);
  const refusal = withMeantAmount(problem, unfit, canBeMeant);
  return isFixed || isAbsurd || refusal !== problem ? refusal : undefined;
}
