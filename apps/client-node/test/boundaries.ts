// The places where a process is killed: at any time, before and after what it commits, and around a send or a report.
import type { DatabaseProxy, Random } from '@fairway/testing';
import type { Loss } from './lyingService.ts';
import type { UnkindNode } from './unkindNode.ts';

/** A place in the work of a process. */
export type Boundary =
  | 'ANY_TIME'
  | 'BEFORE_COMMIT'
  | 'AFTER_COMMIT'
  | 'BEFORE_SEND'
  | 'AFTER_SEND'
  | 'BEFORE_REPORT'
  | 'AFTER_REPORT';

/** What a process talks to. */
export type Surroundings = {
  readonly proxy: Pick<DatabaseProxy, 'cut' | 'mend'>;
  readonly node: Pick<UnkindNode, 'behave'>;
  /** Calls back at the next report, which is lost. Absent: nothing is reported. */
  readonly onReport?: (loss: Loss, reached: () => void) => void;
};

/** What a relayer or a node writes, each by a part of its query. */
const WRITES = [
  'insert into "executions"',
  'insert into "payments"',
  'update "payments"',
  'set nonce = row.nonce',
  'insert into "attempts"',
  'update attempts',
  'set included_hash',
  'set outcome = row.outcome',
  '"is_cancel_asked"',
];

/** A process that has nothing to do reaches no boundary, and is killed all the same. */
const PATIENCE_MS = 5_000;

type Awaited = { readonly boundary: Boundary; readonly untilMs: number; killed?: Promise<void> };

/**
 * Kills a process at boundaries. `pass` is called at each block until the process was killed: then it says where that was.
 */
export function createReaper(around: Surroundings, random: Random) {
  const { proxy, node, onReport } = around;
  let awaited: Awaited | undefined;

  function waitFor(kill: () => Promise<void>): Awaited {
    const reports = onReport === undefined ? [] : (['BEFORE_REPORT', 'AFTER_REPORT'] as const);
    const boundary = random.pick([
      ...(['ANY_TIME', 'BEFORE_COMMIT', 'AFTER_COMMIT', 'BEFORE_SEND', 'AFTER_SEND'] as const),
      ...reports,
    ]);
    const write = random.pick(WRITES);
    const pauseMs = random.integer(0, 300);
    const waiting: Awaited = { boundary, untilMs: performance.now() + PATIENCE_MS };
    const reach = () => {
      if (awaited === waiting) waiting.killed ??= kill();
    };
    if (boundary === 'ANY_TIME') setTimeout(reach, pauseMs);
    if (boundary === 'BEFORE_COMMIT' || boundary === 'AFTER_COMMIT')
      void proxy.cut({ moment: boundary, isMeant: (sent) => sent.includes(write) }).then(reach);
    if (boundary === 'BEFORE_SEND' || boundary === 'AFTER_SEND')
      node.behave(({ method }) => {
        if (method !== 'eth_sendRawTransaction') return undefined;
        if (boundary === 'AFTER_SEND') return { onTaken: reach };
        reach();
        return 'SILENT_BEFORE';
      });
    if (boundary === 'BEFORE_REPORT') onReport?.('REQUEST', reach);
    if (boundary === 'AFTER_REPORT') onReport?.('ANSWER', reach);
    return waiting;
  }

  return {
    isWaiting: () => awaited !== undefined,
    async pass(kill: () => Promise<void>): Promise<Boundary | undefined> {
      awaited ??= waitFor(kill);
      const { boundary, untilMs, killed } = awaited;
      if (killed === undefined && performance.now() < untilMs) return undefined;
      awaited = undefined;
      proxy.mend();
      node.behave(() => undefined);
      await (killed ?? kill());
      return killed === undefined ? 'ANY_TIME' : boundary;
    },
  };
}

/** How many of `count` may have happened after so many kills: all of a life happens between its kills. */
export function dueOf(count: number, kills: number, life: { readonly kills: number }): number {
  return life.kills === 0 ? count : Math.min(count, 3 + Math.ceil((count * kills) / life.kills));
}

/** Counts how often each boundary was one where a process was killed. */
export function countOf(boundaries: readonly Boundary[]): Readonly<Partial<Record<Boundary, number>>> {
  const counts: Partial<Record<Boundary, number>> = {};
  for (const each of boundaries) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}
