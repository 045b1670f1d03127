import { type ProblemFacts, refuse, tryLater } from '../problems/problem.ts';

/** The answer for work that was not started, because too many requests are running. */
type Overloaded = { readonly ok: false; readonly problem: ProblemFacts };

/** Runs the work of a credential, or refuses it. */
export type SubmitGate = <Result>(
  credentialId: string,
  work: () => Promise<Result>,
) => Promise<Result | Overloaded>;

/**
 * Makes a gate that runs at most `most` pieces of work at the same time, at most `mostEach` of one credential, and
 * refuses more. There is no queue, because it would only make every answer late. The limit of each credential leaves
 * places for the other credentials.
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
