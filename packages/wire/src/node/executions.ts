import { type Static, Type } from 'typebox';
import { Amount, BlockHash, BlockNumber, ChainId, Timestamp, TxHash, wordOf } from '../fields.ts';
import { PaymentRequest } from '../paymentRequests.ts';
import { PaymentPlan } from '../payments.ts';
import { SwapPlan, SwapPlanRequest } from '../swap.ts';

/** What becomes of a mirrored request. */
export const ExecutionMode = wordOf(['plan', 'execute'], {
  description:
    'plan: instructions and plans only, as the service answers. execute: they are signed and sent by the node, and the answer has receipts. Absent: plan.',
});

/** Query of the execution of a swap. */
export const ExecuteSwapQuery = Type.Object(
  { executionMode: ExecutionMode },
  { additionalProperties: false },
);

/** Body of POST /v1/swap?executionMode=execute. */
export const ExecuteSwapRequest = Type.Object(
  {
    ...SwapPlanRequest.properties,
    minAmountOut: Type.Optional({
      ...Amount,
      description:
        'For EXACT_IN, and required there: the least that may arrive. Take it from a quote that you have looked at, a little more than slippageBps below it.',
    }),
    maxAmountIn: Type.Optional({
      ...Amount,
      description:
        'For EXACT_OUT, and required there: the most that may be taken. Take it from a quote that you have looked at.',
    }),
    validUntil: Type.Optional({
      ...Timestamp,
      description: 'Past this time nothing of it is executed any more. It shortens deadline.',
    }),
  },
  {
    additionalProperties: false,
    description:
      "The body of a swap plan, and the worst that may happen. sender must be a relayer of the node; absent: the chain's. recipient absent: the relayer.",
  },
);

/** Why an instruction was not executed, or did nothing. */
export const ExecutionFailure = Type.Object(
  {
    code: Type.String({
      description:
        'REVERTED, CANCELLED, REPLACED, EXPIRED, ASKED, PREVIOUS_FAILED, SIMULATION_FAILED, REQUEST_UNKNOWN, or what a policy says.',
    }),
    rule: Type.Optional(Type.String({ description: 'The rule of the policy that refused it.' })),
    detail: Type.Optional(Type.String({ description: 'The same as a sentence.' })),
  },
  { description: 'Why it was not executed, or did nothing.' },
);

/** Why an execution has not begun. */
export const ExecutionWait = Type.Object(
  {
    code: Type.String({
      description:
        'RELAYER_PAUSED, RELAYER_DISABLED, NODES_AWAY, SIGNER_AWAY, RELAYER_FAILING, BALANCE_NOT_KEPT, TOKEN_IN_USE, or QUEUED where its turn comes next.',
    }),
    detail: Type.String({ description: 'The same as a sentence, and what ends it.' }),
  },
  { description: 'Why nothing of it was signed yet, and what ends that.' },
);
export type ExecutionWait = Static<typeof ExecutionWait>;

/** What the node executes for one key. */
export const Execution = Type.Object(
  {
    executionId: Type.String({
      description: 'Made of the key alone, so that the same key is the same execution for ever.',
    }),
    status: wordOf(['ACCEPTED', 'RUNNING', 'SUCCEEDED', 'FAILED'], {
      description:
        'ACCEPTED: kept, and nothing is bound yet. RUNNING: a nonce is bound. SUCCEEDED: every instruction is CONFIRMED. FAILED: one ended otherwise.',
    }),
    failure: Type.Optional(ExecutionFailure),
    why: Type.Optional(ExecutionWait),
  },
  { description: 'What the node executes for one key.' },
);

/** How far an instruction is. */
export const ReceiptStatus = wordOf(
  ['PENDING', 'BROADCAST', 'MINED', 'CONFIRMED', 'REVERTED', 'CANCELLED', 'EXPIRED', 'REJECTED'],
  {
    description:
      'PENDING until it was sent, then BROADCAST. MINED: in a block that may still be replaced. CONFIRMED and REVERTED are final. CANCELLED: it cannot be executed any more. EXPIRED, REJECTED: it was never signed.',
  },
);

