import type { Address, Pool } from '@fairway/engine';
import type { SwapLimit, SwapOrder, SwapRefusal, SwapResult } from '@fairway/evm';
import { defined, type Instruction } from '@fairway/plan';
import { withPatience } from '@fairway/processes';
import { LIMITS } from '@fairway/wire';
import { whatUnusable } from '../accounts/unusableAccount.ts';
import { contractsOf } from '../chains/chainContracts.ts';
import type { ChainService } from '../chains/chainService.ts';
import {
  addError,
  addressField,
  type Fields,
  type GivenAddress,
  optional,
  timestampField,
} from '../fields/fields.ts';
import { done, type Outcome, type ProblemFacts, refuse, tryLater } from '../problems/problem.ts';
import { eip55 } from '../text/eip55.ts';
import { timestampOf } from '../time/timestamp.ts';
import { priceAsked } from './meantTrade.ts';
import { limitOf, type PricedTrade } from './priceTrade.ts';
import { type ChainsByDigits, completeTrade, resolveTrade, type TradeAsk } from './trade.ts';
import { readTrade } from './tradeFields.ts';
import { swapRefused, type TokensFound } from './tradeProblems.ts';

/** How long a swap waits for the node. Then the request is refused, so that the caller does not wait for ever. */
const PLANNING_TIMEOUT_MS = 10_000;

/** How long a refused swap waits until the pools of its route are read again. */
const REREAD_PATIENCE_MS = 2000;

/** How long it waits then until the transfers of its tokens are measured. */
const EXAMINING_PATIENCE_MS = 2000;

/** Who executes a swap, for whom, and until when. */
export type Execution = {
  readonly recipient: Address | undefined;
  readonly sender: Address | undefined;
  readonly deadlineSeconds: bigint;
  /** Bytes at the end of the swap's calldata; plans mark their own swaps with them. */
  readonly reference?: `0x${string}`;
};

/** A trade that is to be executed. */
export type SwapAsk = { readonly trade: TradeAsk; readonly execution: Execution };

/** A swap that can be answered: its price, and the calls that execute it, verified and simulated. */
export type PlannedSwap = Omit<Extract<SwapResult, { readonly ok: true }>, 'ok'> & {
  readonly priced: PricedTrade;
  readonly deadlineSeconds: bigint;
};

/** Reads a swap request; undefined when a field is wrong. */
export function readSwap(fields: Fields, chains: ChainsByDigits, nowMs: number): SwapAsk | undefined {
  const read = readTrade(fields);
  const chain = read.chainId === undefined ? undefined : chains.get(read.chainId);
  const execution = readExecution(fields, chain, nowMs);
  const trade = completeTrade(fields, read, chains);
  return trade && { trade, execution };
}

/** Plans a swap at the block that the market stands at. */
export async function planSwap({ trade, execution }: SwapAsk, nowMs: number): Promise<Outcome<PlannedSwap>> {
  const resolved = resolveTrade(trade);
  if (!resolved.ok) return resolved;
  const priced = priceAsked(resolved.value, nowMs);
  return priced.ok ? planPricedSwap(priced.value, execution) : priced;
}

/** Turns a price into the calls that execute it, verified and simulated. */
export async function planPricedSwap(
  priced: PricedTrade,
  execution: Execution,
): Promise<Outcome<PlannedSwap>> {
  const result = await withPatience(
    priced.trade.chain.planSwap(toOrder(priced, execution), priced.head),
    PLANNING_TIMEOUT_MS,
  );
  if (result === undefined) {
    return refuse(tryLater('upstream-unavailable', 'The chain did not answer in time to check the swap.', 2));
  }
  if (!result.ok) return refuse(await problemOf(result.refusal, priced.trade.chain, execution));
  const { ok: _, ...planned } = result;
  const { deadlineSeconds } = execution;
  return done({ ...planned, limit: boundOf(priced, planned.limit), priced, deadlineSeconds });
}

/** Where the chain contradicts the quote, the pools of the route are read again at once, and corrected if need be. */
async function problemOf(
  refusal: SwapRefusal,
  chain: ChainService,
  { recipient, sender }: Execution,
): Promise<ProblemFacts> {
  const payeePointer = recipient === undefined && sender !== undefined ? '/sender' : '/recipient';
  const read =
    'pools' in refusal && (await withPatience(chain.follower.reread(refusal.pools), REREAD_PATIENCE_MS));
  const reread = read || 'UNKNOWN';
  const found =
    'pools' in refusal && reread === 'RIGHT' ? await tokensFound(chain, refusal.pools) : NOTHING_FOUND;
  const problem = swapRefused(refusal, { chainId: chain.chainId, payeePointer, reread, found });
  if (problem.code === 'market-mismatch') chain.onMarketMismatch();
  return problem;
}

