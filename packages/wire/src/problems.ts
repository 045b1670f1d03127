import { NODE_PROBLEMS } from './problems/node.ts';
import { PAYMENT_PROBLEMS } from './problems/payments.ts';
import { exampleAt, type ProblemExample } from './problemExample.ts';
import { WEBHOOK_PROBLEMS } from './problems/webhooks.ts';
import { REPORT_PROBLEMS } from './problems/reports.ts';
import { STATEMENT_PROBLEMS } from './problems/statements.ts';
import { TRANSPORT } from './problems/transport.ts';

/** What the service says about one kind of problem: on its page, in the OpenAPI document and in answers. */
export type ProblemKind = {
  readonly status: number;
  readonly title: string;
  /** Why it happens, for the page. */
  readonly cause: string;
  /** What to do about it, for the page. */
  readonly remedy: string;
  /** One occurrence, for the examples. */
  readonly example: ProblemExample;
};

const INVALID = {
  'validation-failed': {
    status: 400,
    title: 'The request has invalid fields',
    cause:
      'A parameter or body field is missing, unknown, repeated, of the wrong type or out of range. The member "errors" names every such field, not only the first.',
    remedy:
      'Change each field that "errors" points to and send the request again. Amounts, chain ids and addresses are read strictly: one number has one spelling, and nothing is rounded or guessed.',
    example: {
      detail: 'The request has 2 invalid fields; "errors" names each.',
      errors: [
        {
          pointer: '/amount',
          detail: 'amount must be a string of decimal digits, such as "1000000"; given 1.5 (a number).',
        },
        {
          pointer: '/slippageBp',
          detail: 'slippageBp is not a field of this request; did you mean slippageBps?',
        },
      ],
    },
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not the JSON expected',
    cause:
      'The body is empty, is not valid JSON in UTF-8, holds the same member name twice in one object, or nests deeper than 32 levels. Names that appear twice are refused because readers disagree about which one counts.',
    remedy: 'Send one JSON object in UTF-8 with each member once.',
    example: { detail: 'The body is not valid JSON: line 1, column 12.' },
  },
  'malformed-request': {
    status: 400,
    title: 'The request is not valid HTTP',
    cause:
      'The request line, a header, the body length or the percent-encoding of the URL could not be read.',
    remedy: 'Send the request with an ordinary HTTP client library, which encodes URLs and headers for you.',
    example: { detail: 'The URL has a malformed percent-encoding.' },
  },
} as const;

const MARKETS = {
  'unknown-chain': {
    status: 400,
    title: 'This chain is not served',
    cause: 'The chainId is a valid number, but this deployment is not configured for that chain.',
    remedy: 'Use a chainId that GET /v1/markets/chains lists.',
    example: { detail: 'Chain 999 is not served here; GET /v1/markets/chains lists the chains that are.' },
  },
  'unknown-token': {
    status: 400,
    title: 'This token is not listed',
    cause:
      "The address is well formed, but it is not on the operator's token list for the chain. Tokens are named by address, never by symbol, so that a look-alike cannot be traded by mistake.",
    remedy:
      'Use an address that GET /v1/markets/tokens lists for the chain, or ask the operator to list the token.',
    example: {
      detail: 'tokenIn 0x00000000000000000000000000000000000000aA is not listed on chain 31337.',
      errors: [
        {
          pointer: '/query/tokenIn',
          detail: '0x00000000000000000000000000000000000000aA is not listed on chain 31337.',
        },
      ],
    },
  },
  'token-not-traded': {
    status: 400,
    title: 'This token is listed, but not traded',
    cause:
      'Transfers of the token move other amounts than they are asked to, for example less by a fee. So no quote of it would come true. That was found by simulated transfers at its pools, which are repeated: the token is traded again when they move what they should.',
    remedy: 'Use another token. GET /v1/markets/tokens says of each whether it is traded, and why not.',
    example: exampleAt(
      '/query/tokenOut',
      'tokenOut 0x00000000000000000000000000000000000000aA is not traded on chain 31337: It moves other amounts than it is asked to: a transfer of 1000000 units to pool 0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc takes 1000000 and brings 950000.',
    ),
  },
  'same-token': {
    status: 400,
    title: 'Both tokens are the same',
    cause:
      'tokenIn and tokenOut name one token. The zero address and 0xEeee…EEeE both mean the native currency, so they are the same token too.',
    remedy:
      'Name two different tokens. Native currency and its wrapped token are different and can be exchanged.',
    example: { detail: 'tokenIn and tokenOut are the same token.' },
  },
  'no-route': {
    status: 400,
    title: 'No route connects the tokens',
    cause:
      'Both tokens are listed, but no pools connect them within the number of hops allowed and without what the request excludes. Or the router contract cannot express the way. A token that rounds its transfers is traded over V2 pairs alone.',
    remedy: 'Raise maxHops, exclude less, or trade through another token.',
    example: { detail: 'No pools connect tokenIn and tokenOut within 3 hops.' },
  },
  'insufficient-liquidity': {
    status: 400,
    title: 'The amount is beyond the liquidity',
    cause: 'Routes exist, but none can take or give the whole amount. Partial fills are never quoted.',
    remedy:
      'Trade a smaller amount, or split it over time. Where the amount looks as if it was given with other decimals than the token has, "errors" suggests the one that was probably meant.',
    example: exampleAt(
      '/query/amount',
      'No route can take the whole amount of 1000000000000000000000 of tokenIn. 1000000000000000000000 is 1,000,000,000,000,000 USDC, with 6 decimals; did you mean 1000000000 (1,000 USDC)? It looks like an amount of a token with 18 decimals.',
      ['1000000000'],
    ),
  },
  'amount-out-of-range': {
    status: 400,
    title: 'The amount cannot be traded',
    cause:
      'The input is too small to buy one smallest unit of the output, or the amount is outside of the limits of the corridor. Or it is more than can be given.',
    remedy:
      'Keep the token\'s decimals in mind: amounts are in smallest units. Where the amount looks as if it was given with other decimals, "errors" suggests the one that was probably meant.',
    example: { detail: 'An input of 1 is too small to buy one smallest unit of tokenOut.' },
  },
  'price-impact-too-high': {
    status: 400,
    title: 'The trade would move the price too far',
    cause: "The quote's price impact is above the bound that the operator set for the chain.",
    remedy: 'Trade a smaller amount, split it over time, or ask the operator about the bound.',
    example: { detail: 'The price impact is 1830 bps; this deployment allows 1000 bps.' },
  },
  'holdings-needed': {
    status: 400,
    title: 'The sender must hold the input first',
    cause:
      'A swap is simulated before it is given out. The simulation adds what the sender lacks. That is not possible for a token that computes balances, such as one that is accounted in shares.',
    remedy:
      'Name a sender that holds the amount that "detail" names, and has given the approval that it names, if any.',
    example: {
      detail:
        'The swap can only be simulated with the real holdings of its sender, because the contract of 0x00000000000000000000000000000000000000aA computes its balances. Name a sender that holds 1000000 units of it.',
    },
  },
  'simulation-failed': {
    status: 400,
    title: 'The swap would revert on chain',
    cause:
      "Executed on the state of the quote's block, the swap fails, or a token does not move what is transferred. Plans that would fail are never returned. Tokens that refuse transfers end here, and recipients that pass on what they are paid.",
    remedy:
      'Read the revert reason in "detail". Allow more slippage if the market is moving, or use another token.',
    example: { detail: 'The swap would revert: Too little received.' },
  },
} as const;