/** Proof that an instruction was not executed, and never will be. */
export const NonExecution = Type.Object(
  {
    proof: wordOf(['NONCE_USED', 'NEVER_SIGNED'], {
      description:
        'NONCE_USED: a final transaction has its nonce and did not execute it. NEVER_SIGNED: it has ended, and nothing was ever signed for it.',
    }),
    nonce: Type.Optional(Type.Integer({ minimum: 0, description: 'Of NONCE_USED.' })),
    txHash: Type.Optional({ ...TxHash, description: 'Of NONCE_USED: the transaction that has its nonce.' }),
    blockHash: Type.Optional(BlockHash),
  },
  { description: 'Why it was not executed, and never will be.' },
);

/** What became of one instruction. */
export const Receipt = Type.Object(
  {
    relayTransactionId: Type.String(),
    status: ReceiptStatus,
    txHash: Type.Optional({
      ...TxHash,
      description: 'The transaction on the chain, else the newest one that was signed. Absent: none yet.',
    }),
    chainId: ChainId,
    instructionIndex: Type.Integer({ minimum: 0, description: 'Its place among the instructions.' }),
    nonce: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Bound to it for ever. Absent: none is bound.' }),
    ),
    blockNumber: Type.Optional(BlockNumber),
    confirmations: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Blocks, its own included, when the chain was last read.' }),
    ),
    gasUsed: Type.Optional(Amount),
    effectiveGasPrice: Type.Optional({ ...Amount, description: 'What a unit of gas cost, in wei.' }),
    nonExecution: Type.Optional(NonExecution),
    failure: Type.Optional(ExecutionFailure),
  },
  { description: 'What became of one instruction.' },
);
export type Receipt = Static<typeof Receipt>;

const EXECUTED = {
  execution: Execution,
  receipts: Type.Array(Receipt, { description: 'One for each instruction, in their order.' }),
};

/** An execution and its receipts. */
export const ExecutionReading = Type.Object(EXECUTED, { description: 'An execution, and its receipts.' });
export type ExecutionReading = Static<typeof ExecutionReading>;

/** Response of POST /v1/swap?executionMode=execute. */
export const ExecutedSwap = Type.Object(
  { ...SwapPlan.properties, ...EXECUTED },
  { description: 'The swap plan that is executed, with its execution and receipts.' },
);

/** Body of POST /v1/payments?executionMode=execute. */
export const ExecutePaymentRequest = Type.Object(
  {
    ...PaymentRequest.properties,
    validUntil: Type.Optional({
      ...Timestamp,
      description: 'Past this time nothing of it is executed any more.',
    }),
  },
  {
    additionalProperties: false,
    description:
      "The body of a payment; clientReference is the key of its execution. options.sender must be the relayer; absent: it is. options.minAmountOut is required where the corridor swaps. The relayer's own balance is the deposit, so that options.depositAddress is left out.",
  },
);

/** Response of POST /v1/payments?executionMode=execute. */
export const ExecutedPayment = Type.Object(
  { ...PaymentPlan.properties, ...EXECUTED },
  { description: 'The payment plan, with the execution of its swap and the receipts.' },
);

/** Response of GET /v1/payments/{planId} of a node. */
export const MirroredPayment = Type.Object(
  { ...PaymentPlan.properties, ...Type.Partial(Type.Object(EXECUTED)).properties },
  {
    description:
      'The payment plan as the service has it. Where this node executes it, also the execution and the receipts.',
  },
);

/** Path of an execution. */
export const ExecutionPath = Type.Object({ executionId: Type.String() });

/** Query of the execution of a key. */
export const ExecutionQuery = Type.Object(
  { key: Type.String({ description: 'The Idempotency-Key of its request.' }) },
  { additionalProperties: false },
);
