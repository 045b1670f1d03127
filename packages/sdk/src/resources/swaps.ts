import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import type { components } from '../generated/schema.ts';

/** A trade to get calls for. */
export type SwapRequest = components['schemas']['SwapPlanRequest'];
/** A fresh quote, and the calls that execute it. */
export type SwapPlan = components['schemas']['SwapPlan'];
/** A call for a wallet. */
export type Instruction = components['schemas']['Instruction'];

/** Calls that execute trades. */
export type Swaps = { plan(request: SwapRequest, options?: CallOptions): Promise<SwapPlan> };

/** The swaps of a service. */
export function createSwaps({ api, sending }: Connection): Swaps {
  return {
    plan: (body, options) => bodyOf(api.POST('/v1/swap', { body, ...sending(options) })),
  };
}
