import { randomUUIDv7 } from 'node:crypto';
import {
  type Address,
  amountOf,
  type Corridor,
  createPlan,
  type Plan,
  type PlanId,
  type Recipient,
  type StepId,
} from '@fairway/plan';

const address = (byte: string): Address => `0x${byte.repeat(20)}`;

const corridor: Corridor = {
  id: 'usdc-aud-bank',
  source: { chainId: 31337, token: address('01') },
  target: {
    type: 'BANK',
    country: 'AU',
    currency: 'AUD',
    chainId: 31337,
    token: address('02'),
    custodian: 'Custodian',
    settlementAddress: address('03'),
  },
  status: 'ACTIVE',
  modes: ['STANDARD'],
  recipientTypes: ['bank'],
  minAmountIn: amountOf(1n),
  maxAmountIn: amountOf(10n ** 30n),
  minConfirmations: 1,
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

/** The recipient of the plan, in full. */
export const SAMPLE_RECIPIENT: Recipient = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062000', accountNumber: '12345678' },
};

/** Calldata of a swap over two pools and a quote with two legs, as in a plan of the sandbox. */
const data = `0x${'5ae401dc'.padEnd(2 * 900, '0')}`;
const leg = {
  pool: address('04'),
  kind: 'UNISWAP_V3',
  source: 'uniswap-v3',
  feeBps: 5,
  amountIn: '1000000000',
};
const quote = {
  chainId: 31337,
  amountIn: '1000000000',
  amountOut: '1537592317',
  route: { legs: [leg, leg] },
};

/** A new plan like those of the sandbox, with a unique reference. */
export function newSamplePlan(): Plan {
  const nowMs = Date.now();
  const id = () => randomUUIDv7().replaceAll('-', '');
  const stepId = () => `step_${id()}` as StepId;
  const created = createPlan(
    corridor,
    {
      clientReference: `INV-${id()}`,
      amountIn: amountOf(1_000_000_000n),
      recipient: {
        type: 'bank',
        name: 'J. C.',
        country: 'AU',
        account: { accountNumberLast4: '5678' },
        fingerprint: 'pKjAJNKbYYbJN7CSzLy10X1zDKQWd89VkmPv7znoJic',
      },
      mode: 'STANDARD',
      options: { slippageBps: 50, collectLifeMs: 1_209_600_000 },
      metadata: { order: '42' },
    },
    {
      planId: `plan_${id()}` as PlanId,
      stepIds: [stepId(), stepId(), stepId()],
      endToEndId: `FW${id()}`,
      nowMs,
      lifeMs: 604_800_000,
      watchFromBlock: 1,
      madeBy: 'cred_1',
      swap: {
        kind: 'DERIVED',
        derived: {
          instructions: [
            { kind: 'EVM_CALL', chainId: 31337, to: address('05'), data, value: '0', constraints: {} },
          ],
          quote,
          amountOut: amountOf(1_537_592_317n),
          minAmountOut: amountOf(1_529_904_356n),
          notAfterMs: nowMs + 1_200_000,
        },
      },
    },
  );
  if (!created.ok) throw new Error(created.refusal.reason);
  return created.plan;
}
