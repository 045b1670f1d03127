import { Type } from 'typebox';
import { EventListQuery, EventStream, EventStreamQuery } from '../events.ts';
import { EventList } from '../eventSchemas.ts';
import { Health, ProbeAnswer } from '../health.ts';
import {
  Chain,
  Corridor,
  CorridorPath,
  CorridorsQuery,
  Requirements,
  RequirementsQuery,
  MarketToken,
  Router,
  TokensQuery,
} from '../markets.ts';
import { AUTHENTICATED, OPEN, type Operation, permission, takesIfMatch } from '../operation.ts';
import { COLLECT_REQUESTS } from './collectRequestOperations.ts';
import { CHANGE_PROBLEMS, PAYMENTS } from './paymentOperations.ts';
import { PlanQuery, SimulateRequest, StepPath } from '../paymentRequests.ts';
import { PaymentPlan } from '../payments.ts';
import { RECIPIENTS } from './recipientOperations.ts';
import { REPORTS } from './reportOperations.ts';
import { STATEMENTS } from './statementOperations.ts';
import type { ProblemCode } from '../problems.ts';
import { Quote, QuoteQuery } from '../quote.ts';
import { ClockAnswer, ClockRequest, FaucetAnswer, FaucetRequest, Mailbox, Sandbox } from '../sandbox.ts';
import { SwapPlan, SwapPlanRequest } from '../swap.ts';
import { WEBHOOKS } from './webhookOperations.ts';

const TRADE_PROBLEMS = [
  'validation-failed',
  'unknown-chain',
  'unknown-token',
  'token-not-traded',
  'same-token',
  'no-route',
  'insufficient-liquidity',
  'amount-out-of-range',
  'price-impact-too-high',
  'market-stale',
  'nodes-disagree',
] as const satisfies readonly ProblemCode[];

const SERVICE = {
  health: {
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'Read how the service stands',
    description: 'Always 200 for a valid credential; the body says what is wrong.',
    access: AUTHENTICATED,
    response: Health,
    problems: ['validation-failed'],
  },
  livez: {
    method: 'GET',
    path: '/livez',
    tag: 'Service',
    summary: 'Ask whether the process answers',
    description: 'For load balancers and supervisors. Reveals nothing.',
    access: OPEN,
    response: ProbeAnswer,
    problems: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'Service',
    summary: 'Ask whether quotes are served',
    description:
      'For load balancers: 200 when the markets of every chain have been read once and at least one chain is up ' +
      'to date, else 503. Reveals nothing more; /health tells the chains apart.',
    access: OPEN,
    response: ProbeAnswer,
    problems: ['market-stale'],
  },
} as const satisfies Record<string, Operation>;

const MARKETS = {
  listChains: {
    method: 'GET',
    path: '/v1/markets/chains',
    tag: 'Markets',
    summary: 'List chains',
    description: 'The chains that quotes and swaps can name.',
    access: permission('markets:read'),
    response: Type.Array(Chain),
    isCached: true,
    problems: ['validation-failed'],
  },
  listTokens: {
    method: 'GET',
    path: '/v1/markets/tokens',
    tag: 'Markets',
    summary: 'List tokens',
    description:
      'Tokens with at least one route, the native currency of each chain first. A chainId that is not served has none.',
    access: permission('markets:read'),
    query: TokensQuery,
    response: Type.Array(MarketToken),
    isCached: true,
    problems: ['validation-failed'],
  },
  listRouters: {
    method: 'GET',
    path: '/v1/markets/routers',
    tag: 'Markets',
    summary: 'List contracts that instructions call',
    description:
      'What an allow-list of a wallet, a custodian or a Client Node is made from: every contract that instructions call, the functions, and who is approved.',
    access: permission('markets:read'),
    response: Type.Array(Router),
    problems: ['validation-failed', 'nodes-disagree', 'upstream-unavailable'],
  },
  listCorridors: {
    method: 'GET',
    path: '/v1/markets/corridors',
    tag: 'Markets',
    summary: 'List payment corridors',
    description: 'The corridors that payments can name.',
    access: permission('markets:read'),
    query: CorridorsQuery,
    response: Type.Array(Corridor),
    isCached: true,
    problems: ['validation-failed'],
  },
  getRequirements: {
    method: 'GET',
    path: '/v1/markets/corridors/{corridorId}/requirements',
    tag: 'Markets',
    summary: 'Read what a corridor needs to know of a recipient',
    description:
      'The JSON Schema that recipients of the corridor are checked against, with labels and hints.',
    access: permission('markets:read'),
    params: CorridorPath,
    query: RequirementsQuery,
    response: Requirements,
    problems: ['validation-failed', 'not-found'],
  },
} as const satisfies Record<string, Operation>;

const TRADING = {
  getQuote: {
    method: 'GET',
    path: '/v1/quote',
    tag: 'Trading',
    summary: 'Quote a trade',
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
    summary: 'Plan a swap',
    description:
      "A fresh quote and the calls that execute it, in order. The service neither signs nor broadcasts: the caller's own infrastructure executes. With sender, approvals needed come before the swap.",
    access: permission('swaps:plan'),
    body: SwapPlanRequest,
    response: SwapPlan,
    problems: [
      ...TRADE_PROBLEMS,
      'simulation-failed',
      'holdings-needed',
      'market-mismatch',
      'simulation-unavailable',
      'upstream-unavailable',
    ],
  },
} as const satisfies Record<string, Operation>;

