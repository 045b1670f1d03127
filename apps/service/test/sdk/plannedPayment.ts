import { limitOf } from '@fairway/sdk';
import type { Corridor } from '@fairway/sdk/markets';
import type { PaymentPlan, PaymentRequest } from '@fairway/sdk/payments';
import { freshReference } from '../paymentsHarness.ts';
import type { SdkTest, Signers } from './clients.ts';

/** A payment as an integrator plans it: the request, the corridor as it is known, and the plan. */
export type PlannedPayment = {
  readonly request: PaymentRequest;
  readonly corridor: Corridor;
  readonly plan: PaymentPlan;
};

const AUSTRALIAN = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
} as const;
const AMOUNT_IN = '1000000000';

/** Plans a payment that a wallet executes, with a floor of its price. */
export async function planPayment(
  { fairway, facts }: SdkTest,
  { address }: Signers,
  corridorId = 'usdc-aud-bank',
): Promise<PlannedPayment> {
  const corridor = (await fairway.markets.corridors()).find(({ id }) => id === corridorId);
  if (corridor === undefined) throw new Error(`There is no corridor ${corridorId}`);
  const { source, target } = corridor;
  const tokenOut = target.address ?? source.address;
  const trade = {
    chainId: facts.chainId,
    tokenIn: source.address,
    tradeType: 'EXACT_IN',
    amount: AMOUNT_IN,
  } as const;
  const limit =
    tokenOut === source.address ? undefined : limitOf(await fairway.quotes.get({ ...trade, tokenOut }), 200);
  const floor =
    limit !== undefined && 'minAmountOut' in limit ? { minAmountOut: String(limit.minAmountOut) } : {};
  const recipient =
    target.type === 'WALLET'
      ? ({ type: 'wallet', chainId: facts.chainId, address: RECIPIENT } as const)
      : AUSTRALIAN;
  const request: PaymentRequest = {
    clientReference: freshReference(),
    corridorId,
    amountIn: AMOUNT_IN,
    recipient,
    options: { mode: 'STANDARD', sender: address, depositAddress: address, ...floor },
  };
  return { request, corridor, plan: await fairway.payments.create(request) };
}

const RECIPIENT = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** The step of a plan that has a type. */
export function stepIdOf({ steps }: PaymentPlan, type: string): string {
  const step = steps.find((found) => found.type === type);
  if (step === undefined) throw new Error(`There is no step ${type}`);
  return step.stepId;
}

/** Plays the payer. */
export async function payDeposit({ sandbox }: SdkTest, plan: PaymentPlan): Promise<void> {
  await sandbox.simulate(plan.planId, stepIdOf(plan, 'AWAIT_DEPOSIT'), { event: 'deposit.exact' });
}
