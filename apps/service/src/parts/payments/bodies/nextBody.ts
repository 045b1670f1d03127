import { toAddress } from '@fairway/engine';
import {
  type Amount,
  amountOf,
  assetsOf,
  attemptIdOf,
  collectStep,
  conversionOf,
  convertedAt,
  depositOf,
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
  ZERO,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { ChainMoment } from '@fairway/store';
import type { PaymentPlan } from '@fairway/wire';
import type { PaymentParts } from '../paymentParts.ts';
import { planWords } from '../planWords.ts';
import { eip55, timestampOf } from '@fairway/api';
import { planToken } from './moneyBody.ts';
import { recipientBody } from './recipientBody.ts';

/**
 * Facts that the form of a plan depends on, apart from the plan: the time, the chains' tokens, how far they were read,
 * and rates.
 */
export type Shown = Pick<PaymentParts, 'chains' | 'nowMs' | 'rateFor'> & {
  readonly moments: { of(chainId: number): Pick<ChainMoment, 'state'> | undefined };
};

type NextView = NonNullable<PaymentPlan['next']>;

/** What has to happen next, in the form of the API; undefined when nothing has to. */
export function nextBody(plan: Plan, { chains, moments, nowMs }: Shown): NextView | undefined {
  // Money may have moved unseen, too, before this process has looked at the record for the first time.
  const isCatchingUp = moments.of(plan.corridor.source.chainId)?.state !== 'AT_HEAD';
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
      pay: asksToPay(plan, why) ? payBody(plan, chains) : undefined,
    }),
    ...(what === 'EXECUTE' ? callsBody(plan) : {}),
  };
}

function sendBody(plan: Plan, chains: Shown['chains']): NextView['send'] {
  const { expected } = depositStep(plan);
  const { received } = depositOf(plan);
  const { depositAddress, sender } = plan.options;
  const to = depositAddress ?? sender;
  return {
    asset: planToken(assetsOf(plan).source, chains),
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

/** Who is paid: what the recipient has chosen, else the recipient. */
function beneficiaryOf(plan: Plan): MaskedRecipient {
  return collectStep(plan)?.destination ?? plan.recipient;
}

/** Whether the custodian is asked to pay: also the rest where a wallet was paid a part. */
function asksToPay(plan: Plan, why: NextView['why']): boolean {
  return why === 'PAYOUT_DUE' || (why === 'PAYMENT_UNCLEAR' && beneficiaryOf(plan).type === 'wallet');
}

function payBody(plan: Plan, chains: Shown['chains']): NextView['pay'] {
  const amount = payableNow(plan);
  if (amount === ZERO) return undefined;
  const beneficiary = beneficiaryOf(plan);
  const asset = planToken(assetsOf(plan).target, chains);
  // A wallet gets the token itself.
  const currency =
    beneficiary.type === 'wallet' ? (asset.symbol ?? asset.address) : plan.corridor.target.currency;
  return {
    asset,
    amount,
    target: { currency, ...defined({ amount: peggedAmount(plan, amount, beneficiary, chains) }) },
    endToEndId: endToEndIdOf(plan),
    beneficiary: recipientBody(beneficiary),
    ...defined({ to: beneficiary.type === 'wallet' ? eip55(beneficiary.address) : undefined }),
  };
}

const ONE = '1' as Rate;

/** What the beneficiary of an account gets in the currency; undefined where the custodian converts, and for wallets. */
export function peggedAmount(
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
