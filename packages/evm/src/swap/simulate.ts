import type { RpcRequest } from '../rpc/endpoint.ts';
import { headByNumber } from '../rpc/head.ts';
import { NodesDisagreeError, revertData, RpcAnswerError, RpcUnreachableError } from '../rpc/errors.ts';
import type { Head, Instruction, PriorHolding, Simulation, SwapOrder } from '../types.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import { callSwap } from './callSwap.ts';
import type { ClearCall } from './priorHoldings.ts';
import type { Holdings } from './holdings.ts';
import type { RehearsalPlace } from './place.ts';
import {
  type HoldingsNeeded,
  type Moved,
  prepareRehearsal,
  type RehearsalResult,
  tokensOf,
} from './rehearsal.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';
import { simulateBlock } from './simulateBlock.ts';
import { createTokenSlots } from './tokenSlots.ts';
import { withinTimeout } from '../rpc/withinTimeout.ts';

/** A simulation, or what keeps the swap from its caller. */
export type SimulationResult =
  | Simulation
  | { readonly status: 'FAILED'; readonly revertReason: string }
  /** It would move other amounts than were quoted. */
  | ({ readonly status: 'DIFFERS' } & Moved)
  /** The nodes do not know the quote's block, or no longer. */
  | { readonly status: 'BLOCK_GONE' }
  | { readonly status: 'NODES_DISAGREE' }
  | HoldingsNeeded
  /** The node answered with something that is no simulation. */
  | { readonly status: 'UNREADABLE' };

/**
 * Runs a verified instruction on the state of its quote's block without sending it. `holdings`: the sender's, where known. Never
 * rejects.
 */
export type SwapSimulator = (
  order: SwapOrder,
  instruction: Instruction,
  block: Head,
  holdings: Holdings | undefined,
) => Promise<SimulationResult>;

/** What the simulator needs of a chain. Addresses in lower case. */
export type SimulatorOptions = RehearsalPlace & {
  readonly request: RpcRequest;
  /** After this the simulation is UNAVAILABLE. */
  readonly timeoutMs: number;
  /** Told why a simulation was not possible. */
  readonly onUnavailable?: (cause: unknown) => void;
};

/**
 * Makes a simulator for one chain. State overrides give the executor what it lacks, so an order can be simulated
 * before the wallet holds or has approved anything. The simulator measures real balances with `eth_simulateV1`, so
 * transfer taxes show. The moved amounts must be those quoted, to the unit, and the router must hold nothing more
 * afterwards. When tokens round transfers by shares, they may differ within that rounding. More is only accepted
 * where the same swap moves exactly what was quoted once all that router and pools held before is taken away. A swap
 * fails only when it fails twice.
 */
export function createSwapSimulator(options: SimulatorOptions): SwapSimulator {
  const { request, multicall3, timeoutMs, onUnavailable } = options;
  const slots = createTokenSlots(request);

  async function rehearse(
    order: SwapOrder,
    instruction: Instruction,
    block: Head,
    holdings: Holdings | undefined,
    clears: boolean,
  ): Promise<RehearsalResult> {
    const rehearsal = await prepareRehearsal(options, slots, order, instruction, block, holdings);
    if ('status' in rehearsal) return rehearsal;
    const first: readonly ClearCall[] = clears ? rehearsal.priorHoldings.clearCalls : [];
    const result = await simulateBlock(request, multicall3, rehearsal, first);
    return result.status === 'NOT_SUPPORTED' ? callSwap(request, rehearsal) : result;
  }

  async function simulate(
    order: SwapOrder,
    instruction: Instruction,
    block: Head,
    holdings: Holdings | undefined,
  ): Promise<SimulationResult> {
    let result = await rehearse(order, instruction, block, holdings, false);
    if (result.status === 'NOT_FUNDED') {
      for (const token of tokensOf(order, options.wrappedNative)) slots.forget(token);
      result = await rehearse(order, instruction, block, holdings, false);
    }
    if (result.status === 'NOT_FUNDED' || result.status === 'NOT_SUPPORTED') {
      onUnavailable?.(new Error('State overrides of the input token have no effect on this node.'));
      return { status: 'UNAVAILABLE' };
    }
    if (result.status !== 'RAN') return result;
    const { amountIn, amountOut, gasUsed, priorHoldings, leftInRouter } = result;
    const passed = { status: 'PASSED', amountIn, amountOut, gasUsed, blockNumber: block.number } as const;
    const quoted = quotedAmounts(order);
    if (isWithin(result, quoted, order)) return { ...passed, priorHoldings: [] };
    if (priorHoldings !== undefined && priorHoldings.length > 0 && isNoWorse(result, quoted)) {
      const cleared = await rehearse(order, instruction, block, holdings, true);
      if (cleared.status === 'RAN' && isWithin(cleared, quoted, order)) return { ...passed, priorHoldings };
    }
    return { status: 'DIFFERS', amountIn, amountOut, leftInRouter };
  }

  return (order, instruction, block, holdings) => {
    const attempt = () =>
      simulate(order, instruction, block, holdings).catch((cause: unknown): SimulationResult => {
        onUnavailable?.(cause);
        return { status: whyUnsimulated(cause) };
      });
    return confirmed(timeoutMs, async () => whyNot(options, order, block, await attempt()), attempt);
  };
}