const NOTHING_FOUND: TokensFound = { taxed: [], rounding: [] };

/**
 * Where the pools are as quoted, their tokens may not be: their transfers are measured at once, as a tax can be switched on and a
 * rounding does not show in every transfer.
 */
async function tokensFound(chain: ChainService, pools: readonly Pool[]): Promise<TokensFound> {
  const { behaviours, examine } = chain.follower;
  const tokens = [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))];
  const roundedBefore = new Set(tokens.filter((token) => behaviours.get(token)?.kind === 'SHARES'));
  await withPatience(examine(pools), EXAMINING_PATIENCE_MS);
  const taxed = tokens.flatMap((token) => {
    const behaviour = behaviours.get(token);
    return behaviour?.kind === 'TAXED' ? [{ named: eip55(token), behaviour }] : [];
  });
  const rounding = tokens.filter(
    (token) => behaviours.get(token)?.kind === 'SHARES' && !roundedBefore.has(token),
  );
  return { taxed, rounding: rounding.map((token) => eip55(token)) };
}

/** The limit of a swap. A wrap's limit is its whole amount, as minAmountOut or as maxAmountIn by its trade type. */
function boundOf(priced: PricedTrade, limit: SwapLimit): SwapLimit {
  return priced.routed === undefined ? limitOf(priced) : limit;
}

function readExecution(fields: Fields, chain: ChainService | undefined, nowMs: number): Execution {
  const recipient = optional(fields, 'recipient', addressField);
  const sender = optional(fields, 'sender', addressField);
  const deadlineMs = optional(fields, 'deadline', timestampField);
  refuseUnusable(fields, 'recipient', recipient, chain);
  refuseUnusable(fields, 'sender', sender, chain);
  const deadlineSeconds = BigInt(
    Math.floor((deadlineMs ?? nowMs + LIMITS.defaultDeadlineMinutes * 60_000) / 1000),
  );
  // The contract compares the deadline with the time of a block, which can be ahead of the service's clock.
  const blockSeconds = chain?.follower.head()?.timestampSeconds ?? 0n;
  if (deadlineMs !== undefined && (deadlineMs <= nowMs || deadlineSeconds <= blockSeconds)) {
    addError(fields, 'deadline', `deadline must be in the future; it is ${timestampOf(nowMs)} now.`);
  }
  return { recipient: recipient?.address, sender: sender?.address, deadlineSeconds };
}

function refuseUnusable(
  fields: Fields,
  name: string,
  account: GivenAddress | undefined,
  chain: ChainService | undefined,
): void {
  if (account === undefined) return;
  const { address, given } = account;
  const reason = whatUnusable(address, chain && contractsOf(chain));
  if (reason !== undefined) {
    addError(fields, name, `${name} must be an account that can use the funds; ${given} is ${reason}.`);
  }
}

function toOrder({ trade, routed, rounding, amountIn }: PricedTrade, execution: Execution): SwapOrder {
  const { recipient, sender, deadlineSeconds, reference } = execution;
  return {
    subject:
      routed === undefined
        ? { kind: 'WRAP', amount: amountIn }
        : { kind: 'ROUTE', quote: routed, ...defined({ rounding }) },
    nativeIn: trade.tokenIn.native,
    nativeOut: trade.tokenOut.native,
    slippageBps: trade.slippageBps,
    deadlineSeconds,
    ...defined({ recipient, sender, reference }),
  };
}

/** The calls that a wallet executes for a swap: approvals where needed, then the swap. */
export function instructionsOf({ priced, instructions, deadlineSeconds }: PlannedSwap): Instruction[] {
  const { chain, slippageBps } = priced.trade;
  const notAfter = timestampOf(Number(deadlineSeconds) * 1000);
  const last = instructions.length - 1;
  return instructions.map(({ to, data, value }, index) => ({
    kind: 'EVM_CALL',
    chainId: chain.chainId,
    to: eip55(to),
    data,
    value: String(value),
    // An approval has no slippage. It has the swap's deadline, because it is useless after it.
    constraints: index === last ? { notAfter, maxSlippageBps: slippageBps } : { notAfter },
  }));
}
