import type { judge as Judge, Known, Policy, Proposal } from '../src/index.ts';
import { knownOf, policy as allowing } from './proposals.ts';

/** The codes that a proposal is refused with; none: it is allowed. */
export function codesOf(
  judge: typeof Judge,
  given: { readonly proposal: Proposal; readonly known?: Partial<Known>; readonly policy?: Policy },
): string[] {
  const { proposal, policy = allowing } = given;
  const judgement = judge(policy, proposal, { ...knownOf(proposal), ...given.known });
  return judgement.allowed ? [] : judgement.refusals.map(({ code }) => code);
}