const ACCESS = {
  unauthorized: {
    status: 401,
    title: 'Credentials are missing or wrong',
    cause:
      'The Authorization header is missing or malformed, or the credential is unknown, expired or revoked, or the password is wrong. The answer is the same in every case.',
    remedy:
      'Send "Authorization: Basic" followed by the base64 encoding of id:password. Operators issue credentials with "fairway credentials create".',
    example: {
      detail:
        'Send a valid credential with HTTP Basic authentication: "Authorization: Basic " and the base64 of username:password.',
    },
  },
  forbidden: {
    status: 403,
    title: 'The credential does not permit this',
    cause:
      'The credential is valid, but lacks the permission, or belongs to another environment than this deployment.',
    remedy: 'Use a credential of this environment with the permission that "detail" names.',
    example: { detail: 'This needs the permission swaps:plan, which the credential does not have.' },
  },
  'own-approval': {
    status: 403,
    title: 'Nobody approves what they did themselves',
    cause:
      'The credential that set the details of a recipient cannot approve or reject them. The credential that made a plan, or has named another recipient since, cannot approve the payment (`approval.madeBy`). A new password does not change that.',
    remedy: 'Have somebody with another credential look at it and decide.',
    example: {
      detail:
        'Your credential has set these details; have another one look at them, and approve or reject them.',
    },
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    cause: 'The path is not part of the API, or the resource does not exist for this credential.',
    remedy: 'Check the path against /docs. Paths are case-sensitive and have no trailing slash.',
    example: { detail: 'There is no GET /v1/quotes; /docs lists every path.' },
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not take this method',
    cause: 'The path exists, but not with this HTTP method.',
    remedy: 'Use a method that the Allow header lists.',
    example: { detail: '/v1/quote does not take DELETE; it takes GET, HEAD.' },
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    cause:
      'The organisation sent more requests than its limit, with all its credentials together. Or the address sent too many failed logins, or a plan was asked too soon for another link or other instructions.',
    remedy: 'Wait as many seconds as the Retry-After header says, and spread requests evenly.',
    example: { detail: 'This organisation may send 1000 requests a second; try again in 1 s.' },
  },
} as const;

