import { type ProblemFacts, refuse, tryLater } from '../problems/problem.ts';

/** Work that was not begun, as too much is under way. */
type Overloaded = { readonly ok: false; readonly problem: ProblemFacts };

/** Lets the work of a credential through, or refuses it. */
export type SubmitGate = <Result>(
  credentialId: string,
  work: () => Promise<Result>,
) => Promise<Result | Overloaded>;

/**
 * Lets `most` pieces of work through at once, at most `mostEach` of one credential, and refuses the rest: waiting in
 * line would only make every answer late, and one busy credential would leave no room for the others.
 */
export function createSubmitGate(most: number, mostEach: number): SubmitGate {
  const underWay = new Map<string, number>();
  let total = 0;
  return async (credentialId, work) => {
    const own = underWay.get(credentialId) ?? 0;
    if (own >= mostEach) return overloaded('Too many requests of this credential are waiting for the chain.');
    if (total >= most) return overloaded('Too many requests are waiting for the chain already.');
    total += 1;
    underWay.set(credentialId, own + 1);
    try {
      return await work();
    } finally {
      total -= 1;
      const left = (underWay.get(credentialId) ?? 0) - 1;
      if (left > 0) underWay.set(credentialId, left);
      else underWay.delete(credentialId);
    }
  };
}

function overloaded(detail: string): Overloaded {
  return refuse(tryLater('overloaded', detail, 1));
}
