import type { Address, Amount, Pool } from '@fairway/engine';
import type { SwapLimit, SwapOrder, SwapRefusal, SwapResult } from '@fairway/evm';
import type { Instruction } from '@fairway/plan';
import { defined } from '@fairway/values';
import { withPatience } from '@fairway/processes';
import { LIMITS } from '@fairway/wire';
import { whatUnusable } from '../../platform/accounts/unusableAccount.ts';
import { contractsOf } from '../../platform/chains/chainContracts.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import {
  addError,
  addressField,
  done,
  eip55,
  type Fields,
  type GivenAddress,
  optional,
  type Outcome,
  refuse,
  timestampField,
  timestampOf,
  tryLater,
} from '@fairway/api';
import { type Detour, detourOf, faultsOf, without } from './detour.ts';
import { withMeantTrade } from './meantTrade.ts';
import { leastOut, limitOf, type PricedTrade, priceTrade, untradedAmong } from './priceTrade.ts';
import {
  type ChainsByDigits,
  completeTrade,
  freshBlock,
  resolveTrade,
  type Trade,
  type TradeAsk,
} from './trade.ts';
import { readTrade } from './tradeFields.ts';
import { swapRefused, type TokensFound } from './tradeProblems.ts';

/** How long a swap waits for the node. Then the request is refused, so that the caller does not wait for ever. */
const PLANNING_TIMEOUT_MS = 10_000;

/** Swaps planned for a request, each around what the ones before it failed over. */
const MOST_ATTEMPTS = 3;

/** How long a refused swap waits until it is known what it fails over. */
const FAULT_PATIENCE_MS = 2000;

/** How long a refused swap waits until the pools of its route are read again. */
const REREAD_PATIENCE_MS = 2000;

/** How long it waits then until the transfers of its tokens are measured. */
const EXAMINING_PATIENCE_MS = 2000;

/** Who executes a swap, for whom, and until when. `floor`: the least output that it may leave to slippage. */
export type Execution = {
  readonly recipient: Address | undefined;
  readonly sender: Address | undefined;
  readonly deadlineSeconds: bigint;
  /** Bytes at the end of the swap's calldata; plans mark their own swaps with them. */
  readonly reference?: `0x${string}`;
  readonly floor?: Amount | undefined;
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
  const read = readTrade(fields, chains);
  const chain = read.chainId === undefined ? undefined : chains.get(read.chainId);
  const execution = readExecution(fields, chain, nowMs);
  const trade = completeTrade(fields, read, chains);
  return trade && { trade, execution };
}

/** Plans a swap at the block that the market stands at. */
export async function planSwap({ trade, execution }: SwapAsk, nowMs: number): Promise<Outcome<PlannedSwap>> {
  const resolved = resolveTrade(trade);
  if (!resolved.ok) return resolved;
  const planned = await planAround(resolved.value, execution, nowMs);
  if (planned.ok) return planned;
  if ('leastOut' in planned) throw new Error('A swap without a floor was below it.');
  return refuse(withMeantTrade(planned.problem, resolved.value, nowMs));
}

/** A swap that would bring less than its floor: what it would bring at least. */
type BelowFloor = { readonly ok: false; readonly leastOut: Amount; readonly floor: Amount };

/**
 * Prices a trade and plans its swap. When a token on the way or a pool makes the swap fail, the trade is priced again
 * without it, and another swap is planned. Without another price the answer is why the earlier swap failed.
 */
export async function planAround(
  trade: Trade,
  execution: Execution,
  nowMs: number,
): Promise<Outcome<PlannedSwap> | BelowFloor> {
  const endMs = performance.now() + PLANNING_TIMEOUT_MS;
  let around = trade;
  let failed: Outcome<PlannedSwap> | undefined;
  for (let attempts = 1; ; attempts += 1) {
    const priced = priceAboveFloor(around, execution.floor, nowMs);
    if (!priced.ok) return failed !== undefined && 'problem' in priced ? failed : priced;
    const attempt = await planPricedSwap(priced.value, execution, endMs - performance.now());
    const { detour } = attempt;
    if (attempt.outcome.ok || detour === undefined || attempts === MOST_ATTEMPTS) return attempt.outcome;
    // Time has passed, and the market may have stopped meanwhile.
    const block = freshBlock(trade.chain);
    if (!block.ok) return block;
    trade.chain.onReroute();
    failed = attempt.outcome;
    around = { ...without(around, detour), block: block.value };
  }
}

