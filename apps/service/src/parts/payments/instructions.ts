import { type Amount as TradedAmount, toAddress } from '@fairway/engine';
import {
  type Amount,
  amountOf,
  type Corridor,
  type DerivedInstructions,
  isLess,
  isTransferOnly,
  NO_DEADLINE_MS,
  type Plan,
  type PlanId,
  type PlanOptions,
  swapStep,
  unitsOf,
  type Withheld,
} from '@fairway/plan';
import type { PlanTag } from '@fairway/store';
import { LIMITS } from '@fairway/wire';
import { concat, encodeFunctionData, erc20Abi } from 'viem';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { eip55, type ProblemFacts, timestampOf, tryLater } from '@fairway/api';
import {
  freshBlock,
  instructionsOf,
  planAround,
  type PriceBlock,
  priceBlock,
  priceTrade,
  quoteBody,
  type Trade,
  withMeantTrade,
} from '../trading/index.ts';
import { planWords } from './planWords.ts';

/** The parts of a plan that decide its instructions. */
export type InstructionsAsk = {
  readonly planId: PlanId;
  /** The position that the attempt with these instructions will have. */
  readonly attempt: number;
  readonly corridor: Corridor;
  readonly amountIn: Amount;
  readonly options: Pick<PlanOptions, 'sender' | 'slippageBps' | 'minAmountOut'>;
};

/**
 * Instructions from the current block, or why there are none. WITHHELD: the price is below the plan's `minAmountOut`.
 */
export type Derivation =
  | { readonly kind: 'DERIVED'; readonly derived: DerivedInstructions }
  | { readonly kind: 'WITHHELD'; readonly withheld: Withheld; readonly amountOut: Amount }
  | { readonly kind: 'PROBLEM'; readonly problem: ProblemFacts };

type Tag = ReturnType<PlanTag>;

/** What the next instructions of a plan are derived from. `slippageBps`: in place of the plan's. */
export function nextAttempt(plan: Plan, slippageBps = plan.options.slippageBps): InstructionsAsk {
  const { planId, corridor, amountIn } = plan;
  const options = { ...plan.options, slippageBps };
  return { planId, attempt: swapStep(plan).attempts.length, corridor, amountIn, options };
}

/** Derives the instructions of a plan's swap from the current block. */
export type DeriveInstructions = (ask: InstructionsAsk) => Promise<Derivation>;

/** Why a corridor's swap cannot be derived for an amount at the current block; undefined when it can. */
export function routeProblem(
  corridor: Corridor,
  amountIn: Amount,
  chain: ChainService,
  nowMs: number,
): ProblemFacts | undefined {
  if (isTransferOnly(corridor)) return undefined;
  const block = priceBlock(chain);
  if (block === undefined) throw new Error('A corridor was judged on a market that has no block yet.');
  const options = { slippageBps: LIMITS.slippageBps.default };
  const priced = priceTrade(tradeOf({ corridor, amountIn, options }, chain, block), nowMs);
  return priced.ok ? undefined : priced.problem;
}

/**
 * The problem of a new plan's swap. If amountIn looks as if it had other decimals, the problem also names the amountIn that
 * was probably meant.
 */
export function withMeantPayment(
  problem: ProblemFacts,
  ask: InstructionsAsk,
  chain: ChainService,
  nowMs: number,
): ProblemFacts {
  const block = priceBlock(chain);
  return block === undefined ? problem : withMeantTrade(problem, tradeOf(ask, chain, block), nowMs);
}

/** How long a swap may be executed after its instructions were derived. */
const LIFE_MS = LIMITS.defaultDeadlineMinutes * 60_000;

/** Makes the function that derives instructions on the chains that are served. */
export function createDerivation(
  chains: ReadonlyMap<number, ChainService>,
  nowMs: () => number,
  planTag: PlanTag,
): DeriveInstructions {
  return async (ask) => {
    const { source } = ask.corridor;
    const chain = chains.get(source.chainId);
    if (chain === undefined) return noChain(source.chainId);
    // A transfer has no price. But only a fresh block tells which transfers are older than the plan, and only a market
    // tells which accounts are contracts.
    const fresh = freshBlock(chain);
    if (!fresh.ok) return { kind: 'PROBLEM', problem: fresh.problem };
    const at = { chain, block: fresh.value, nowMs: nowMs() };
    const tag = planTag(ask.planId, ask.attempt);
    return isTransferOnly(ask.corridor) ? transferInstructions(ask, at, tag) : swapInstructions(ask, at, tag);
  };
}

function noChain(chainId: number): Derivation {
  const detail = `Chain ${chainId} is not served at the moment.`;
  return { kind: 'PROBLEM', problem: tryLater('upstream-unavailable', detail, 60) };
}

