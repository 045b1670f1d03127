import type { Address } from '@fairway/engine';
import { encodeFunctionData } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/rpcErrors.ts';
import type { Instruction, SwapOrder } from '../types.ts';
import { callSwap } from './callSwap.ts';
import { prepareRehearsal, type RehearsalResult, type SimulationResult, tokensOf } from './rehearsal.ts';
import { TOKEN_ABI } from './routerAbi.ts';
import { simulateBlock } from './simulateBlock.ts';
import { createTokenSlots } from './tokenSlots.ts';
import { withinTimeout } from './withinTimeout.ts';

/** Runs a verified instruction against the latest block without sending it. Never rejects. */
export type SwapSimulator = (order: SwapOrder, instruction: Instruction) => Promise<SimulationResult>;

/** What the simulator needs of a chain. Addresses in lower case. */
export type SimulatorOptions = {
  readonly request: RpcRequest;
  readonly router: Address;
  readonly wrappedNative: Address;
  readonly multicall3: Address;
  /** After this the simulation is UNAVAILABLE. */
  readonly timeoutMs: number;
  /** Told why a simulation was not possible. */
  readonly onUnavailable?: (cause: unknown) => void;
};

/**
 * Makes a simulator for one chain. It funds the executor by state overrides, so that an order can be simulated before
 * the wallet holds or has approved anything, and measures real balances, so that transfer taxes show.
 * It uses `eth_simulateV1`, or `eth_call` on nodes that lack it.
 */
export function createSwapSimulator(options: SimulatorOptions): SwapSimulator {
  const { request, multicall3, timeoutMs } = options;
  const slots = createTokenSlots(request);

  async function rehearse(order: SwapOrder, instruction: Instruction): Promise<RehearsalResult> {
    const rehearsal = await prepareRehearsal(request, options, slots, order, instruction);
    if (rehearsal === undefined) return { status: 'UNAVAILABLE' };
    const result = await simulateBlock(request, multicall3, rehearsal);
    if (result.status !== 'NOT_SUPPORTED') return result;
    return callSwap(request, rehearsal);
  }

  async function simulate(order: SwapOrder, instruction: Instruction): Promise<SimulationResult> {
    let result = await rehearse(order, instruction);
    if (result.status === 'NOT_FUNDED') {
      for (const token of tokensOf(order, options.wrappedNative)) slots.forget(token);
      result = await rehearse(order, instruction);
    }
    if (result.status === 'NOT_FUNDED' || result.status === 'NOT_SUPPORTED')
      throw new Error('State overrides of the input token have no effect on this node.');
    return result;
  }

  /** Whether the input token no longer answers `balanceOf`: such a token can be neither simulated nor sold. */
  async function isDeadToken(order: SwapOrder): Promise<boolean> {
    if (order.nativeIn) return false;
    const [token] = tokensOf(order, options.wrappedNative);
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args: [order.sender ?? token],
    });
    try {
      return (await request({ method: 'eth_call', params: [{ to: token, data }, 'latest'] })) === '0x';
    } catch (error) {
      return error instanceof RpcAnswerError;
    }
  }

  async function run(order: SwapOrder, instruction: Instruction): Promise<SimulationResult> {
    const result = await simulate(order, instruction).catch((cause: unknown) => {
      // No answer of a node, or lack of one, may keep a verified swap from its caller.
      options.onUnavailable?.(cause);
      return { status: 'UNAVAILABLE' } as const;
    });
    if (result.status !== 'UNAVAILABLE' || !(await isDeadToken(order))) return result;
    return { status: 'FAILED', revertReason: 'the input token does not say what its holders hold' };
  }

  return async (order, instruction) =>
    (await withinTimeout(timeoutMs, run(order, instruction))) ?? { status: 'UNAVAILABLE' };
}
