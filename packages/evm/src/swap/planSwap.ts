import type { Address, Pool } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodesDisagreeError } from '../rpc/errors.ts';
import type {
  Head,
  Instruction,
  Simulation,
  SwapIssues,
  SwapOrder,
  SwapPlanner,
  SwapRefusal,
} from '../types.ts';
import { buildApprovals, verifyApprovals } from './approvals.ts';
import { buildSwap } from './buildSwap.ts';
import { type Holdings, readHoldings, swapIssues } from './holdings.ts';
import { orderMaxInput } from '../order/limits.ts';
import { refuseRecipient } from './refuseRecipient.ts';
import type { RehearsalPlace } from './place.ts';
import type { Moved } from './rehearsal.ts';
import { createSwapSimulator, quotedAmounts, type SwapSimulator } from './simulate.ts';
import { verifySwap } from './verifySwap.ts';
import { withinTimeout } from '../rpc/withinTimeout.ts';

/** One chain's planner. Check its venue once with `checkDeployed` before relying on it. Addresses in lower case. */
export type SwapPlannerOptions = RehearsalPlace & {
  readonly request: RpcRequest;
  /** Whether swaps leave that the nodes could not simulate. */
  readonly allowUnsimulated: boolean;
  /** How long a swap may wait for its simulation and the sender's holdings; 4 s where absent. */
  readonly timeoutMs?: number;
  /** Called with the reason when the chain could not be asked. */
  readonly onUnavailable?: (cause: unknown) => void;
};

const DEFAULT_TIMEOUT_MS = 4000;

/**
 * Makes the planner that turns orders into instructions: it refuses bad recipients, builds, verifies, and simulates at
 * the block of the quote. An instruction is returned only when its simulation moves exactly the quoted amounts. The
 * promise rejects only for bugs: an instruction that does not match its order is never returned.
 *
 * @example
 * ```ts
 * import { createSwapPlanner, type Head, type SwapOrder, type SwapPlannerOptions } from '@fairway/evm';
 *
 * declare const options: SwapPlannerOptions;
 * declare const order: SwapOrder;
 * declare const block: Head;
 *
 * const planSwap = createSwapPlanner(options);
 * const plan = await planSwap(order, block);
 * if (plan.ok) for (const { to, data, value } of plan.instructions) console.log(to, data, value);
 * ```
 */