/** Prices a trade, with as much slippage as its floor leaves. */
function priceAboveFloor(
  trade: Trade,
  floor: Amount | undefined,
  nowMs: number,
): Outcome<PricedTrade> | BelowFloor {
  const priced = priceTrade(trade, nowMs);
  if (!priced.ok || floor === undefined) return priced;
  const least = leastOut(priced.value);
  if (least < floor) return { ok: false, leastOut: least, floor };
  const slippageBps = slippageWithin(trade.slippageBps, least, floor);
  return done({ ...priced.value, trade: { ...trade, slippageBps } });
}

/**
 * The slippage asked, or less where the swap's minAmountOut would otherwise be below the floor. The contract on the
 * chain then enforces the floor.
 */
function slippageWithin(slippageBps: number, amountOut: Amount, floor: Amount): number {
  const roomBps = ((amountOut - floor) * 10_000n) / amountOut;
  return roomBps < BigInt(slippageBps) ? Number(roomBps) : slippageBps;
}

/** The outcome of a swap. When it failed for a part of its route, also the way around that part. */
type Attempt = { readonly outcome: Outcome<PlannedSwap>; readonly detour?: Detour };

/** Turns a price into the calls that execute it, verified and simulated. */
async function planPricedSwap(
  priced: PricedTrade,
  execution: Execution,
  timeoutMs: number,
): Promise<Attempt> {
  const result = await withPatience(
    priced.trade.chain.planSwap(toOrder(priced, execution), priced.trade.block.head),
    timeoutMs,
  );
  if (result === undefined) {
    const detail = 'The chain did not answer in time to check the swap.';
    return { outcome: refuse(tryLater('upstream-unavailable', detail, 2)) };
  }
  if (!result.ok) return failedAttempt(result.refusal, priced, execution);
  const { ok: _, ...planned } = result;
  const { deadlineSeconds } = execution;
  return { outcome: done({ ...planned, limit: boundOf(priced, planned.limit), priced, deadlineSeconds }) };
}

/**
 * When the chain contradicts the quote, the pools of the route are read again at once, and corrected if need be. If
 * they are as quoted, the fault is looked for elsewhere along the route.
 */
async function failedAttempt(
  refusal: SwapRefusal,
  priced: PricedTrade,
  { recipient, sender }: Execution,
): Promise<Attempt> {
  const { chain } = priced.trade;
  const payeePointer = recipient === undefined && sender !== undefined ? '/sender' : '/recipient';
  const [read, faults] =
    'pools' in refusal
      ? await Promise.all([
          withPatience(chain.follower.reread(refusal.pools), REREAD_PATIENCE_MS),
          withPatience(faultsOf(priced, toOrder(priced, nobody(priced))), FAULT_PATIENCE_MS),
        ])
      : [];
  const reread = read ?? 'UNKNOWN';
  const isAsQuoted = 'pools' in refusal && reread === 'RIGHT';
  const found = isAsQuoted ? await tokensFound(priced.trade, refusal.pools) : NOTHING_FOUND;
  const problem = swapRefused(refusal, { chainId: chain.chainId, payeePointer, reread, found });
  // The market knows by now what was found of its tokens: another price is another route, or says why there is none.
  if (found !== NOTHING_FOUND) return { outcome: refuse(problem), detour: NO_DETOUR };
  const detour = reread === 'WRONG' ? undefined : detourOf(priced, faults, problem);
  if (detour !== undefined) return { outcome: refuse(problem), detour };
  if (problem.code === 'market-mismatch') chain.onMarketMismatch();
  return { outcome: refuse(problem) };
}

/** An execution without anything of the caller's. */
function nobody({ trade: { block } }: PricedTrade): Execution {
  const deadlineSeconds = block.head.timestampSeconds + BigInt(60 * LIMITS.defaultDeadlineMinutes);
  return { recipient: undefined, sender: undefined, deadlineSeconds };
}

const NOTHING_FOUND: TokensFound = { taxed: [], rounding: [] };
const NO_DETOUR: Detour = { tokens: [], pools: [] };

/**
 * When the pools are as quoted, their tokens may not be. Their transfers are measured at once: a tax can be switched
 * on, and a rounding does not show in every transfer.
 */
async function tokensFound(trade: Trade, pools: readonly Pool[]): Promise<TokensFound> {
  const { behaviours, examine } = trade.chain.follower;
  const tokens = [...new Set(pools.flatMap(({ tokens }) => tokens))];
  const roundedBefore = new Set(tokens.filter((token) => behaviours.get(token)?.kind === 'SHARES'));
  await withPatience(examine(pools), EXAMINING_PATIENCE_MS);
  const taxed = untradedAmong(trade, tokens);
  const rounding = tokens.filter(
    (token) => behaviours.get(token)?.kind === 'SHARES' && !roundedBefore.has(token),
  );
  if (taxed.length + rounding.length === 0) return NOTHING_FOUND;
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