/** A result, or what explains that there is none: the block is gone, or the input token is dead. */
async function whyNot(
  options: SimulatorOptions,
  order: SwapOrder,
  block: Head,
  result: SimulationResult,
): Promise<SimulationResult> {
  if (result.status !== 'UNAVAILABLE' && result.status !== 'HOLDINGS_NEEDED') return result;
  if (await isGone(options.request, block)) return { status: 'BLOCK_GONE' };
  return (await isDeadToken(options, order, block))
    ? { status: 'FAILED', revertReason: 'the input token does not say what its holders hold' }
    : result;
}

/**
 * What a simulation says, unless it did not pass and a second one says otherwise. A block has one state, so the
 * second says the same. But a node that is making a block may have taken another state for the first one. The
 * sandbox's node does so about once in a hundred times.
 */
async function confirmed(
  timeoutMs: number,
  simulate: () => Promise<SimulationResult>,
  simulateAgain: () => Promise<SimulationResult>,
): Promise<SimulationResult> {
  const startMs = performance.now();
  const first = await withinTimeout(timeoutMs, simulate());
  if (first === undefined) return { status: 'UNAVAILABLE' };
  if (first.status !== 'FAILED' && first.status !== 'DIFFERS') return first;
  const second = await withinTimeout(timeoutMs - (performance.now() - startMs), simulateAgain());
  // Silence must not take back what the first one said: swaps without a simulation may be allowed.
  return second === undefined || second.status === 'UNAVAILABLE' ? first : second;
}

/** Whether the input token no longer answers `balanceOf`: such a token can be neither simulated nor sold. */
async function isDeadToken(
  { request, wrappedNative }: SimulatorOptions,
  order: SwapOrder,
  { hash: blockHash }: Head,
): Promise<boolean> {
  if (order.nativeIn) return false;
  const [token] = tokensOf(order, wrappedNative);
  const args = [order.sender ?? token] as const;
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args });
  try {
    return (await request({ method: 'eth_call', params: [{ to: token, data }, { blockHash }] })) === '0x';
  } catch (error) {
    // Any other error means a node that cannot answer. The token is not to blame.
    return error instanceof RpcAnswerError && revertData(error) !== undefined;
  }
}

async function isGone(request: RpcRequest, { number, hash }: Head): Promise<boolean> {
  try {
    return (await headByNumber(request, number))?.hash !== hash;
  } catch {
    return false;
  }
}

function whyUnsimulated(cause: unknown): 'NODES_DISAGREE' | 'UNAVAILABLE' | 'UNREADABLE' {
  if (cause instanceof NodesDisagreeError) return 'NODES_DISAGREE';
  const isWithoutAnswer = cause instanceof RpcAnswerError || cause instanceof RpcUnreachableError;
  return isWithoutAnswer ? 'UNAVAILABLE' : 'UNREADABLE';
}

/** What an order must move: what was quoted, and with it the surplus of an exact output. */
export function quotedAmounts({ subject }: SwapOrder): { amountIn: bigint; amountOut: bigint } {
  if (subject.kind === 'WRAP') return { amountIn: subject.amount, amountOut: subject.amount };
  const { amountIn, amountOut, surplus } = subject.quote;
  return { amountIn, amountOut: amountOut + surplus };
}

type Amounts = { readonly amountIn: bigint; readonly amountOut: bigint };

/**
 * Whether a swap moved what was quoted, to the unit, and left nothing in the router; where transfers round, within that rounding.
 */
function isWithin(moved: Moved, quoted: Amounts, order: SwapOrder): boolean {
  const { subject } = order;
  const rounding = subject.kind === 'ROUTE' ? subject.rounding : undefined;
  const [inUnits, outUnits] = [rounding?.amountIn ?? 0n, rounding?.amountOut ?? 0n];
  const [untaken, missing] = [quoted.amountIn - moved.amountIn, quoted.amountOut - moved.amountOut];
  // A cleared balance leaves a rest of its own rounding, which may be paid out.
  const isMoved = untaken >= 0n && untaken <= inUnits && missing >= -outUnits && missing <= outUnits;
  return isMoved && moved.leftInRouter?.every((left) => isRounded(left, order)) === true;
}

/** Whether transfers that round may have left this in the router: each leg has at most one of them in and one out. */
function isRounded({ token, amount }: PriorHolding, { subject }: SwapOrder): boolean {
  const rounding = subject.kind === 'ROUTE' ? subject.rounding : undefined;
  if (rounding === undefined || token === undefined || !rounding.tokens.includes(token)) return false;
  const legs = subject.kind === 'ROUTE' ? subject.quote.legs.length : 0;
  return amount <= 2n * rounding.unitsPerTransfer * BigInt(legs);
}

function isNoWorse(moved: Moved, quoted: Amounts): boolean {
  return moved.amountIn <= quoted.amountIn && moved.amountOut >= quoted.amountOut;
}