export function createSwapPlanner(options: SwapPlannerOptions): SwapPlanner {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const simulate = createSwapSimulator({ ...options, timeoutMs });
  return async (order, block) => {
    const refused = refuseRecipient(options, order);
    if (refused !== undefined)
      return { ok: false, refusal: { reason: 'RECIPIENT_REFUSED', detail: refused } };
    const built = buildSwap(options, order);
    if (!built.ok) return { ok: false, refusal: { reason: 'NOT_EXECUTABLE', detail: built.detail } };
    const verified = verifySwap(options, order, built.instruction);
    if (!verified.ok) throw new Error(`A built swap does not match its order: ${verified.mismatch}`);
    const held = await withinTimeout(timeoutMs, holdingsOf(options, order, built.instruction, block));
    if (held === 'NODES_DISAGREE') return { ok: false, refusal: { reason: 'NODES_DISAGREE' } };
    const [simulation, preparation] = await Promise.all([
      judge(options, simulate, order, built.instruction, block, held),
      held && withinTimeout(timeoutMs, prepareSender(options, order, held, block)),
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

/** A simulation that lets the swap leave, or why it must not. */
async function judge(
  { allowUnsimulated }: SwapPlannerOptions,
  simulate: SwapSimulator,
  order: SwapOrder,
  instruction: Instruction,
  block: Head,
  holdings: Holdings | undefined,
): Promise<Simulation | SwapRefusal> {
  const result = await simulate(order, instruction, block, holdings);
  switch (result.status) {
    case 'PASSED':
      return result;
    case 'FAILED':
      return {
        reason: 'SIMULATION_FAILED',
        revertReason: result.revertReason,
        pools: poolsOf(order),
      };
    case 'DIFFERS':
      return { reason: 'AMOUNTS_DIFFER', detail: differenceOf(order, result), pools: poolsOf(order) };
    case 'BLOCK_GONE':
      return { reason: 'BLOCK_GONE', blockNumber: block.number };
    case 'NODES_DISAGREE':
      return { reason: 'NODES_DISAGREE' };
    case 'UNREADABLE':
      return { reason: 'SIMULATION_UNAVAILABLE' };
    case 'HOLDINGS_NEEDED': {
      const { token, needed } = result;
      return allowUnsimulated ? { status: 'UNAVAILABLE' } : { reason: 'HOLDINGS_NEEDED', token, needed };
    }
    case 'UNAVAILABLE':
      return allowUnsimulated ? result : { reason: 'SIMULATION_UNAVAILABLE' };
  }
}

function differenceOf(order: SwapOrder, moved: Moved): string {
  const { amountIn, amountOut } = quotedAmounts(order);
  if (moved.leftInRouter === undefined)
    return 'a token of the route does not say what the router holds of it';
  const left = moved.leftInRouter.map(({ amount, token }) => `${amount} of ${token ?? 'native currency'}`);
  if (left.length > 0) return `it would leave ${left.join(', ')} in the router`;
  return `it would pay ${moved.amountOut} for ${moved.amountIn} where ${amountOut} for ${amountIn} was quoted`;
}

/** The pools of the order's route as the quote found them; a pool that several paths use only once. */
function poolsOf({ subject }: SwapOrder): readonly Pool[] {
  if (subject.kind === 'WRAP') return [];
  const pools = new Map<Address, Pool>();
  for (const { pool } of subject.quote.legs) if (!pools.has(pool.address)) pools.set(pool.address, pool);
  return [...pools.values()];
}

type Preparation = { readonly approvals: readonly Instruction[]; readonly issues: SwapIssues };

/**
 * What a named sender holds; undefined without a sender or without an answer. Where nodes contradict each other about it, the
 * swap must not leave as if nothing were to be approved.
 */
async function holdingsOf(
  options: SwapPlannerOptions,
  order: SwapOrder,
  instruction: Instruction,
  { hash: blockHash }: Head,
): Promise<Holdings | 'NODES_DISAGREE' | undefined> {
  const { request, multicall3, venue, onUnavailable } = options;
  const { sender: owner } = order;
  if (owner === undefined) return undefined;
  const token = order.nativeIn ? undefined : inputTokenOf(options, order);
  const usesAllowance = token !== undefined && instruction.to.toLowerCase() === venue.router;
  const spender = usesAllowance ? venue.spender : undefined;
  return readHoldings(request, multicall3, blockHash, { owner, token, spender }).catch((cause: unknown) => {
    onUnavailable?.(cause);
    return cause instanceof NodesDisagreeError ? 'NODES_DISAGREE' : undefined;
  });
}

/** What the sender lacks, and the approvals to execute first. */
async function prepareSender(
  options: SwapPlannerOptions,
  order: SwapOrder,
  holdings: Holdings,
  { hash: blockHash }: Head,
): Promise<Preparation> {
  const { request, venue } = options;
  const { spender } = venue;
  const issues = swapIssues(order, holdings, spender);
  const { sender: owner } = order;
  if (owner === undefined || order.nativeIn || holdings.allowance === undefined)
    return { approvals: [], issues };
  const token = inputTokenOf(options, order);
  const required = orderMaxInput(order);
  const approval = { token, owner, spender, current: holdings.allowance, required, blockHash };
  const approvals = await buildApprovals(request, approval);
  if (!verifyApprovals(approval, approvals)) throw new Error('Built approvals do not match their order.');
  return { approvals, issues };
}

function inputTokenOf({ wrappedNative }: RehearsalPlace, { subject }: SwapOrder): Address {
  return subject.kind === 'WRAP' ? wrappedNative : subject.quote.tokenIn;
}
