import { defined } from '@fairway/values';
import type { PriorHolding, SwapIssues, SwapResult } from '@fairway/evm';
import { NATIVE_ADDRESS, type Simulation, type SwapPlan } from '@fairway/wire';
import { toAddress } from '@fairway/engine';
import { eip55, type Registrar } from '@fairway/api';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { tokenBody } from '../../platform/chains/tokenBody.ts';
import { quoteBody } from './quoteBody.ts';
import { instructionsOf, type PlannedSwap, planSwap, readSwap } from './planSwap.ts';
import type { ChainsByDigits } from './trade.ts';

/** POST /v1/swap: a fresh quote and the calls that execute it, verified and simulated before they are answered. */
export function registerSwap(registrar: Registrar, chains: ChainsByDigits, nowMs: () => number): void {
  registrar.submit('planSwap', {
    input: (fields) => readSwap(fields, chains, nowMs()),
    async answer(ask) {
      const planned = await planSwap(ask, nowMs());
      if (!planned.ok) return planned;
      return {
        ok: true,
        body: swapBody(planned.value),
        place: String(planned.value.priced.trade.chain.chainId),
      };
    },
  });
}

function swapBody(swap: PlannedSwap): SwapPlan {
  const { priced, limit, simulation, issues } = swap;
  return {
    quote: quoteBody(priced, limit),
    instructions: instructionsOf(swap),
    simulation: simulationBody(simulation, priced.trade.chain),
    ...defined({ issues: issues === undefined ? undefined : issuesBody(issues) }),
  };
}

function simulationBody(
  simulation: Extract<SwapResult, { ok: true }>['simulation'],
  chain: ChainService,
): Simulation {
  if (simulation.status === 'UNAVAILABLE') return { status: 'UNAVAILABLE' };
  const { status, amountIn, amountOut, gasUsed, blockNumber, priorHoldings } = simulation;
  return {
    status,
    amountIn: String(amountIn),
    amountOut: String(amountOut),
    gasUsed: String(gasUsed),
    blockNumber: Number(blockNumber),
    trust: chain.trust,
    ...(priorHoldings.length === 0
      ? {}
      : { priorHoldings: priorHoldings.map((each) => priorHoldingBody(each, chain)) }),
  };
}

function priorHoldingBody({ holder, token, amount }: PriorHolding, chain: ChainService) {
  return {
    holder: eip55(holder),
    asset: tokenBody(chain.chainId, token ?? toAddress(NATIVE_ADDRESS), chain),
    amount: String(amount),
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
