import { type Static, type TSchema, Type } from 'typebox';
import {
  Amount,
  AMOUNT_PATTERN,
  BlockNumber,
  CALLDATA_PATTERN,
  ChainId,
  EvmAddress,
  LIMITS,
  MaxHops,
  MaxSplits,
  SlippageBps,
  Timestamp,
  TokenIn,
  TokenOut,
  TradeType,
  Trust,
  wordOf,
} from './fields.ts';
import { MoneyToken } from './money.ts';
import { Quote } from './quote.ts';

/** The deadline of an instruction, and the slippage that it allows. */
export const InstructionConstraints = Type.Object(
  {
    notAfter: Type.Optional(Timestamp),
    maxSlippageBps: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5000,
        description: 'The slippage in basis points that the calldata allows at most.',
      }),
    ),
  },
  { description: 'notAfter: latest time for execution. Swaps carry both members, approvals notAfter alone.' },
);

/** A call for the caller's wallet to execute. The service never executes it. */
export const Instruction = Type.Object(
  {
    kind: wordOf(['EVM_CALL'], { description: 'An EVM contract call.' }),
    chainId: ChainId,
    to: EvmAddress,
    data: Type.String({ pattern: CALLDATA_PATTERN, description: 'Calldata as hex.' }),
    value: Amount,
    constraints: InstructionConstraints,
  },
  { description: "A call for the caller's own wallet to sign and execute. The service never executes it." },
);
export type Instruction = Static<typeof Instruction>;

/** Body of POST /v1/swap. */
export const SwapPlanRequest = Type.Object(
  {
    chainId: ChainId,
    tokenIn: TokenIn,
    tokenOut: TokenOut,
    tradeType: TradeType,
    amount: Amount,
    slippageBps: Type.Optional(SlippageBps),
    recipient: Type.Optional(EvmAddress),
    deadline: Type.Optional(Timestamp),
    sender: Type.Optional(EvmAddress),
    excludeSources: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: LIMITS.excludeSources.maximum,
        description: 'Sources that may not be used.',
      }),
    ),
    excludeTokens: Type.Optional(
      Type.Array(EvmAddress, {
        maxItems: LIMITS.excludeTokens.maximum,
        uniqueItems: true,
        description:
          'Tokens that no path may pass on its way, each once. tokenIn and tokenOut cannot be among them.',
      }),
    ),
    excludePools: Type.Optional(
      Type.Array(EvmAddress, {
        maxItems: LIMITS.excludePools.maximum,
        uniqueItems: true,
        description: 'Pools that may not be used, each once.',
      }),
    ),
    maxHops: Type.Optional(MaxHops),
    maxSplits: Type.Optional(MaxSplits),
  },
  {
    additionalProperties: false,
    description:
      'amount is the input for EXACT_IN and the output for EXACT_OUT. recipient receives the output; absent: sender, else the wallet that executes. deadline bounds the execution; absent: 20 minutes from now. sender is the wallet that will execute: with it the plan reports a short balance and contains any approval needed.',
  },
);
export type SwapPlanRequest = Static<typeof SwapPlanRequest>;

/** What executing the swap on the state of the quote's block would move. */
export const Simulation = Type.Object(
  {
    status: wordOf(['PASSED', 'UNAVAILABLE'], {
      description:
        'PASSED: exactly the amounts of the quote are moved, surplus included, within route.rounding where the quote has it, and beyond them only what priorHoldings names. UNAVAILABLE: the nodes could not simulate the swap and the operator allows such swaps; else it is refused. A swap that would revert, or move other amounts, is never returned.',
    }),
    amountIn: Type.Optional(Amount),
    amountOut: Type.Optional(Amount),
    gasUsed: Type.Optional(Type.String({ description: 'Gas units used.' })),
    blockNumber: Type.Optional(BlockNumber),
    trust: Type.Optional(Trust),
    priorHoldings: Type.Optional(
      Type.Array(
        Type.Object({
          holder: EvmAddress,
          asset: MoneyToken,
          amount: Type.String({ pattern: AMOUNT_PATTERN, description: 'In smallest units.' }),
        }),
        {
          description:
            'Present when the swap moves more than was quoted. The router or a pool of the route held these tokens before without trading with them, and the next swap gets them.',
        },
      ),
    ),
  },
  { description: 'What the chain would really move; present members apart from status only when PASSED.' },
);
export type Simulation = Static<typeof Simulation>;

/** Lets an object also be null. Without a union, the schema serialises in one step. */
function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: ['object', 'null'] });
}

/** The reasons why the sender cannot execute right now. */
export const SwapIssues = Type.Object(
  {
    balance: orNull(
      Type.Object(
        { actual: Amount, required: Amount },
        { description: "The sender's balance, when it is short." },
      ),
    ),
    allowance: orNull(
      Type.Object(
        { actual: Amount, required: Amount, spender: EvmAddress },
        { description: 'The allowance of `spender`, when it is short; the plan then starts with approvals.' },
      ),
    ),
  },
  { description: 'What keeps the sender from executing right now; null where nothing does.' },
);
export type SwapIssues = Static<typeof SwapIssues>;

/** Response of POST /v1/swap. */
export const SwapPlan = Type.Object(
  {
    quote: Quote,
    instructions: Type.Optional(
      Type.Array(Instruction, { description: 'In the order to execute them; the last one is the swap.' }),
    ),
    simulation: Type.Optional(Simulation),
    issues: Type.Optional(SwapIssues),
  },
  { description: 'A fresh quote, and the calls that execute it.' },
);
export type SwapPlan = Static<typeof SwapPlan>;