const SERVER = {
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    cause: 'An error that we did not foresee. It is logged under the request id.',
    remedy: 'Try again; if it persists, give the operator the request id.',
    example: { detail: 'An unexpected error; the log holds it under this request id.' },
  },
  'market-stale': {
    status: 503,
    title: 'The market is not up to date',
    cause:
      "The service is still reading the chain, has lost contact with the chain's node, or is further behind its latest block than the operator allows. Or the block of the quote was taken back while a swap was checked. A stale quote is never served.",
    remedy:
      'Try again after as many seconds as the Retry-After header says. GET /health says how each chain stands.',
    example: { detail: 'The market of chain 31337 is not up to date: no contact with the chain.' },
  },
  'nodes-disagree': {
    status: 503,
    title: "The chain's nodes contradict each other",
    cause:
      'The service believes what several nodes of a chain say alike. Now too few of them do, so that one of them is wrong or behind.',
    remedy:
      'Try again after as many seconds as the Retry-After header says. The operator finds in the log which node said what.',
    example: {
      detail:
        'The nodes of chain 1 contradict each other about what this answer depends on; the request was not carried out.',
    },
  },
  'market-mismatch': {
    status: 503,
    title: 'The chain contradicts the quote',
    cause:
      "Executed on the state of the quote's block, the swap would revert or move other amounts than were quoted. The market that the service holds is not the chain's. Such a swap is never given out.",
    remedy:
      'Try again after as many seconds as the Retry-After header says: the pools of the route were read again at once.',
    example: {
      detail:
        'The chain contradicts the quote: it would pay 2999574122 for 1000000000000000000 where 1499787061 for 1000000000000000000 was quoted. The pools of the route were read again.',
    },
  },
  'simulation-unavailable': {
    status: 503,
    title: 'The swap could not be simulated',
    cause:
      "The chain's nodes did not simulate the swap. They did not answer in time or lack eth_simulateV1, or the input token keeps its balances in a way that cannot be simulated. A swap that was not simulated is not given out.",
    remedy:
      'Try again after as many seconds as the Retry-After header says. If it persists, ask the operator, or trade another token.',
    example: {
      detail: 'The swap is not given out, because the nodes of chain 31337 did not simulate it.',
    },
  },
  'upstream-unavailable': {
    status: 503,
    title: 'Something the service depends on is unavailable',
    cause: 'The database or the chain could not be asked in time.',
    remedy: 'Try again after as many seconds as the Retry-After header says.',
    example: { detail: 'Credentials cannot be checked at the moment.' },
  },
  'outcome-unknown': {
    status: 503,
    title: 'Whether the request was carried out is not known',
    cause:
      'The connection to the database was lost after the service had handed the change over, and the database could not be asked afterwards.',
    remedy:
      'Send the same request again after as many seconds as the Retry-After header says. With the same clientReference a payment is made once, and a recorded report is recognised. Or read the plan first.',
    example: {
      detail:
        'The database stopped answering while it carried the request out, so it is not known whether it did. Send the same request again, a new payment with the same clientReference, or read the plan first.',
    },
  },
  overloaded: {
    status: 503,
    title: 'The service is at its capacity',
    cause:
      'More requests are waiting than the service takes at once, from everybody or from one organisation, or the request has waited for two seconds.',
    remedy:
      'Try again after as many seconds as the Retry-After header says, and send fewer requests at once.',
    example: { detail: 'Too many requests of this organisation are waiting already; send fewer at once.' },
  },
} as const;

/** Every problem the service or a Client Node answers with, by code: the one source of pages, examples and documents. */
export const PROBLEMS = {
  ...INVALID,
  ...MARKETS,
  ...PAYMENT_PROBLEMS,
  ...WEBHOOK_PROBLEMS,
  ...REPORT_PROBLEMS,
  ...STATEMENT_PROBLEMS,
  ...ACCESS,
  ...TRANSPORT,
  ...SERVER,
  ...NODE_PROBLEMS,
} as const satisfies Record<string, ProblemKind>;

/** The last part of a problem's type. */
export type ProblemCode = keyof typeof PROBLEMS;

/** All codes, in the order of their pages. */
export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/**
 * Whether a text is the code of a problem.
 *
 * @example
 * ```ts
 * import { isProblemCode, PROBLEMS } from '@fairway/wire';
 *
 * const code: string = 'no-route';
 * if (isProblemCode(code)) PROBLEMS[code].status; // 400
 * ```
 */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}

/** The codes of problems after which the same request may succeed: their answers can have the header Retry-After. */
const RETRIED = [
  'market-stale',
  'nodes-disagree',
  'market-mismatch',
  'simulation-unavailable',
  'upstream-unavailable',
  'execution-in-flight',
  'request-in-progress',
  'outcome-unknown',
  'overloaded',
  'rate-limited',
] as const satisfies readonly ProblemCode[];
/** The code of a problem after which the same request may succeed. */
export type RetriedCode = (typeof RETRIED)[number];

/**
 * Whether the same request may succeed after a problem with this code, so that its answer can have Retry-After.
 *
 * @example
 * ```ts
 * import { isRetried } from '@fairway/wire';
 *
 * isRetried('overloaded'); // true
 * ```
 */
export function isRetried(code: ProblemCode): code is RetriedCode {
  return (RETRIED as readonly ProblemCode[]).includes(code);
}