const SANDBOX = {
  getMailbox: {
    method: 'GET',
    path: '/v1/sandbox/mailbox',
    tag: 'Sandbox',
    summary: 'Read the e-mails of the sandbox',
    description:
      "What the sandbox caught instead of sending, newest first: the e-mails of the credential's organisation. Those of all are on the page /sandbox/mailbox.",
    access: permission('payments:operate'),
    response: Mailbox,
    sandboxOnly: true,
    problems: ['validation-failed'],
  },
  simulateStep: {
    method: 'POST',
    path: '/v1/sandbox/payments/{planId}/steps/{stepId}/simulate',
    tag: 'Sandbox',
    summary: 'Make something happen to a step',
    description:
      'Plays the payer, the wallet or the custodian: deposits and swaps are real transactions on the sandbox chain. Answers with the plan once it knows.',
    access: permission('payments:operate'),
    params: StepPath,
    query: PlanQuery,
    body: SimulateRequest,
    response: PaymentPlan,
    sandboxOnly: true,
    problems: [...CHANGE_PROBLEMS, 'approval-required', 'evidence-mismatch', 'deposit-address-in-use'],
  },
  getSandbox: {
    method: 'GET',
    path: '/v1/sandbox',
    tag: 'Sandbox',
    summary: 'Read the sandbox chain',
    description:
      "The built-in chain's address, funded accounts and tokens, and the contracts that a configuration of your own needs.",
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
    access: permission('payments:operate'),
    body: ClockRequest,
    response: ClockAnswer,
    sandboxOnly: true,
    problems: ['validation-failed', 'upstream-unavailable'],
  },
  useFaucet: {
    method: 'POST',
    path: '/v1/sandbox/faucet',
    tag: 'Sandbox',
    summary: 'Fund an account',
    description: 'Gives an account native currency or tokens and answers when the funds are there.',
    access: permission('payments:operate'),
    body: FaucetRequest,
    response: FaucetAnswer,
    sandboxOnly: true,
    problems: ['validation-failed', 'unknown-token', 'amount-out-of-range', 'upstream-unavailable'],
  },
} as const satisfies Record<string, Operation>;

/** What others are told. */
const EVENTS = {
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    tag: 'Events',
    summary: 'List events',
    description:
      'Every change of plans, collect requests, registered recipients, reports and statements, oldest first. Events are kept for 30 days, unless the operator keeps them longer or shorter. Ask again with nextCursor: no event is passed over, and none comes twice.',
    access: permission('events:read'),
    query: EventListQuery,
    response: EventList,
    problems: ['validation-failed', 'cursor-expired', 'upstream-unavailable'],
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    tag: 'Events',
    summary: 'Stream events',
    description:
      'The events of GET /v1/events, sent within a second or so, for as long as the connection lasts. Connect again with Last-Event-ID: no event is passed over. A reader that falls behind for 10 seconds may be cut off; an organisation may have 100 streams with each process of the service. Browsers need a fetch client, because EventSource sends no credential.',
    access: permission('events:read'),
    query: EventStreamQuery,
    response: EventStream,
    isStream: true,
    problems: ['validation-failed', 'cursor-expired', 'upstream-unavailable'],
  },
} as const satisfies Record<string, Operation>;

/** Every operation by its id: what the service registers and the OpenAPI document describes. */
export const OPERATIONS = {
  ...MARKETS,
  ...TRADING,
  ...PAYMENTS,
  ...COLLECT_REQUESTS,
  ...RECIPIENTS,
  ...EVENTS,
  ...WEBHOOKS,
  ...REPORTS,
  ...STATEMENTS,
  ...SERVICE,
  ...SANDBOX,
} as const;

/** The id of an operation. */
export type OperationId = keyof typeof OPERATIONS;

/** All operation ids. */
export const OPERATION_IDS = Object.keys(OPERATIONS) as readonly OperationId[];

/**
 * The operation with an id, as the type that all operations have.
 *
 * @example
 * ```ts
 * import { operation } from '@fairway/wire';
 *
 * const { method, path } = operation('getQuote'); // 'GET', '/v1/quote'
 * ```
 */
export function operation(id: OperationId): Operation {
  return OPERATIONS[id];
}

/**
 * Every problem an operation can answer with: its own, those of its access, and those of its body if it takes one.
 *
 * @example
 * ```ts
 * import { operation, problemCodesOf } from '@fairway/wire';
 *
 * const codes = problemCodesOf(operation('planSwap'));
 * codes.includes('no-route'); // true
 * ```
 */
export function problemCodesOf(described: Operation): readonly ProblemCode[] {
  const { access, body, problems } = described;
  const codes: ProblemCode[] = [...problems];
  if (takesIfMatch(described)) codes.push('revision-mismatch');
  if (access.kind !== 'OPEN')
    codes.push('unauthorized', 'forbidden', 'rate-limited', 'upstream-unavailable', 'overloaded');
  if (body !== undefined) codes.push('malformed-json', 'body-too-large', 'unsupported-media-type');
  codes.push('malformed-request', 'internal');
  return [...new Set(codes)];
}
