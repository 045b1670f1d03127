import { invalidFields, type ProblemFacts, tryLater } from '@fairway/api';
import type { SandboxOutcome } from './deps.ts';

/** The problem of an order that the sandbox chain did not carry out. `pointer`: the wrong field of a refused order. */
export function sandboxRefused(
  { reason, detail }: Extract<SandboxOutcome, { ok: false }>,
  pointer: string,
): ProblemFacts {
  if (reason === 'REFUSED') return invalidFields([{ pointer, detail }]);
  // The given detail is not used, because it could name the chain's node.
  return tryLater('upstream-unavailable', 'The sandbox chain does not answer at the moment.', 1);
}
