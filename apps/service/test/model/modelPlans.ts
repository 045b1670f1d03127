import {
  amountOf,
  type Corridor,
  createPlan,
  type DerivedInstructions,
  type Plan,
  type PlanId,
  type StepId,
} from '@fairway/plan';

/** The token that deposits come in, the token of payouts, and one that nobody asked for. */
export const SOURCE = '0x01';
export const TARGET = '0x02';
export const THIRD = '0x03';
/** Who deposits. */
export const STRANGER = '0x0f';
/** What the plans of the model swap. */
export const AMOUNT_IN = 1_000_000n;
/** The confirmations that every plan's corridor asks for. */
export const CONFIRMATIONS = 2;
/** What is less is dust. */
export const DUST = 1_000n;

const corridor: Corridor = {
  id: 'usdc-aud-bank',
  source: { chainId: 1, token: SOURCE },
  target: {
    type: 'BANK',
    country: 'AU',
    currency: 'AUD',
    chainId: 1,
    token: TARGET,
    custodian: 'Test custodian',
    settlementAddress: '0x5e',
  },
  status: 'ACTIVE',
  modes: ['STANDARD'],
  recipientTypes: ['bank'],
  minAmountIn: amountOf(10n),
  maxAmountIn: amountOf(1_000_000n),
  minConfirmations: CONFIRMATIONS,
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

/** Instructions that bring 1,500 units, at least 1,490. */
export function derivedAt(nowMs: number): DerivedInstructions {
  const call = { chainId: 1, to: '0x04', data: '0x04e45aaf', value: '0', constraints: {} };
  return {
    instructions: [{ ...call, kind: 'EVM_CALL' }],
    quote: {},
    amountOut: amountOf(1_500n),
    minAmountOut: amountOf(1_490n),
    notAfterMs: nowMs + 1_200_000,
  };
}

/** A new plan with a deposit address. `isDerived`: it has instructions from the beginning. */
export function modelPlan(
  number: number,
  depositAddress: `0x${string}`,
  isDerived: boolean,
  watchFromBlock: number,
  nowMs: number,
): Plan {
  const step = (position: number) => `step_${number}${position}` as StepId;
  const created = createPlan(
    corridor,
    {
      clientReference: `INV-${number}`,
      amountIn: amountOf(AMOUNT_IN),
      recipient: {
        type: 'bank',
        name: 'J. D.',
        country: 'AU',
        account: { accountNumberLast4: '78' },
        fingerprint: 'f1',
      },
      mode: 'STANDARD',
      options: { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress },
      metadata: {},
    },
    {
      planId: `plan_${String(number).padStart(32, '0')}` as PlanId,
      stepIds: [step(1), step(2), step(3)],
      endToEndId: `FW${number}`,
      nowMs,
      lifeMs: 7 * 86_400_000,
      watchFromBlock,
      swap: isDerived
        ? { kind: 'DERIVED', derived: derivedAt(nowMs) }
        : {
            kind: 'WITHHELD',
            withheld: { reason: 'PRICE_BELOW_FLOOR', detail: 'The price is too low.' },
            amountOut: amountOf(1_500n),
          },
    },
  );
  if (!created.ok) throw new Error(created.refusal.reason);
  return created.plan;
}
