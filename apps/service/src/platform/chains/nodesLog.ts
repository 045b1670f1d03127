import type { NodesEvent } from '@fairway/evm';
import type { Logger } from 'pino';

/** How often the same thing is logged again. */
const REMIND_MS = 60_000;

/**
 * Logs which node said what when nodes contradict each other, and which node gives no answer. Each combination of
 * nodes is logged once a minute.
 */
export function nodesLog(log: Logger, monotonicMs: () => number): (event: NodesEvent) => void {
  const loggedAtMs = new Map<string, number>();
  return (event) => {
    const subject = subjectOf(event);
    if (monotonicMs() < (loggedAtMs.get(subject) ?? Number.NEGATIVE_INFINITY) + REMIND_MS) return;
    loggedAtMs.set(subject, monotonicMs());
    if (event.type === 'NODE_FAILED') {
      const { node, method, detail } = event;
      log.warn(
        { node, method, detail },
        'A node gives no answer. While enough other nodes answer, only this line shows it',
      );
      return;
    }
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

/** What an event is about. A node that is gone fails at every method, so its failures are one subject. */
function subjectOf(event: NodesEvent): string {
  if (event.type === 'NODE_FAILED') return `${event.type} ${event.node}`;
  const names = 'node' in event.said ? event.said.node : event.said.map(({ node }) => node).join(' ');
  return `${event.type} ${event.method} ${names}`;
}
