import { invalidFields, type ProblemFacts, tryLater } from '../problems/problem.ts';
import type { SandboxOutcome } from './sandboxDeps.ts';

/** The problem of an order that the sandbox chain did not carry out. `pointer`: the field that is wrong when it refuses. */
export function sandboxRefused(
  { reason, detail }: Extract<SandboxOutcome, { ok: false }>,
  pointer: string,
): ProblemFacts {
  if (reason === 'REFUSED') return invalidFields([{ pointer, detail }]);
  // The detail of a chain that is away names its node.
  return tryLater('upstream-unavailable', 'The sandbox chain does not answer at the moment.', 1);
}