/** When instructions are derived, and at which block. */
type DerivedAt = { readonly chain: ChainService; readonly block: PriceBlock; readonly nowMs: number };

async function swapInstructions(
  ask: InstructionsAsk,
  { chain, block, nowMs }: DerivedAt,
  tag: Tag,
): Promise<Derivation> {
  const { corridor, options } = ask;
  const deadlineSeconds = BigInt(Math.floor((nowMs + LIFE_MS) / 1000));
  const { minAmountOut, sender } = options;
  const execution = {
    recipient: toAddress(corridor.target.settlementAddress),
    sender: sender === undefined ? undefined : toAddress(sender),
    deadlineSeconds,
    reference: tag,
    floor: minAmountOut === undefined ? undefined : (unitsOf(minAmountOut) as TradedAmount),
  };
  const planned = await planAround(tradeOf(ask, chain, block), execution, nowMs);
  if (!planned.ok)
    return 'leastOut' in planned
      ? belowFloor(ask, chain, amountOf(planned.leastOut), amountOf(planned.floor))
      : { kind: 'PROBLEM', problem: planned.problem };
  const { limit } = planned.value;
  if (!('minAmountOut' in limit)) throw new Error('An EXACT_IN swap must have a minAmountOut.');
  return {
    kind: 'DERIVED',
    derived: {
      instructions: instructionsOf(planned.value),
      quote: quoteBody(planned.value.priced, limit),
      amountOut: amountOf(planned.value.priced.amountOut),
      minAmountOut: amountOf(limit.minAmountOut),
      notAfterMs: Number(deadlineSeconds) * 1000,
    },
  };
}

function tradeOf(
  { corridor, amountIn, options }: Pick<InstructionsAsk, 'corridor' | 'amountIn' | 'options'>,
  chain: ChainService,
  block: PriceBlock,
): Trade {
  const token = (address: string) => ({
    given: eip55(toAddress(address)),
    address: toAddress(address),
    native: false,
  });
  return {
    chain,
    block,
    tokenIn: token(corridor.source.token),
    tokenOut: token(corridor.target.token),
    tradeType: 'EXACT_IN',
    amount: unitsOf(amountIn) as TradedAmount,
    slippageBps: options.slippageBps,
    excludeSources: new Set(),
    excludeTokens: new Set(),
    excludePools: new Set(),
    maxHops: LIMITS.maxHops.default,
    maxSplits: LIMITS.maxSplits.default,
    amountPointer: '/amountIn',
  };
}

function belowFloor(
  { corridor: { target } }: InstructionsAsk,
  chain: ChainService,
  amountOut: Amount,
  floor: Amount,
): Derivation {
  const asset = { chainId: target.chainId, address: target.token };
  const words = planWords(new Map([[chain.chainId, chain]]));
  const [brought, least] = [amountOut, floor].map((amount) => words.amount(amount, asset));
  const detail = `The swap would bring ${brought} now, which is below options.minAmountOut, ${least}. The service looks again every minute.`;
  return { kind: 'WITHHELD', withheld: { reason: 'PRICE_BELOW_FLOOR', detail }, amountOut };
}

/** Instructions for a corridor whose source token is its target token: a transfer to the custodian, without a swap. */
function transferInstructions(
  ask: InstructionsAsk,
  { chain, block, nowMs }: DerivedAt,
  tag: Tag,
): Derivation {
  const { corridor, amountIn, options } = ask;
  const { token, settlementAddress } = corridor.target;
  const floor = options.minAmountOut;
  if (floor !== undefined && isLess(amountIn, floor)) return belowFloor(ask, chain, amountIn, floor);
  const args = [eip55(settlementAddress), unitsOf(amountIn)] as const;
  const call = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const given = eip55(token);
  return {
    kind: 'DERIVED',
    derived: {
      instructions: [
        {
          kind: 'EVM_CALL',
          chainId: chain.chainId,
          to: given,
          data: concat([call, tag]),
          value: '0',
          constraints: { maxSlippageBps: 0 },
        },
      ],
      quote: {
        asOf: { timestamp: timestampOf(nowMs), blockNumber: Number(block.head.number) },
        expiresAt: timestampOf(nowMs + chain.quoteLifetimeMs),
        chainId: chain.chainId,
        tokenIn: given,
        tokenOut: given,
        tradeType: 'EXACT_IN',
        amountIn,
        amountOut: amountIn,
      },
      amountOut: amountIn,
      minAmountOut: amountIn,
      notAfterMs: NO_DEADLINE_MS,
    },
  };
}
