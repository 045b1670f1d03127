import type { Address } from '@fairway/engine';
import type { Instruction as PlannedCall, SwapIssues, SwapOrder, SwapResult } from '@fairway/evm';
import { LIMITS, NATIVE_ADDRESSES, type Simulation, type SwapPlan } from '@fairway/wire';
import type { ChainService } from '../chains/chainService.ts';
import { eip55 } from '../text/eip55.ts';
import {
  addError,
  addressField,
  type Fields,
  type GivenAddress,
  optional,
  timestampField,
} from '../fields/fields.ts';
import { type Answer, refuse, swapRefused, tryLater } from './problem.ts';
import { integer, limitOf, quoteBody } from './quote.ts';
import { timestampOf } from '../time/timestamp.ts';
import {
  type ChainsByDigits,
  type PricedTrade,
  priceTrade,
  readTrade,
  resolveTrade,
  TRADE_FIELDS,
} from '../trading/trade.ts';

/** Names of the fields of a swap request. */
export const SWAP_FIELDS = [...TRADE_FIELDS, 'recipient', 'deadline', 'sender'] as const;

/** A node that has not answered by then is treated as gone: callers must not hang. */
const PLANNING_TIMEOUT_MS = 10_000;

/** Who executes a swap, for whom, and until when. */
export type Execution = {
  readonly recipient: Address | undefined;
  readonly sender: Address | undefined;
  readonly deadlineSeconds: bigint;
  /** Bytes that mark the swap's calldata as somebody's own. */
  readonly reference?: `0x${string}`;
};

/** POST /v1/swap: a fresh quote and the calls that execute it, verified and simulated before they leave. */
export async function planSwap(
  fields: Fields,
  chains: ChainsByDigits,
  nowMs: number,
): Promise<Answer<SwapPlan>> {
  const read = readTrade(fields);
  const chain = read.chainId === undefined ? undefined : chains.get(read.chainId);
  const execution = readExecution(fields, chain, nowMs);
  const trade = resolveTrade(fields, read, chains);
  if (!trade.ok) return trade;
  const priced = priceTrade(trade.body, nowMs);
  if (!priced.ok) return priced;
  return planPricedSwap(priced.body, execution);
}

/** Turns a price into the calls that execute it, verified and simulated. */
export async function planPricedSwap(priced: PricedTrade, execution: Execution): Promise<Answer<SwapPlan>> {
  const result = await withinTime(priced.trade.chain.planSwap(toOrder(priced, execution)));
  if (result === undefined) {
    return refuse(tryLater('upstream-unavailable', 'The chain did not answer in time to check the swap.', 2));
  }
  if (!result.ok) {
    const pointer =
      execution.recipient === undefined && execution.sender !== undefined ? '/sender' : '/recipient';
    return refuse(swapRefused(result.refusal, pointer));
  }
  return { ok: true, body: planBody(priced, execution, result) };
}

function readExecution(fields: Fields, chain: ChainService | undefined, nowMs: number): Execution {
  const recipient = optional(fields, 'recipient', addressField);
  const sender = optional(fields, 'sender', addressField);
  const deadlineMs = optional(fields, 'deadline', timestampField);
  refuseDeadAddress(fields, 'recipient', recipient, chain);
  refuseDeadAddress(fields, 'sender', sender, chain);
  const deadlineSeconds = BigInt(
    Math.floor((deadlineMs ?? nowMs + LIMITS.defaultDeadlineMinutes * 60_000) / 1000),
  );
  // The chain compares with its block's time, which can run ahead of the service's clock.
  const blockSeconds = chain?.follower.head()?.timestampSeconds ?? 0n;
  if (deadlineMs !== undefined && (deadlineMs <= nowMs || deadlineSeconds <= blockSeconds)) {
    addError(fields, 'deadline', `deadline must be in the future; it is ${timestampOf(nowMs)} now.`);
  }
  return { recipient: recipient?.address, sender: sender?.address, deadlineSeconds };
}

const RESERVED: readonly string[] = [
  ...NATIVE_ADDRESSES,
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
];

/** Addresses that would lose the output or redirect it. The planner knows the router and refuses that. */
function refuseDeadAddress(
  fields: Fields,
  name: string,
  account: GivenAddress | undefined,
  chain: ChainService | undefined,
): void {
  if (account === undefined) return;
  const { address, given } = account;
  const reason = RESERVED.includes(address)
    ? 'a reserved address'
    : chain === undefined
      ? undefined
      : address === chain.wrappedNative || chain.follower.tokens.has(address)
        ? 'a token contract'
        : chain.follower.market.get(address) === undefined
          ? undefined
          : 'a pool';
  if (reason !== undefined) {
    addError(fields, name, `${name} must be an account that can use the funds; ${given} is ${reason}.`);
  }
}

function toOrder({ trade, routed, amountIn }: PricedTrade, execution: Execution): SwapOrder {
  const { recipient, sender, deadlineSeconds, reference } = execution;
  return {
    subject: routed === undefined ? { kind: 'WRAP', amount: amountIn } : { kind: 'ROUTE', quote: routed },
    nativeIn: trade.tokenIn.native,
    nativeOut: trade.tokenOut.native,
    slippageBps: trade.slippageBps,
    deadlineSeconds,
    ...(recipient === undefined ? {} : { recipient }),
    ...(sender === undefined ? {} : { sender }),
    ...(reference === undefined ? {} : { reference }),
  };
}

async function withinTime(planning: Promise<SwapResult>): Promise<SwapResult | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PLANNING_TIMEOUT_MS, undefined);
  });
  try {
    return await Promise.race([planning, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function planBody(
  priced: PricedTrade,
  { deadlineSeconds }: Execution,
  { instructions, limit, simulation, issues }: Extract<SwapResult, { ok: true }>,
): SwapPlan {
  const { chain, slippageBps } = priced.trade;
  const notAfter = timestampOf(Number(deadlineSeconds) * 1000);
  const swap = instructions.length - 1;
  return {
    // A wrap's bound is its whole amount, written for the side that its trade type leaves open.
    quote: quoteBody(priced, priced.routed === undefined ? limitOf(priced) : limit),
    instructions: instructions.map((call, index) => ({
      ...callBody(call, chain.chainId),
      // An approval has no price to slip, but is as pointless as the swap after the deadline.
      constraints: index === swap ? { notAfter, maxSlippageBps: slippageBps } : { notAfter },
    })),
    simulation: simulationBody(simulation),
    ...(issues === undefined ? {} : { issues: issuesBody(issues) }),
  };
}

function callBody({ to, data, value }: PlannedCall, chainId: number) {
  return { kind: 'EVM_CALL' as const, chainId, to: eip55(to), data, value: String(value) };
}

function simulationBody(simulation: Extract<SwapResult, { ok: true }>['simulation']): Simulation {
  if (simulation.status === 'UNAVAILABLE') return { status: 'UNAVAILABLE' };
  const { status, amountIn, amountOut, gasUsed, blockNumber } = simulation;
  return {
    status,
    amountIn: String(amountIn),
    amountOut: String(amountOut),
    gasUsed: String(gasUsed),
    blockNumber: integer(blockNumber),
  };
}

function issuesBody({ balance, allowance }: SwapIssues): NonNullable<SwapPlan['issues']> {
  return {
    balance: balance === null ? null : { actual: String(balance.actual), required: String(balance.required) },
    allowance:
      allowance === null
        ? null
        : {
            actual: String(allowance.actual),
            required: String(allowance.required),
            spender: eip55(allowance.spender),
          },
  };
}
