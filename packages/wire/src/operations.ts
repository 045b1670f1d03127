import { type TSchema, Type } from 'typebox';
import { Health, ProbeAnswer } from './health.ts';
import {
  Chain,
  Corridor,
  CorridorPath,
  CorridorsQuery,
  Requirements,
  RequirementsQuery,
  Token,
  TokensQuery,
} from './markets.ts';
import {
  EventsQuery,
  PaymentRequest,
  PaymentsQuery,
  PlanPath,
  SimulateRequest,
  StepPath,
  StepReport,
} from './paymentRequests.ts';
import { PaymentEventList, PaymentList, PaymentPlan, RevealedRecipient } from './payments.ts';
import type { Permission } from './permissions.ts';
import type { ProblemCode } from './problems.ts';
import { Quote, QuoteQuery } from './quote.ts';
import { ClockAnswer, ClockRequest, FaucetAnswer, FaucetRequest, Sandbox } from './sandbox.ts';
import { SwapPlan, SwapPlanRequest } from './swap.ts';

/** Who may call an operation: anyone, any valid credential, or one with a permission. */
export type Access =
  | { readonly kind: 'OPEN' }
  | { readonly kind: 'AUTHENTICATED' }
  | { readonly kind: 'PERMISSION'; readonly permission: Permission };

/** One operation of the API. */
export type Operation = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly tag: 'Markets' | 'Trading' | 'Payments' | 'Service' | 'Sandbox';
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** Object schema whose members are the parameters in the path. */
  readonly params?: TSchema;
  /** Object schema whose members are the query parameters. */
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Whether the body may be left out. */
  readonly bodyOptional?: true;
  readonly response: TSchema;
  /** Served by deployments of the sandbox environment alone. */
  readonly sandboxOnly?: true;
  /** Problems of its own, beside those of its access and of having a body. */
  readonly problems: readonly ProblemCode[];
};

const OPEN: Access = { kind: 'OPEN' };
const AUTHENTICATED: Access = { kind: 'AUTHENTICATED' };

function permission(name: Permission): Access {
  return { kind: 'PERMISSION', permission: name };
}

const TRADE_PROBLEMS = [
  'validation-failed',
  'unknown-chain',
  'unknown-token',
  'same-token',
  'no-route',
  'insufficient-liquidity',
  'amount-out-of-range',
  'price-impact-too-high',
  'market-stale',
] as const satisfies readonly ProblemCode[];

const service = {
  health: {
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'How the service stands',
    description: 'Always 200 for a valid credential; the body says what is wrong.',
    access: AUTHENTICATED,
    response: Health,
    problems: ['validation-failed'],
  },
  livez: {
    method: 'GET',
    path: '/livez',
    tag: 'Service',
    summary: 'Whether the process answers',
    description: 'For load balancers and supervisors. Reveals nothing.',
    access: OPEN,
    response: ProbeAnswer,
    problems: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether quotes are served',
    description:
      'For load balancers: 200 when the markets of every chain have been read once and at least one chain is up ' +
      'to date, else 503. Reveals nothing more; /health tells the chains apart.',
    access: OPEN,
    response: ProbeAnswer,
    problems: ['market-stale'],
  },
} as const satisfies Record<string, Operation>;

const markets = {
  listChains: {
    method: 'GET',
    path: '/v1/markets/chains',
    tag: 'Markets',
    summary: 'Chains',
    description: 'The chains that quotes and swaps can name.',
    access: permission('markets:read'),
    response: Type.Array(Chain),
    problems: ['validation-failed'],
  },
  listTokens: {
    method: 'GET',
    path: '/v1/markets/tokens',
    tag: 'Markets',
    summary: 'Tokens',
    description:
      'Tokens with at least one route, the native currency of each chain first. A chainId that is not served is a 400 unknown-chain.',
    access: permission('markets:read'),
    query: TokensQuery,
    response: Type.Array(Token),
    problems: ['validation-failed', 'unknown-chain'],
  },
  listCorridors: {
    method: 'GET',
    path: '/v1/markets/corridors',
    tag: 'Markets',
    summary: 'Payment corridors',
    description: 'The corridors that payments can name.',
    access: permission('markets:read'),
    query: CorridorsQuery,
    response: Type.Array(Corridor),
    problems: ['validation-failed'],
  },
  getRequirements: {
    method: 'GET',
    path: '/v1/markets/corridors/{corridorId}/requirements',
    tag: 'Markets',
    summary: 'What a corridor needs to know of a recipient',
    description:
      'The JSON Schema that recipients of the corridor are checked against, with labels and hints.',
    access: permission('markets:read'),
    params: CorridorPath,
    query: RequirementsQuery,
    response: Requirements,
    problems: ['validation-failed', 'not-found'],
  },
} as const satisfies Record<string, Operation>;

