import { ProbeAnswer } from '../health.ts';
import { EmptyRequest } from '../fields.ts';
import { PlanPath, PlanQuery } from '../paymentRequests.ts';
import { type Operation, OPEN, permission } from '../operation.ts';
import {
  ExecutedPayment,
  ExecutedSwap,
  ExecutePaymentRequest,
  ExecuteSwapQuery,
  ExecuteSwapRequest,
  ExecutionPath,
  ExecutionQuery,
  ExecutionReading,
  MirroredPayment,
} from './executions.ts';
import { GasPath, GasRequest, GasView } from './gas.ts';
import { NOTIFICATIONS } from './notificationOperations.ts';
import {
  ByNonceQuery,
  CancelledPending,
  Reconciliation,
  RelayerList,
  RelayerPath,
  RelayerView,
  RelayHealth,
  RelayTransaction,
  TransactionList,
  TransactionPath,
  TransactionsQuery,
} from './relay.ts';
import {
  PolicyInForce,
  SignatureAnswer,
  SignatureList,
  SignaturesQuery,
  SignMessageRequest,
  SignTypedDataRequest,
} from './signatures.ts';

const EXECUTIONS = {
  executeSwap: {
    method: 'POST',
    path: '/v1/swap',
    tag: 'Executions',
    summary: 'Execute a swap',
    description:
      'Asks the service for a swap, checks it against this request and the policy of the node, and executes it, once for its Idempotency-Key. Answers when that is durable; with Prefer: wait=N, at the end or after N seconds.',
    access: permission('execute'),
    query: ExecuteSwapQuery,
    body: ExecuteSwapRequest,
    response: ExecutedSwap,
    isReplayed: true,
    problems: [
      'validation-failed',
      'execution-mode-not-supported',
      'idempotency-key-required',
      'idempotency-key-reused',
      'reconcile-first',
      'unsafe-answer',
      'limit-not-met',
      'policy-refused',
      'outcome-unknown',
    ],
  },
  executePayment: {
    method: 'POST',
    path: '/v1/payments',
    tag: 'Executions',
    summary: 'Execute a payment',
    description:
      "Has the service plan a payment, and executes the plan's swap, once for its clientReference: when the deposit is there, the calls are checked against this request and the policy of the node. Answers when that is durable; with Prefer: wait=N, when the node's part has ended or after N seconds.",
    access: permission('execute'),
    query: ExecuteSwapQuery,
    body: ExecutePaymentRequest,
    response: ExecutedPayment,
    isReplayed: true,
    problems: [
      'validation-failed',
      'execution-mode-not-supported',
      'idempotency-key-reused',
      'client-reference-reused',
      'unsafe-answer',
      'outcome-unknown',
    ],
  },
  getExecutedPayment: {
    method: 'GET',
    path: '/v1/payments/{planId}',
    tag: 'Executions',
    summary: 'A payment plan with its receipts',
    description:
      "The service's answer, with execution and receipts beside it where this node executes the plan.",
    access: permission('payments:read'),
    params: PlanPath,
    query: PlanQuery,
    response: MirroredPayment,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable'],
  },
  findExecution: {
    method: 'GET',
    path: '/relay/executions',
    tag: 'Executions',
    summary: 'The execution of a key',
    description: 'Whether the request with a key was taken, and what became of it.',
    access: permission('relay:read'),
    query: ExecutionQuery,
    response: ExecutionReading,
    problems: ['validation-failed', 'not-found'],
  },
  getExecution: {
    method: 'GET',
    path: '/relay/executions/{executionId}',
    tag: 'Executions',
    summary: 'One execution',
    description: 'An execution, and the receipts of its instructions.',
    access: permission('relay:read'),
    params: ExecutionPath,
    response: ExecutionReading,
    problems: ['validation-failed', 'not-found'],
  },
} as const satisfies Record<string, Operation>;

