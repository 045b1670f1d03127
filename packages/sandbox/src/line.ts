import { NodeUnreachable } from './rpc.ts';

/** Runs pieces of work one after the other, in the order given. Rejects as the work does, or with NodeUnreachable. */
export type Line = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes an empty line. Work that has not begun within `patienceMs` is rejected and never begins, so that no caller
 * waits longer while a node hangs.
 */
export function createLine(patienceMs: number): Line {
  let last: Promise<void> = Promise.resolve();
  return <Result>(work: () => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      let hasGivenUp = false;
      const tired = setTimeout(() => {
        hasGivenUp = true;
        reject(new NodeUnreachable('The sandbox chain is still busy with earlier requests'));
      }, patienceMs);
      last = last.then(async () => {
        clearTimeout(tired);
        if (hasGivenUp) return;
        try {
          resolve(await work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
}