const trading = {
  getQuote: {
    method: 'GET',
    path: '/v1/quote',
    tag: 'Trading',
    summary: 'A live quote',
    description:
      'Derives a quote from one block of the live market. Nothing is created or stored; each call derives a new result.',
    access: permission('quotes:read'),
    query: QuoteQuery,
    response: Quote,
    problems: TRADE_PROBLEMS,
  },
  planSwap: {
    method: 'POST',
    path: '/v1/swap',
    tag: 'Trading',
    summary: 'A swap plan',
    description:
      "A fresh quote and the calls that execute it, in order. The service neither signs nor broadcasts: the caller's own infrastructure executes. With sender, approvals needed come before the swap.",
    access: permission('swaps:plan'),
    body: SwapPlanRequest,
    response: SwapPlan,
    problems: [...TRADE_PROBLEMS, 'simulation-failed', 'upstream-unavailable', 'overloaded'],
  },
} as const satisfies Record<string, Operation>;

const CHANGE_PROBLEMS = [
  'validation-failed',
  'not-found',
  'step-not-ready',
  'upstream-unavailable',
  'overloaded',
] as const satisfies readonly ProblemCode[];

const payments = {
  createPayment: {
    method: 'POST',
    path: '/v1/payments',
    tag: 'Payments',
    summary: 'A payment plan',
    description:
      'Plans a payment: the steps from the deposit to the recipient, with the instructions and the coordination they need. Nothing is executed. The same body with the same clientReference gives the plan as it is now, with the header Idempotent-Replayed: true.',
    access: permission('payments:write'),
    body: PaymentRequest,
    response: PaymentPlan,
    problems: [
      'validation-failed',
      'unknown-corridor',
      'corridor-suspended',
      'mode-not-supported',
      'recipient-invalid',
      'client-reference-reused',
      'request-in-progress',
      'deposit-address-in-use',
      'amount-out-of-range',
      'no-route',
      'insufficient-liquidity',
      'price-impact-too-high',
      'simulation-failed',
      'market-stale',
      'upstream-unavailable',
      'overloaded',
    ],
  },
  listPayments: {
    method: 'GET',
    path: '/v1/payments',
    tag: 'Payments',
    summary: 'Payment plans',
    description: "The organisation's plans, newest first.",
    access: permission('payments:read'),
    query: PaymentsQuery,
    response: PaymentList,
    problems: ['validation-failed', 'upstream-unavailable'],
  },
  getPayment: {
    method: 'GET',
    path: '/v1/payments/{planId}',
    tag: 'Payments',
    summary: 'A payment plan as it is now',
    description: "One of the organisation's plans. Foreign and absent plans are answered alike.",
    access: permission('payments:read'),
    params: PlanPath,
    response: PaymentPlan,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable'],
  },
  listPaymentEvents: {
    method: 'GET',
    path: '/v1/payments/{planId}/events',
    tag: 'Payments',
    summary: "A plan's history",
    description: 'Everything that happened to the plan, oldest first.',
    access: permission('payments:read'),
    params: PlanPath,
    query: EventsQuery,
    response: PaymentEventList,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable'],
  },
  cancelPayment: {
    method: 'POST',
    path: '/v1/payments/{planId}/cancel',
    tag: 'Payments',
    summary: 'Cancel a plan',
    description: 'Cancels a plan while no money has moved. Cancelling again changes nothing.',
    access: permission('payments:write'),
    params: PlanPath,
    body: Type.Object({}, { additionalProperties: false }),
    bodyOptional: true,
    response: PaymentPlan,
    problems: ['validation-failed', 'not-found', 'not-cancelable', 'upstream-unavailable', 'overloaded'],
  },
  revealRecipient: {
    method: 'POST',
    path: '/v1/payments/{planId}/recipient/reveal',
    tag: 'Payments',
    summary: "A recipient's full details",
    description: 'Gives the full details of the recipient; who asked and when is recorded in the history.',
    access: permission('recipients:reveal'),
    params: PlanPath,
    body: Type.Object({}, { additionalProperties: false }),
    bodyOptional: true,
    response: RevealedRecipient,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable', 'overloaded'],
  },
  refreshStep: {
    method: 'POST',
    path: '/v1/payments/{planId}/steps/{stepId}/refresh',
    tag: 'Payments',
    summary: 'Derive instructions anew',
    description:
      'Derives the instructions of an EXECUTE_SWAP step from the current block: a new quote and a new deadline. While the quote is below options.minAmountOut there are none, and nextAction says so.',
    access: permission('payments:write'),
    params: StepPath,
    body: Type.Object({}, { additionalProperties: false }),
    bodyOptional: true,
    response: PaymentPlan,
    problems: [
      ...CHANGE_PROBLEMS,
      'no-route',
      'insufficient-liquidity',
      'amount-out-of-range',
      'price-impact-too-high',
      'simulation-failed',
      'market-stale',
    ],
  },
  reportStep: {
    method: 'POST',
    path: '/v1/payments/{planId}/steps/{stepId}/reports',
    tag: 'Payments',
    summary: 'Report what became of a step',
    description:
      'Says that a step is done, has failed, or that its payout came back. A transaction is checked on the chain: what it does not bear out is a 409 and changes nothing.',
    access: permission('payments:write'),
    params: StepPath,
    body: StepReport,
    response: PaymentPlan,
    problems: [...CHANGE_PROBLEMS, 'evidence-mismatch'],
  },
  retryStep: {
    method: 'POST',
    path: '/v1/payments/{planId}/steps/{stepId}/retry',
    tag: 'Payments',
    summary: 'Try a failed step again',
    description: 'Takes a step that FAILED back to READY (a deposit to PENDING). Attempts are kept.',
    access: permission('payments:write'),
    params: StepPath,
    body: Type.Object({}, { additionalProperties: false }),
    bodyOptional: true,
    response: PaymentPlan,
    problems: [...CHANGE_PROBLEMS, 'deposit-address-in-use'],
  },
} as const satisfies Record<string, Operation>;