const RELAYERS = {
  listRelayers: {
    method: 'GET',
    path: '/relay/relayers',
    tag: 'Relayers',
    summary: 'Relayers',
    description: 'The keys that the node signs with, each on one chain.',
    access: permission('relay:read'),
    response: RelayerList,
    problems: ['validation-failed'],
  },
  getRelayer: {
    method: 'GET',
    path: '/relay/relayers/{relayerId}',
    tag: 'Relayers',
    summary: 'One relayer',
    description: 'Its balance, its nonces and what it waits for.',
    access: permission('relay:read'),
    params: RelayerPath,
    response: RelayerView,
    problems: ['validation-failed', 'not-found'],
  },
  pauseRelayer: {
    method: 'POST',
    path: '/relay/relayers/{relayerId}/pause',
    tag: 'Relayers',
    summary: 'Bind nothing more',
    description: 'What is bound already is brought to its end.',
    access: permission('relay:operate'),
    params: RelayerPath,
    body: EmptyRequest,
    bodyOptional: true,
    response: RelayerView,
    problems: ['validation-failed', 'not-found'],
  },
  resumeRelayer: {
    method: 'POST',
    path: '/relay/relayers/{relayerId}/resume',
    tag: 'Relayers',
    summary: 'Go on after a pause',
    description: 'What waits is bound again.',
    access: permission('relay:operate'),
    params: RelayerPath,
    body: EmptyRequest,
    bodyOptional: true,
    response: RelayerView,
    problems: ['validation-failed', 'not-found'],
  },
  cancelPending: {
    method: 'POST',
    path: '/relay/relayers/{relayerId}/cancel-pending',
    tag: 'Relayers',
    summary: 'Cancel everything that has not ended',
    description:
      'What has no nonce ends at once. For all else a transfer of nothing takes the nonce, unless the call is faster. New requests are still taken: pause the relayer first to stop them, too.',
    access: permission('relay:operate'),
    params: RelayerPath,
    body: EmptyRequest,
    bodyOptional: true,
    response: CancelledPending,
    problems: ['validation-failed', 'not-found'],
  },
  reconcileRelayer: {
    method: 'POST',
    path: '/relay/relayers/{relayerId}/reconcile',
    tag: 'Relayers',
    summary: 'Take a disabled relayer into use again',
    description:
      'Binds a cancellation to each nonce that something unknown may have. When all are final, nothing unknown can be executed any more: asked again then, the relayer goes on. First see what the key did meanwhile.',
    access: permission('relay:operate'),
    params: RelayerPath,
    body: EmptyRequest,
    bodyOptional: true,
    response: Reconciliation,
    problems: ['validation-failed', 'not-found'],
  },
} as const satisfies Record<string, Operation>;

const TRANSACTIONS = {
  listTransactions: {
    method: 'GET',
    path: '/relay/transactions',
    tag: 'Relayers',
    summary: 'Instructions',
    description: 'What was and is executed, the newest first.',
    access: permission('relay:read'),
    query: TransactionsQuery,
    response: TransactionList,
    problems: ['validation-failed'],
  },
  findTransactionByNonce: {
    method: 'GET',
    path: '/relay/transactions/by-nonce',
    tag: 'Relayers',
    summary: 'The instruction that has a nonce',
    description: 'Which call a transaction on the chain is of.',
    access: permission('relay:read'),
    query: ByNonceQuery,
    response: RelayTransaction,
    problems: ['validation-failed', 'not-found'],
  },
  getTransaction: {
    method: 'GET',
    path: '/relay/transactions/{relayTransactionId}',
    tag: 'Relayers',
    summary: 'One instruction',
    description: 'A call with everything that was signed for it.',
    access: permission('relay:read'),
    params: TransactionPath,
    response: RelayTransaction,
    problems: ['validation-failed', 'not-found'],
  },
  cancelTransaction: {
    method: 'POST',
    path: '/relay/transactions/{relayTransactionId}/cancel',
    tag: 'Relayers',
    summary: 'Cancel an instruction',
    description:
      'Without a nonce it ends at once. Else a transfer of nothing takes its nonce, unless the call is faster: the receipt says which. What ended without being executed stays as it is; what was executed is a problem.',
    access: permission('relay:operate'),
    params: TransactionPath,
    body: EmptyRequest,
    bodyOptional: true,
    response: RelayTransaction,
    problems: ['validation-failed', 'not-found', 'not-replaceable'],
  },
  speedUpTransaction: {
    method: 'POST',
    path: '/relay/transactions/{relayTransactionId}/speed-up',
    tag: 'Relayers',
    summary: 'Offer more for gas now',
    description:
      'Signs a replacement at the same nonce, which offers at least 12.5 % more, and as much as the market asks, below the cap. Where there is nothing to replace, the problem says why.',
    access: permission('relay:operate'),
    params: TransactionPath,
    body: EmptyRequest,
    bodyOptional: true,
    response: RelayTransaction,
    problems: ['validation-failed', 'not-found', 'not-replaceable', 'signer-failed', 'upstream-unavailable'],
  },
  relayReady: {
    method: 'GET',
    path: '/relay/ready',
    tag: 'Relayers',
    summary: 'Whether the node answers',
    description:
      'For load balancers and supervisors: 200 while one relayer at least works, else 503. Reveals nothing more; /relay/health tells the relayers apart.',
    access: OPEN,
    response: ProbeAnswer,
    problems: ['upstream-unavailable'],
  },
  relayHealth: {
    method: 'GET',
    path: '/relay/health',
    tag: 'Relayers',
    summary: 'Whether each relayer works',
    description: 'Always 200; the body tells what is wrong. Nothing is asked for it.',
    access: permission('relay:read'),
    response: RelayHealth,
    problems: ['validation-failed'],
  },
} as const satisfies Record<string, Operation>;

