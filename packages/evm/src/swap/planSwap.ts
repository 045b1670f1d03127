import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type {
  Instruction,
  Simulation,
  SwapIssues,
  SwapLimit,
  SwapOrder,
  SwapPlanner,
  SwapRefusal,
} from '../types.ts';
import { buildApprovals, verifyApprovals } from './approvals.ts';
import { buildSwap } from './buildSwap.ts';
import type { RouterDeployment } from './deployment.ts';
import { readHoldings, swapIssues } from './holdings.ts';
import { orderMaxInput } from './limits.ts';
import { refuseRecipient } from './refuseRecipient.ts';
import type { SimulationResult } from './rehearsal.ts';
import { createSwapSimulator, type SwapSimulator } from './simulate.ts';
import { verifySwap } from './verifySwap.ts';
import { withinTimeout } from './withinTimeout.ts';

/** One chain's planner. Check the router once with `checkRouter` before relying on it. Addresses in lower case. */
export type SwapPlannerOptions = RouterDeployment & {
  readonly request: RpcRequest;
  readonly multicall3: Address;
  /** How long a swap may wait for its simulation and the sender's holdings; 2 s where absent. */
  readonly timeoutMs?: number;
  /**
   * Called with the reason when the chain could not be asked; the plan then lacks what the chain would have answered.
   */
  readonly onUnavailable?: (cause: unknown) => void;
};

const DEFAULT_TIMEOUT_MS = 2000;

/**
 * Makes the planner that turns orders into instructions: it refuses bad recipients, builds, verifies, and simulates
 * on the chain. It rejects only for bugs: an instruction that does not match its order is never returned.
 *
 * @example
 * ```ts
 * import { createSwapPlanner, type SwapOrder, type SwapPlannerOptions } from '@fairway/evm';
 *
 * declare const options: SwapPlannerOptions;
 * declare const order: SwapOrder;
 *
 * const planSwap = createSwapPlanner(options);
 * const plan = await planSwap(order);
 * if (plan.ok) for (const { to, data, value } of plan.instructions) console.log(to, data, value);
 * ```
 */
export function createSwapPlanner(options: SwapPlannerOptions): SwapPlanner {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const simulate = createSwapSimulator({ ...options, timeoutMs });
  return async (order) => {
    const refused = refuseRecipient(options, order);
    if (refused !== undefined)
      return { ok: false, refusal: { reason: 'RECIPIENT_REFUSED', detail: refused } };
    const built = buildSwap(options, order);
    if (!built.ok) return { ok: false, refusal: { reason: 'NOT_EXECUTABLE', detail: built.detail } };
    const verified = verifySwap(options, order, built.instruction);
    if (!verified.ok) throw new Error(`A built swap does not match its order: ${verified.mismatch}`);
    const [simulation, preparation] = await Promise.all([
      judge(simulate, order, built.instruction, verified.limit),
      withinTimeout(timeoutMs, prepareSender(options, order, built.instruction)),
    ]);
    if ('reason' in simulation) return { ok: false, refusal: simulation };
    return {
      ok: true,
      instructions: [...(preparation?.approvals ?? []), built.instruction],
      limit: verified.limit,
      simulation,
      ...(preparation === undefined ? {} : { issues: preparation.issues }),
    };
  };
}

/** Fails a simulation whose recipient got less than the limit, although the router let it pass. */
async function judge(
  simulate: SwapSimulator,
  order: SwapOrder,
  instruction: Instruction,
  limit: SwapLimit,
): Promise<Simulation | Extract<SwapRefusal, { reason: 'SIMULATION_FAILED' }>> {
  const result: SimulationResult = await simulate(order, instruction);
  if (result.status === 'FAILED') return { reason: 'SIMULATION_FAILED', revertReason: result.revertReason };
  if (result.status === 'UNAVAILABLE') return result;
  const minAmountOut = 'minAmountOut' in limit ? limit.minAmountOut : exactOutputOf(order);
  if (result.amountOut >= minAmountOut && result.amountIn <= orderMaxInput(order)) return result;
  return {
    reason: 'SIMULATION_FAILED',
    revertReason: `the recipient would receive ${result.amountOut} instead of at least ${minAmountOut}, for ${result.amountIn}: a token keeps a part of what is transferred`,
  };
}

function exactOutputOf({ subject }: SwapOrder): bigint {
  return subject.kind === 'WRAP' ? subject.amount : subject.quote.amountOut;
}

type Preparation = { readonly approvals: readonly Instruction[]; readonly issues: SwapIssues };

/** What a named sender lacks, and the approvals to execute first; undefined without a sender or without an answer. */
async function prepareSender(
  options: SwapPlannerOptions,
  order: SwapOrder,
  instruction: Instruction,
): Promise<Preparation | undefined> {
  const { request, multicall3, router, onUnavailable } = options;
  const { sender: owner } = order;
  if (owner === undefined) return undefined;
  const token = order.nativeIn ? undefined : inputTokenOf(options, order);
  const spender = token !== undefined && instruction.to.toLowerCase() === router ? router : undefined;
  const holdings = await readHoldings(request, multicall3, { owner, token, spender }).catch(
    (cause: unknown) => {
      onUnavailable?.(cause);
    },
  );
  if (holdings === undefined) return undefined;
  const issues = swapIssues(order, holdings, router);
  if (token === undefined || holdings.allowance === undefined) return { approvals: [], issues };
  const required = orderMaxInput(order);
  const approval = { token, owner, spender: router, current: holdings.allowance, required };
  const approvals = await buildApprovals(request, approval);
  if (!verifyApprovals(approval, approvals)) throw new Error('Built approvals do not match their order.');
  return { approvals, issues };
}

function inputTokenOf({ wrappedNative }: RouterDeployment, { subject }: SwapOrder): Address {
  return subject.kind === 'WRAP' ? wrappedNative : subject.quote.tokenIn;
}
