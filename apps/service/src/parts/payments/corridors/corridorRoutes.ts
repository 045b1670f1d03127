import { toAddress } from '@fairway/engine';
import { type Amount, amountOf, type Corridor, isLess } from '@fairway/plan';
import type { Logger } from 'pino';
import type { ChainService } from '../../../platform/chains/chainService.ts';
import type { ProblemFacts } from '@fairway/api';
import { routeProblem } from '../instructions.ts';

/** Why a corridor can take no payment now; undefined when it can. The market of the chain must have been read. */
export function whyUnusable(
  corridor: Corridor,
  chain: ChainService,
  nowMs: number,
): ProblemFacts | undefined {
  return routeProblem(corridor, usualAmount(corridor, chain), chain, nowMs);
}

/**
 * Logs which corridors of a chain can take no payment now. This does not stop the service from starting, because pools
 * can change and make the corridor usable later.
 */
export function logCorridorsWithoutRoute(
  corridors: readonly Corridor[],
  chain: ChainService,
  nowMs: number,
  log: Logger,
): void {
  for (const corridor of corridors) {
    if (corridor.source.chainId !== chain.chainId || corridor.status !== 'ACTIVE') continue;
    const problem = whyUnusable(corridor, chain, nowMs);
    if (problem === undefined) continue;
    const { code, detail } = problem;
    const facts = { corridorId: corridor.id, amountIn: usualAmount(corridor, chain), code, detail };
    log.warn(facts, 'This corridor is not listed and takes no payments for now: its swap cannot be derived');
  }
}

/** One whole source token, or the nearest amount that the corridor takes. */
function usualAmount({ source, minAmountIn, maxAmountIn }: Corridor, chain: ChainService): Amount {
  const decimals = chain.follower.tokens.get(toAddress(source.token))?.decimals ?? 0;
  const whole = amountOf(10n ** BigInt(decimals));
  if (isLess(whole, minAmountIn)) return minAmountIn;
  return isLess(maxAmountIn, whole) ? maxAmountIn : whole;
}
