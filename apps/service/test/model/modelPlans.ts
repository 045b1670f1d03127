import {
  amountOf,
  type Corridor,
  createPlan,
  type DerivedInstructions,
  isTransferOnly,
  NO_DEADLINE_MS,
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

const SWAP_CORRIDOR: Corridor = {
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

/** The corridor of a plan that only transfers: what is deposited is paid out. */
const TRANSFER_CORRIDOR: Corridor = { ...SWAP_CORRIDOR, target: { ...SWAP_CORRIDOR.target, token: SOURCE } };

/** Instructions that bring 1,500 units, at least 1,490; those of a plan that only transfers bring what is deposited. */
export function derivedAt(nowMs: number, by: Pick<Plan, 'corridor'>): DerivedInstructions {
  const isTransfer = isTransferOnly(by.corridor);
  const [amountOut, minAmountOut] = isTransfer ? [AMOUNT_IN, AMOUNT_IN] : [1_500n, 1_490n];
  const call = { chainId: 1, to: '0x04', data: '0x04e45aaf', value: '0', constraints: {} };
  return {
    instructions: [{ ...call, kind: 'EVM_CALL' }],
    quote: {},
    amountOut: amountOf(amountOut),
    minAmountOut: amountOf(minAmountOut),
    notAfterMs: isTransfer ? NO_DEADLINE_MS : nowMs + 1_200_000,
  };
}

/** What a plan of the model is made with. `isDerived`: it has instructions from the beginning. */
type Making = {
  readonly number: number;
  readonly depositAddress: `0x${string}`;
  readonly isDerived: boolean;
  readonly isTransfer: boolean;
  readonly watchFromBlock: number;
  readonly nowMs: number;
};

/** A new plan with a deposit address. */
export function modelPlan({
  number,
  depositAddress,
  isDerived,
  isTransfer,
  watchFromBlock,
  nowMs,
}: Making): Plan {
  const by = isTransfer ? TRANSFER_CORRIDOR : SWAP_CORRIDOR;
  const derived = derivedAt(nowMs, { corridor: by });
  const step = (position: number) => `step_${number}${position}` as StepId;
  const created = createPlan(
    by,
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
      madeBy: 'cred_1',
      swap: isDerived
        ? { kind: 'DERIVED', derived }
        : {
            kind: 'WITHHELD',
            withheld: { reason: 'PRICE_BELOW_FLOOR', detail: 'The price is too low.' },
            amountOut: derived.amountOut,
          },
    },
  );
  if (!created.ok) throw new Error(created.refusal.reason);
  return created.plan;
}
