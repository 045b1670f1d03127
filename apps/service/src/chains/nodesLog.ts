import type { NodesEvent } from '@fairway/evm';
import type { Logger } from 'pino';

/** How often the same contradiction is logged again. */
const REMIND_MS = 60_000;

/** Writes into the log which node said what, when nodes contradict each other: each combination once a minute. */
export function nodesLog(log: Logger, monotonicMs: () => number): (event: NodesEvent) => void {
  const loggedAtMs = new Map<string, number>();
  return (event) => {
    const names = 'node' in event.said ? event.said.node : event.said.map(({ node }) => node).join(' ');
    const contradiction = `${event.type} ${event.method} ${names}`;
    if (monotonicMs() < (loggedAtMs.get(contradiction) ?? Number.NEGATIVE_INFINITY) + REMIND_MS) return;
    loggedAtMs.set(contradiction, monotonicMs());
    const { method, said } = event;
    if (event.type === 'NODE_OUTVOTED')
      log.warn(
        { method, said },
        'A node said something else than the nodes that agree, and was not believed. If it happens again, ask its provider or take it out of the configuration',
      );
    else
      log.error(
        { method, said },
        'The nodes contradict each other, so nothing that they said was used. Find out which one is wrong or behind: compare what they said with a block explorer',
      );
  };
}