const sandbox = {
  simulateStep: {
    method: 'POST',
    path: '/v1/sandbox/payments/{planId}/steps/{stepId}/simulate',
    tag: 'Sandbox',
    summary: 'Make something happen to a step',
    description:
      'Plays the payer, the wallet or the custodian: deposits and swaps are real transactions on the sandbox chain. Answers with the plan once it knows.',
    access: permission('payments:write'),
    params: StepPath,
    body: SimulateRequest,
    response: PaymentPlan,
    sandboxOnly: true,
    problems: [...CHANGE_PROBLEMS, 'evidence-mismatch', 'deposit-address-in-use'],
  },
  getSandbox: {
    method: 'GET',
    path: '/v1/sandbox',
    tag: 'Sandbox',
    summary: 'The sandbox chain',
    description: "The built-in chain's address, funded accounts, routers and tokens.",
    access: AUTHENTICATED,
    response: Sandbox,
    sandboxOnly: true,
    problems: ['validation-failed'],
  },
  advanceClock: {
    method: 'POST',
    path: '/v1/sandbox/clock',
    tag: 'Sandbox',
    summary: "Move the sandbox's time",
    description:
      "Moves the service's and the chain's time forward and answers once the chain has a block there.",
    access: AUTHENTICATED,
    body: ClockRequest,
    response: ClockAnswer,
    sandboxOnly: true,
    problems: ['validation-failed', 'upstream-unavailable', 'overloaded'],
  },
  useFaucet: {
    method: 'POST',
    path: '/v1/sandbox/faucet',
    tag: 'Sandbox',
    summary: 'Fund an account',
    description: 'Gives an account native currency or tokens and answers when the funds are there.',
    access: AUTHENTICATED,
    body: FaucetRequest,
    response: FaucetAnswer,
    sandboxOnly: true,
    problems: [
      'validation-failed',
      'unknown-token',
      'amount-out-of-range',
      'upstream-unavailable',
      'overloaded',
    ],
  },
} as const satisfies Record<string, Operation>;

/** Every operation by its id: what the service registers and the OpenAPI document describes. */
export const OPERATIONS = { ...markets, ...trading, ...payments, ...service, ...sandbox } as const;

/** The id of an operation. */
export type OperationId = keyof typeof OPERATIONS;

/** All operation ids. */
export const OPERATION_IDS = Object.keys(OPERATIONS) as readonly OperationId[];

/** An operation seen as the general shape. */
export function operation(id: OperationId): Operation {
  return OPERATIONS[id];
}

/** Every problem an operation can answer with: its own, those of its access, and those of having a body. */
export function problemCodesOf({ access, body, problems }: Operation): readonly ProblemCode[] {
  const codes: ProblemCode[] = [...problems];
  if (access.kind !== 'OPEN') codes.push('unauthorized', 'forbidden', 'rate-limited', 'upstream-unavailable');
  if (body !== undefined) codes.push('malformed-json', 'body-too-large', 'unsupported-media-type');
  codes.push('malformed-request', 'internal');
  return [...new Set(codes)];
}
