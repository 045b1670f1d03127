import type { Erasure } from '@fairway/store';
import { appendErasure } from './erasureFile.ts';

/** Thrown where an erasure cannot be kept outside the database, so that it is not made. */
export class ErasureNotKeptError extends Error {
  override readonly name = 'ErasureNotKeptError';
}

/**
 * Where erasures are kept outside the database. FILE: `keep` appends one. NONE: they are kept nowhere, and the answer says so.
 * MISSING: they cannot be kept, so that nothing is erased.
 */
export type ErasureKeeper =
  | { readonly place: 'FILE'; keep(erasure: Erasure): Promise<void> }
  | { readonly place: 'NONE' | 'MISSING' };

/** The keeper of a deployment. `onFault`: told why a file cannot be written. */
export function createErasureKeeper(
  file: string | undefined,
  environment: 'sandbox' | 'production',
  onFault: (detail: string) => void,
): ErasureKeeper {
  if (file === undefined) return { place: environment === 'production' ? 'MISSING' : 'NONE' };
  return {
    place: 'FILE',
    async keep(erasure) {
      try {
        await appendErasure(file, erasure);
      } catch (error) {
        onFault((error as Error).message);
        throw new ErasureNotKeptError('The file of erasures cannot be written.', { cause: error });
      }
    },
  };
}