const GAS = {
  getGas: {
    method: 'GET',
    path: '/relay/gas/{chainId}',
    tag: 'Relayers',
    summary: 'The rules of gas on a chain',
    description: 'How much gas may cost there, and when more is offered for it.',
    access: permission('relay:read'),
    params: GasPath,
    response: GasView,
    problems: ['validation-failed', 'not-found'],
  },
  putGas: {
    method: 'PUT',
    path: '/relay/gas/{chainId}',
    tag: 'Relayers',
    summary: 'Set the rules of gas on a chain',
    description:
      'For all relayers of the chain, from their next round on, also after a restart. What was signed before keeps its fees.',
    access: permission('relay:operate'),
    params: GasPath,
    body: GasRequest,
    response: GasView,
    problems: ['validation-failed', 'not-found'],
  },
} as const satisfies Record<string, Operation>;

const SIGNATURES = {
  signMessage: {
    method: 'POST',
    path: '/relay/relayers/{relayerId}/sign-message',
    tag: 'Relayers',
    summary: 'Sign a message',
    description:
      'Signs a text (EIP-191) where the policy allows messages. A text that is a hash is refused. Answers when the record of signatures has it.',
    access: permission('relay:sign'),
    params: RelayerPath,
    body: SignMessageRequest,
    response: SignatureAnswer,
    problems: ['validation-failed', 'not-found', 'policy-refused', 'signer-failed'],
  },
  signTypedData: {
    method: 'POST',
    path: '/relay/relayers/{relayerId}/sign-typed-data',
    tag: 'Relayers',
    summary: 'Sign typed data',
    description:
      "Signs typed data (EIP-712) of the relayer's chain, where the policy names its contract and type. What lets another one spend is refused. Answers when the record of signatures has it.",
    access: permission('relay:sign'),
    params: RelayerPath,
    body: SignTypedDataRequest,
    response: SignatureAnswer,
    problems: ['validation-failed', 'not-found', 'policy-refused', 'signer-failed'],
  },
  getPolicy: {
    method: 'GET',
    path: '/relay/policies',
    tag: 'Relayers',
    summary: 'The policy in force',
    description: 'What the node may sign, as its operator wrote it, and the hash to compare it by.',
    access: permission('relay:read'),
    response: PolicyInForce,
    problems: ['validation-failed'],
  },
  listSignatures: {
    method: 'GET',
    path: '/relay/signatures',
    tag: 'Relayers',
    summary: 'What was signed',
    description: 'Messages and typed data that were signed, and who asked for it, the newest first.',
    access: permission('relay:read'),
    query: SignaturesQuery,
    response: SignatureList,
    problems: ['validation-failed'],
  },
} as const satisfies Record<string, Operation>;

/** The operations that a Client Node has beside those that it mirrors, by their id. */
export const NODE_OPERATIONS = {
  ...EXECUTIONS,
  ...RELAYERS,
  ...TRANSACTIONS,
  ...GAS,
  ...SIGNATURES,
  ...NOTIFICATIONS,
} as const;

/** The id of an operation of a Client Node. */
export type NodeOperationId = keyof typeof NODE_OPERATIONS;

/**
 * The operation of a Client Node with an id, as the type that all operations have.
 *
 * @example
 * ```ts
 * import { nodeOperation } from '@fairway/wire';
 *
 * const { method, path } = nodeOperation('getExecution'); // 'GET', '/relay/executions/{executionId}'
 * ```
 */
export function nodeOperation(id: NodeOperationId): Operation {
  return NODE_OPERATIONS[id];
}
