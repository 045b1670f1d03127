import { invalidFields, type Outcome, refuse } from '@fairway/api';
import { isFairwayError, ProblemError } from '@fairway/sdk';
import type { SwapRequest, Swaps } from '@fairway/sdk/swaps';
import { OWN } from './swapRequest.ts';

/** Fields of which the service knows more: which tokens there are, and by which names. */
const KNOWN_BETTER: ReadonlySet<string> = new Set(['/tokenIn', '/tokenOut']);

/** A refusal with what the service says of its tokens, such as the address of a symbol. Without an answer it is as it was. */
export async function withServiceHints(
  swaps: Pick<Swaps, 'plan'>,
  bytes: Uint8Array,
  refused: Extract<Outcome<never>, { ok: false }>,
): Promise<Extract<Outcome<never>, { ok: false }>> {
  const { errors = [] } = refused.problem;
  if (!errors.some(({ pointer }) => KNOWN_BETTER.has(pointer))) return refused;
  const given = Object.entries(JSON.parse(Buffer.from(bytes).toString()) as object);
  const asked = Object.fromEntries(given.filter(([name]) => !OWN.includes(name))) as unknown as SwapRequest;
  try {
    await swaps.plan(asked);
  } catch (error) {
    if (!isFairwayError(error)) throw error;
    if (!(error instanceof ProblemError)) return refused;
    const { errors: hints = [] } = error.problem;
    const better = ({ pointer }: { readonly pointer: string }) =>
      KNOWN_BETTER.has(pointer) ? hints.find((each) => each.pointer === pointer) : undefined;
    return refuse(invalidFields(errors.map((each) => better(each) ?? each)));
  }
  return refused;
}
