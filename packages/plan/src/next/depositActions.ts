import { depositOf } from '../book/deposit.ts';
import { amountOf, isLess, unitsOf, ZERO } from '../terms/amount.ts';
import { assetsOf } from '../terms/money.ts';
import { awaitedAgain } from '../deposit/lostTransactions.ts';
import { hasPaidOut } from '../book/payout.ts';
import { depositStep, swapStep } from '../plan/steps.ts';
import type { AwaitDepositStep, Plan } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';
import type { Next } from './codes.ts';

/** What has to happen while the deposit is due. */
export function depositAction(plan: Plan, step: AwaitDepositStep, words: Words): Next {
  const { stepId, expected } = step;
  const { received } = depositOf(plan);
  const lost = lostDepositAction(plan);
  if (lost !== undefined) return lost;
  if (plan.addressLostFrom !== undefined && isLess(received, expected))
    return { stepId, why: 'ADDRESS_LOST', detail: ADDRESS_LOST };
  const { source } = assetsOf(plan);
  const deadlineMs = plan.expiresAtMs;
  if (isLess(received, expected) && plan.options.depositAddress !== undefined && hasPaidOut(plan))
    return { stepId, why: 'TRANSACTION_LOST', detail: GONE_AFTER_PAYOUT };
  if (plan.hasOlderMoney === true && step.status === 'PENDING')
    return { stepId, why: 'OLDER_MONEY', detail: OLDER_MONEY };
  const place = depositPlace(plan, words);
  if (received === ZERO) {
    const detail = [`Send ${words.amount(expected, source)} ${place}.`, ...priceWarning(plan)].join(' ');
    return { stepId, why: 'DEPOSIT_MISSING', detail, deadlineMs };
  }
  if (isLess(received, expected)) {
    const missing = amountOf(unitsOf(expected) - unitsOf(received));
    const detail = `${words.amount(received, source)} has arrived; send the missing ${words.amount(missing, source)} ${place}.`;
    return { stepId, why: 'DEPOSIT_PARTIAL', detail, deadlineMs };
  }
  const detail = `The deposit is waiting for ${plan.corridor.minConfirmations} confirmations.`;
  return { stepId, why: 'DEPOSIT_CONFIRMING', detail };
}

/** That what a reorganisation took back of the deposit is waited for, as it may come; undefined when nothing is. */
export function lostDepositAction(plan: Plan): Next | undefined {
  const lost = awaitedAgain(plan);
  if (lost === undefined) return undefined;
  const { options, expiresAtMs } = plan;
  const [first, ...more] = lost.txHashes;
  const others = more.length === 0 ? '' : ` (${more.length} more like it)`;
  const isSeen = options.depositAddress !== undefined;
  const again = isSeen ? 'counts by itself' : 'is to be reported again';
  const detail = `The transaction ${first}${others}, which brought money of the deposit, is no longer on the chain. Such a transaction is mostly mined again, and then ${again}: send nothing before. If it is not there by the deadline, next says what to do.`;
  const deadlineMs = Math.min(lost.untilMs, expiresAtMs);
  const { stepId } = depositStep(plan);
  return { stepId, why: 'DEPOSIT_LOST', detail, deadlineMs, ...(isSeen ? {} : { options: ['reports'] }) };
}

/** What to do with a plan whose deposit address is somebody else's. */
export const ADDRESS_LOST =
  "Another organisation has proven that the deposit address is its own: what comes there from now on is not this plan's. End the plan, and make a new one with an address of yours.";

/** The deposit address of a plan that has paid out is not its own any more. */
const GONE_AFTER_PAYOUT =
  'The deposit is no longer on the chain, and counts by itself when it is mined again. Send nothing to the deposit address: the plan has paid out before, so another plan may have the address by now. If the deposit cannot be mined again, end the plan and make a new one with another deposit address.';

/** A plan of the same payment may have had the deposit, and the database that was put back does not know it. */
const OLDER_MONEY =
  'A backup was put back, and before this plan was made the deposit address held money, or a swap was paid from there. Compare before anybody sends a deposit: where it was of this payment, report the deposit with its txHash; where it was swapped, settle with the custodian and end the plan. Only where it was not, send the deposit, which counts as usual.';

/** A warning before money is sent that could not be swapped at today's price. */
function priceWarning(plan: Plan): string[] {
  const { withheld } = swapStep(plan);
  if (withheld?.reason !== 'PRICE_BELOW_FLOOR') return [];
  return [`At the present price the money would wait: ${withheld.detail}`];
}

function depositPlace({ options }: Plan, { address }: Words): string {
  const { depositAddress, sender } = options;
  if (depositAddress !== undefined) return `to ${address(depositAddress)}`;
  const account = sender === undefined ? 'the account that will execute the swap' : address(sender);
  return `to ${account}, then report it`;
}
