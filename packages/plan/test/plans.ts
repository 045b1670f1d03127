import {
  amountOf,
  type Corridor,
  createPlan,
  type DerivedInstructions,
  type Plan,
  type PlanId,
  type PlanMaking,
  type PlanRequest,
  type StepId,
} from '../src/index.ts';

/** The corridor of tests: a stablecoin to Australian bank accounts. */
export const corridor: Corridor = {
  id: 'usdc-aud-bank',
  source: { chainId: 31337, token: `0x${'01'.repeat(20)}` },
  target: {
    type: 'BANK',
    country: 'AU',
    currency: 'AUD',
    chainId: 31337,
    token: `0x${'02'.repeat(20)}`,
    custodian: 'Test custodian',
    settlementAddress: `0x${'03'.repeat(20)}`,
  },
  status: 'ACTIVE',
  modes: ['STANDARD', 'DIGITAL_COLLECT'],
  recipientTypes: ['bank', 'wallet'],
  minAmountIn: amountOf(10n),
  maxAmountIn: amountOf(1_000_000n),
  minConfirmations: 2,
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

/** When test plans are made. */
export const MADE_AT_MS = 1_700_000_000_000;
/** How long test plans live. */
export const LIFE_MS = 7 * 86_400_000;
/** The steps' ids, in order. */
export const STEP_IDS: readonly [StepId, StepId, StepId] = [
  'step_1' as StepId,
  'step_2' as StepId,
  'step_3' as StepId,
];

/** Instructions that bring 1,500 for 1,000, at least 1,490. `salt` makes the calldata differ. */
export function derivedInstructions(salt = 'aa', atMs: number = MADE_AT_MS): DerivedInstructions {
  return {
    instructions: [
      {
        kind: 'EVM_CALL',
        chainId: 31337,
        to: `0x${'04'.repeat(20)}`,
        data: `0x04e45aaf${salt}`,
        value: '0',
        constraints: {},
      },
    ],
    quote: { amountOut: '1500' },
    amountOut: amountOf(1_500n),
    minAmountOut: amountOf(1_490n),
    notAfterMs: atMs + 1_200_000,
  };
}

/** The request of a test plan. */
export function planRequest(changes: Partial<PlanRequest> = {}): PlanRequest {
  return {
    clientReference: 'INV-1',
    amountIn: amountOf(1_000n),
    recipient: {
      type: 'bank',
      name: 'J. D.',
      country: 'AU',
      account: { accountNumberLast4: '78' },
      fingerprint: 'f1',
    },
    mode: 'STANDARD',
    options: { slippageBps: 50, collectLifeMs: 14 * 86_400_000 },
    metadata: {},
    ...changes,
  };
}

/** What a test plan is made with. */
export function planMaking(changes: Partial<PlanMaking> = {}): PlanMaking {
  return {
    planId: 'plan_1' as PlanId,
    stepIds: STEP_IDS,
    endToEndId: 'FW1',
    nowMs: MADE_AT_MS,
    lifeMs: LIFE_MS,
    watchFromBlock: 100,
    madeBy: 'cred_1',
    swap: { kind: 'DERIVED', derived: derivedInstructions() },
    ...changes,
  };
}

/** A new plan. */
export function newPlan(changes: Partial<PlanRequest> = {}, ofCorridor: Partial<Corridor> = {}): Plan {
  const request = planRequest(changes);
  const email = { type: 'email', email: 'j***@example.com', fingerprint: 'f2' } as const;
  const created = createPlan(
    { ...corridor, ...ofCorridor },
    request.mode === 'DIGITAL_COLLECT' ? { ...request, recipient: email } : request,
    planMaking(),
  );
  if (!created.ok) throw new Error(created.refusal.reason);
  return created.plan;
}
