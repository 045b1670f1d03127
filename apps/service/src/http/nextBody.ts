import { toAddress } from '@fairway/engine';
import {
  type Amount,
  amountOf,
  attemptIdOf,
  collectStep,
  conversionOf,
  convertedAt,
  defined,
  depositStep,
  endToEndIdOf,
  executableAttempt,
  type MaskedRecipient,
  minorDecimalsOf,
  NEXT,
  nextOf,
  payableNow,
  type Plan,
  type Rate,
  swapStep,
  unitsOf,
  assetsOf,
  ZERO,
} from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { planWords } from '../payments/planWords.ts';
import { eip55 } from '../text/eip55.ts';
import { timestampOf } from '../time/timestamp.ts';
import { tokenBody } from './moneyBody.ts';
import { recipientBody } from './recipientBody.ts';

/**
 * Facts that the form of a plan depends on, apart from the plan: the time, the chains' tokens, how far they were read,
 * and rates.
 */
export type Shown = Pick<PaymentParts, 'chains' | 'nowMs' | 'rateFor'> & {
  readonly moments: Pick<PaymentParts['moments'], 'of'>;
};

type NextView = NonNullable<PaymentPlan['next']>;

/** What has to happen next, in the form of the API; undefined when nothing has to. */
export function nextBody(plan: Plan, { chains, moments, nowMs }: Shown): NextView | undefined {
  const record = moments.of(plan.corridor.source.chainId);
  const isCatchingUp = record !== undefined && record.state !== 'AT_HEAD';
  const next = nextOf(plan, { nowMs: nowMs(), isCatchingUp }, planWords(chains));
  if (next === undefined) return undefined;
  const { stepId, why, detail, deadlineMs } = next;
  const { do: what, by } = NEXT[why];
  const options = next.options ?? NEXT[why].options;
  return {
    do: what,
    by,
    why,
    detail,
    stepId,
    ...defined({
      deadline: deadlineMs === undefined ? undefined : timestampOf(deadlineMs),
      options: options && [...options],
      send: what === 'SEND' ? sendBody(plan, chains) : undefined,
      pay: why === 'PAYOUT_DUE' ? payBody(plan, chains) : undefined,
    }),
    ...(what === 'EXECUTE' ? callsBody(plan) : {}),
  };
}

function sendBody(plan: Plan, chains: Shown['chains']): NextView['send'] {
  const { expected, received } = depositStep(plan);
  const { depositAddress, sender } = plan.options;
  const to = depositAddress ?? sender;
  return {
    asset: tokenBody(assetsOf(plan).source, chains),
    amount: amountOf(unitsOf(expected) - unitsOf(received)),
    ...defined({ to: to && eip55(to) }),
  };
}

function callsBody(plan: Plan): Pick<NextView, 'attemptId' | 'calls'> {
  const open = executableAttempt(plan);
  if (open === undefined) return {};
  const attemptId = attemptIdOf(plan.planId, swapStep(plan).attempts.indexOf(open));
  return { attemptId, calls: [...open.instructions] };
}

function payBody(plan: Plan, chains: Shown['chains']): NextView['pay'] {
  const amount = payableNow(plan);
  if (amount === ZERO) return undefined;
  const beneficiary: MaskedRecipient = collectStep(plan)?.destination ?? plan.recipient;
  const { currency } = plan.corridor.target;
  return {
    asset: tokenBody(assetsOf(plan).target, chains),
    amount,
    target: { currency, ...defined({ amount: peggedAmount(plan, amount, beneficiary, chains) }) },
    endToEndId: endToEndIdOf(plan),
    beneficiary: recipientBody(beneficiary),
    ...defined({ to: beneficiary.type === 'wallet' ? eip55(beneficiary.address) : undefined }),
  };
}

const ONE = '1' as Rate;

/** What the beneficiary of an account gets in the currency; undefined where the custodian converts, and for wallets. */
function peggedAmount(
  { corridor }: Plan,
  amount: Amount,
  { type }: MaskedRecipient,
  chains: Shown['chains'],
): Amount | undefined {
  if (type === 'wallet' || conversionOf(corridor) !== 'PEGGED') return undefined;
  const { chainId, token, currency } = corridor.target;
  const from = chains.get(chainId)?.follower.tokens.get(toAddress(token))?.decimals;
  const to = minorDecimalsOf(currency);
  return from === undefined || to === undefined ? undefined : convertedAt(amount, ONE, { from, to });
}
