// The interface's common shapes in JSON Schema, written a second time and independent of packages/wire.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

/** A JSON Schema. */
export type Schema = { readonly [keyword: string]: unknown };

/** An object with exactly these members; a name that ends in a question mark is optional. */
export function closed(members: Record<string, Schema>): Schema {
  const named = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema] as const);
  const required = Object.keys(members).filter((name) => !name.endsWith('?'));
  return { type: 'object', required, properties: Object.fromEntries(named), additionalProperties: false };
}

/** A list. */
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
/** A text that is not empty. */
export const Text: Schema = { type: 'string', minLength: 1 };
/** A number of things. */
export const Count: Schema = { type: 'integer', minimum: 0 };
/** An unsigned 64-bit integer, with the largest value that JSON can hold. */
export const Uint64: Schema = { type: 'integer', minimum: 0, maximum: 2 ** 64 };
const Slippage: Schema = { type: 'integer', minimum: 0, maximum: 5000 };
/** ChainId. */
export const ChainId: Schema = { ...Uint64 };
/** EvmAddress. */
export const EvmAddress: Schema = { type: 'string', pattern: '^0x[a-fA-F0-9]{40}$' };
/** Amount. */
export const Amount: Schema = { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$' };
/** Hash of a block or a transaction. */
export const Hash: Schema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };
/** Timestamp. */
export const Timestamp: Schema = { type: 'string', format: 'date-time' };
const TradeType: Schema = { type: 'string', enum: ['EXACT_IN', 'EXACT_OUT'] };

/** How many nodes agreed. */
export const Trust = closed({ agreed: Count, of: Count });

/** Chain. */
export const Chain = closed({ chainId: ChainId, name: Text });
/** Token, with what markets say of it. */
export const Token = closed({
  chainId: ChainId,
  address: EvmAddress,
  symbol: Text,
  decimals: Count,
  traded: { type: 'boolean' },
  'reason?': Text,
});
/** A token, as answers show it. */
export const MoneyToken = closed({
  chainId: ChainId,
  address: EvmAddress,
  'symbol?': Text,
  'decimals?': Count,
});
const Fees = closed({
  protocol: listOf(closed({ pool: EvmAddress, asset: MoneyToken, amount: Amount })),
  gas: closed({
    units: Amount,
    baseFeePerGas: Amount,
    'priorityFeePerGas?': Amount,
    cost: Amount,
    'notIncluded?': { type: 'array', items: { const: 'L1_DATA_FEE' } },
    'costInTokenOut?': Amount,
  }),
});
const Leg = closed({
  pool: EvmAddress,
  kind: { enum: ['UNISWAP_V2', 'UNISWAP_V3'] },
  source: Text,
  feeBps: { type: 'number', minimum: 0 },
  assetIn: MoneyToken,
  assetOut: MoneyToken,
  amountIn: Amount,
  amountOut: Amount,
});
const Route = closed({
  sources: listOf(Text),
  legs: listOf(Leg),
  paths: listOf(
    closed({ amountIn: Amount, amountOut: Amount, assets: listOf(MoneyToken), pools: listOf(EvmAddress) }),
  ),
  priceImpactBps: { type: 'integer' },
  limits: closed({ 'minAmountOut?': Amount, 'maxAmountIn?': Amount, slippageBps: Slippage }),
  'native?': closed({ field: Text, symbol: Text, wrapped: MoneyToken }),
  'surplus?': Amount,
  'rounding?': closed({ assets: listOf(MoneyToken), unitsPerTransfer: Amount, amountOut: Amount }),
  'optimality?': closed({ gapBps: { type: 'number' }, upperBound: Amount }),
  blockHash: Hash,
  trust: Trust,
  market: closed({ pools: Count, tokens: Count }),
});
/** Quote. */
export const Quote = closed({
  asOf: closed({ timestamp: Timestamp, blockNumber: Uint64 }),
  expiresAt: Timestamp,
  chainId: ChainId,
  tokenIn: EvmAddress,
  tokenOut: EvmAddress,
  assetIn: MoneyToken,
  assetOut: MoneyToken,
  tradeType: TradeType,
  amountIn: Amount,
  amountOut: Amount,
  fees: Fees,
  route: Route,
});
/** Instruction. */
export const Instruction = closed({
  kind: { type: 'string', enum: ['EVM_CALL'] },
  chainId: ChainId,
  to: EvmAddress,
  data: { type: 'string', pattern: '^0x([0-9a-f]{2})+$' },
  value: Amount,
  constraints: closed({ 'notAfter?': Timestamp, 'maxSlippageBps?': Slippage }),
});
const shortBalance = closed({ actual: Amount, required: Amount });
const shortAllowance = closed({ actual: Amount, required: Amount, spender: EvmAddress });
/** SwapPlan. */
export const SwapPlan = closed({
  quote: Quote,
  instructions: { ...listOf(Instruction), minItems: 1, maxItems: 3 },
  simulation: closed({
    status: { enum: ['PASSED'] },
    amountIn: Amount,
    amountOut: Amount,
    gasUsed: Amount,
    blockNumber: Uint64,
    trust: Trust,
    'priorHoldings?': listOf(closed({ holder: EvmAddress, asset: MoneyToken, amount: Amount })),
  }),
  'issues?': closed({
    balance: { anyOf: [{ type: 'null' }, shortBalance] },
    allowance: { anyOf: [{ type: 'null' }, shortAllowance] },
  }),
});
/** The body of GET /health. */
export const Health = closed({
  status: { enum: ['OK', 'DEGRADED'] },
  version: Text,
  environment: { const: 'sandbox' },
  time: Timestamp,
  chains: listOf(
    closed({
      chainId: ChainId,
      name: Text,
      status: {
        enum: [
          ...['OK', 'SYNCING', 'NO_CONTACT', 'NODES_DISAGREE'],
          ...['LAGGING', 'BLOCK_TOO_OLD', 'BLOCK_IN_FUTURE'],
        ],
      },
      trust: { enum: ['SINGLE_NODE', 'AGREED'] },
      nodes: Trust,
      head: closed({ number: Uint64, hash: Hash, timestamp: Timestamp }),
      lagBlocks: Count,
      pools: Count,
      'reading?': closed({ pools: Count, poolsRead: Count, requestsLeft: Count }),
      'record?': closed({
        state: { enum: ['AT_HEAD', 'CATCHING_UP'] },
        'readBlock?': Uint64,
        'lagBlocks?': Uint64,
        'unread?': Count,
      }),
      'detail?': Text,
    }),
  ),
});
/** Problem. */
export const Problem = closed({
  type: { type: 'string', format: 'uri' },
  title: Text,
  status: { type: 'integer', minimum: 400, maximum: 599 },
  detail: Text,
  code: Text,
  'errors?': {
    ...listOf(closed({ pointer: { type: 'string' }, detail: Text, 'suggestions?': listOf(Text) })),
    minItems: 1,
  },
  'revision?': { type: 'integer', minimum: 1 },
  requestId: Text,
});

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
ajvFormats.default(ajv);

/** Asserts that a body fits a schema of this file. */
export function matches(schema: Schema, body: unknown, what: string): void {
  const check = ajv.compile(schema);
  assert.ok(check(body), `${what}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(body)}`);
}
