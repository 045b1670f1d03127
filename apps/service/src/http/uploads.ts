import type { ProblemFacts } from '../problems/problem.ts';
import { tryLater } from '../problems/problem.ts';

/** How many files arrive or are read at once: of an organisation, and of all. Each takes up to twice its size in memory. */
const [MOST_OF_ONE, MOST_OF_ALL] = [1, 4];

const TOO_MANY = tryLater(
  'rate-limited',
  'A file of this organisation is being imported already; wait until that is answered.',
  2,
);
const FULL = tryLater('overloaded', 'Too many files are being imported; send it again in 5 s.', 5);

/** The files that arrive, or are read. */
export type Uploads = {
  /** Takes a place for a file until `leave` is called, or says why there is none. */
  enter(
    organisationId: string,
  ): { readonly ok: true; leave(): void } | { readonly ok: false; readonly problem: ProblemFacts };
};

/** Makes the places for files, which bound the memory that they take together. */
export function createUploads(): Uploads {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    enter(organisationId) {
      const own = counts.get(organisationId) ?? 0;
      if (own >= MOST_OF_ONE) return { ok: false, problem: TOO_MANY };
      if (all >= MOST_OF_ALL) return { ok: false, problem: FULL };
      all += 1;
      counts.set(organisationId, own + 1);
      let isLeft = false;
      return {
        ok: true,
        leave() {
          if (isLeft) return;
          isLeft = true;
          all -= 1;
          const left = (counts.get(organisationId) ?? 1) - 1;
          if (left > 0) counts.set(organisationId, left);
          else counts.delete(organisationId);
        },
      };
    },
  };
}
