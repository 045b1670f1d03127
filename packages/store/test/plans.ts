import { randomBytes, randomUUIDv7 } from 'node:crypto';
import {
  amountOf,
  type Corridor,
  createPlan,
  type DerivedInstructions,
  type Evidence,
  type Hash,
  type Plan,
  type PlanCommand,
  planIdAt,
  type PlanRequest,
  type Recipient,
  type Step,
  type StepId,
  type Transfer,
} from '@fairway/plan';

/** When test plans are made; the store's clock starts at this time. */
export const MADE_AT_MS = 1_790_000_000_000;

/** A corridor from a stablecoin to Australian bank accounts. */
const corridor: Corridor = {
  id: 'usdc-aud-bank',
  source: { chainId: 31337, token: `0x${'01'.repeat(20)}` },
  target: {
    type: 'BANK',
    country: 'AU',
    currency: 'AUD',
    chainId: 31337,
    token: `0x${'02'.repeat(20)}`,
    decimals: 6,
    custodian: 'Test custodian',
    settlementAddress: `0x${'03'.repeat(20)}`,
  },
  status: 'ACTIVE',
  modes: ['STANDARD', 'DIGITAL_COLLECT'],
  recipientTypes: ['bank', 'wallet'],
  minAmountIn: amountOf(10n),
  maxAmountIn: amountOf(10n ** 77n),
  minConfirmations: 2,
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

/** Full details as an integrator sends them. Each value occurs nowhere else in the database. */
export const RECIPIENT: Recipient = {
  type: 'bank',
  name: 'Zebedee Quillfeather',
  country: 'AU',
  account: { bsb: '062000', accountNumber: '778812345' },
};

/** An id like those of the service. */
function newId<Id extends string>(prefix: string): Id {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}` as Id;
}

/** Instructions with amounts that a double cannot hold: every digit must be kept. */
function derivedInstructions(atMs: number = MADE_AT_MS): DerivedInstructions {
  return {
    instructions: [
      {
        kind: 'EVM_CALL',
        chainId: 31337,
        to: `0x${'04'.repeat(20)}`,
        data: '0x04e45aafaa',
        value: '0',
        constraints: { maxSlippageBps: 50 },
      },
    ],
    quote: { amountOut: '1500', route: ['a', { feeBps: 30, hops: [] }], none: null },
    amountOut: amountOf(10n ** 77n + 1_500n),
    minAmountOut: amountOf(1_490n),
    notAfterMs: atMs + 1_200_001,
  };
}

/** A new plan, by default with a reference of its own. */
let uuids = 0;
/** A UUID that sorts behind those before it, for plans that are made at the same time. */
function uuidInOrder(): string {
  const order = (uuids += 1).toString(16).padStart(7, '0');
  return `${'0'.repeat(12)}7${order}${randomBytes(6).toString('hex')}`;
}

export function newPlan(changes: Partial<PlanRequest> = {}, nowMs: number = MADE_AT_MS): Plan {
  const planId = planIdAt(nowMs, uuidInOrder());
  const mode = changes.mode ?? 'STANDARD';
  const created = createPlan(
    corridor,
    {
      clientReference: `INV ${planId} ß🚢`,
      amountIn: amountOf(10n ** 76n + 1_001n),
      recipient:
        mode === 'STANDARD'
          ? {
              type: 'bank',
              name: 'Z. Q.',
              country: 'AU',
              account: { accountNumberLast4: '45' },
              fingerprint: 'f1',
            }
          : { type: 'email', email: 'z***@example.com', fingerprint: 'f2' },
      mode,
      options: {
        slippageBps: 50,
        collectLifeMs: 14 * 86_400_000,
        collect: { locale: 'en', message: 'Thanks' },
      },
      metadata: { order: '7', 'strange key': '"\\' },
      ...changes,
    },
    {
      planId,
      stepIds: [newId<StepId>('step'), newId<StepId>('step'), newId<StepId>('step')],
      endToEndId: `FW${planId.slice(-32).toUpperCase()}`,
      nowMs,
      lifeMs: 7 * 86_400_000,
      watchFromBlock: 100,
      madeBy: 'cred_1',
      swap: { kind: 'DERIVED', derived: derivedInstructions(nowMs) },
    },
  );
  if (!created.ok) throw new Error(created.refusal.reason);
  return created.plan;
}

/** A different hash for each name. */
export function hashOf(salt: number | string): Hash {
  return `0x${Buffer.from(String(salt)).toString('hex').padStart(64, '0')}`;
}

/** A transfer on the test chain. */
export function transfer(txHash: Hash, amount: bigint, logIndex = 0, blockNumber = 200): Transfer {
  const blockHash = hashOf(`block ${blockNumber}`);
  return { chainId: 31337, txHash, logIndex, blockNumber, blockHash, amount: amountOf(amount) };
}

/** A transaction with one transfer that completes a step. */
export function evidence(
  txHash: Hash,
  amount: bigint,
  status: Evidence['status'] = 'FINAL',
  blockNumber = 200,
): Evidence {
  const [moved, sender] = [transfer(txHash, amount, 3, blockNumber), `0x${'05'.repeat(20)}`] as const;
  const { chainId, blockHash } = moved;
  const place = { chainId, txHash, blockNumber, blockHash };
  return { ...place, sender, nonce: 7, transfers: [moved], amount: moved.amount, status };
}

/** The id of a plan's step. */
export function stepId(plan: Plan, type: Step['type']): StepId {
  return plan.steps.find((step) => step.type === type)?.stepId ?? ('step_none' as StepId);
}

/** The whole deposit, confirmed. */
export function deposit(plan: Plan, txHash: Hash): PlanCommand {
  return deposited(plan, [transfer(txHash, BigInt(plan.amountIn))]);
}

/** The chain shows these transfers to the deposit address; by default they have their confirmations. */
export function deposited(plan: Plan, transfers: readonly Transfer[], readNumber = 1_000): PlanCommand {
  const to = plan.options.depositAddress ?? `0x${'dc'.repeat(20)}`;
  const sent = {
    from: `0x${'fa'.repeat(20)}`,
    to,
    token: corridor.source.token,
    blockTimeMs: MADE_AT_MS,
  } as const;
  const added = transfers.map((each) => ({ ...sent, ...each }));
  return { type: 'RECORD_READ', stepId: stepId(plan, 'AWAIT_DEPOSIT'), readNumber, added };
}

/** The chain no longer has what it showed of a deposit in this transaction. */
export function depositGone({ ledger = [], steps }: Plan, txHash: Hash): PlanCommand {
  const gone = ledger.flatMap(({ kind, transfer: at }) =>
    kind === 'DEPOSIT' && at?.txHash === txHash && at.logIndex !== undefined
      ? [{ ...at, logIndex: at.logIndex }]
      : [],
  );
  const { stepId: id } = steps[0] as Step;
  return { type: 'EVIDENCE_LOST', stepId: id, txHash, cause: 'REORGANISED', gone };
}

/** New instructions. */
export function instructions(plan: Plan, atMs: number = MADE_AT_MS): PlanCommand {
  return {
    type: 'INSTRUCTED',
    askedBy: 'INTEGRATOR',
    stepId: stepId(plan, 'EXECUTE_SWAP'),
    derived: derivedInstructions(atMs),
  };
}

/** The swap, executed by the transaction of this evidence. */
export function swap(plan: Plan, shown: Evidence): PlanCommand {
  const step = plan.steps.find(({ type }) => type === 'EXECUTE_SWAP');
  const attempts = step?.type === 'EXECUTE_SWAP' ? step.attempts.length : 0;
  const position = Math.max(0, attempts - 1);
  const told = { position, evidence: shown, amountIn: plan.amountIn };
  return { type: 'EXECUTION_FOUND', stepId: stepId(plan, 'EXECUTE_SWAP'), ...told };
}

/** The custodian paid by the transaction of this evidence. */
export function payout(
  plan: Plan,
  shown: Evidence,
  verification: 'VERIFIED' | 'REPORTED' = 'VERIFIED',
): PlanCommand {
  return { type: 'PAYOUT_DONE', stepId: stepId(plan, 'CUSTODIAN_PAYOUT'), verification, evidence: shown };
}

/** The fingerprint of a request, as the first key of fingerprints of a store makes it. */
export const REQUEST = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 'x')]);
