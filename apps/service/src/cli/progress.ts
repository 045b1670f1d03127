import type { Terminal } from './terminal.ts';

/** How often a line tells how far it has come where nobody watches a terminal. */
const LINE_EVERY_MS = 5000;

/** How far a long command has come. */
export type Progress = { tell(text: string): void; end(): void };

/** Notes how far it has come: in one line that changes where somebody watches, else in a line now and then. */
export function createProgress(notes: Terminal['notes']): Progress {
  let loggedMs = performance.now();
  let hasLine = false;
  return {
    tell: (text) => {
      if (notes.isTTY === true) {
        notes.write(`\r\x1b[K${text}`);
        hasLine = true;
      } else if (performance.now() - loggedMs >= LINE_EVERY_MS) {
        loggedMs = performance.now();
        notes.write(`${text}\n`);
      }
    },
    end: () => void (hasLine && notes.write('\n')),
  };
}
