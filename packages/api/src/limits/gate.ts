import { type ProblemFacts, tryLater } from '../answers/problemFacts.ts';
import {
  type AllPlaces,
  beginTurn,
  createLines,
  hasPlace,
  isFull,
  joinLine,
  type Need,
  noteAsker,
  type Organisation,
  type OrganisationLines,
  organisationOf,
  takeOld,
  takePlace,
} from './lines.ts';
import { createMeanCosts, createThreadShares, createThreadTurns, type ThreadTurns } from './thread.ts';

/** Whose request it is, and which operation it asks for. Before a secret was checked, its network stands for the organisation. */
export type Asker = {
  readonly organisationId: string;
  readonly operation: string;
};

/** Answers of one kind to one operation take equally long while nothing delays them. Undefined: not comparable. */
export type AnswerKind = string | undefined;

/** The limits of a gate. */
export type GateLimits = {
  readonly places: AllPlaces;
  /** The most requests that wait. Each of the organisations with waiting requests may have an equal share of them. */
  readonly waiting: number;
  /** How long a request may wait before it is refused. */
  readonly waitMs: number;
};

/** What the gate depends on, so that a test can replace it. */
export type GateClock = {
  /** A time that never goes back, in milliseconds. */
  nowMs(): number;
  /** How long the thread has been busy since it started, in milliseconds. */
  busyMs(): number;
  /** Calls back after the requests that have arrived by now were read. */
  afterArrivals(call: () => void): void;
};

/** Decides when a request runs, and refuses it when too many wait. Each method results in the reason of a refusal. */
export type AdmissionGate = {
  /** Runs work that does not wait: at once while the thread has time, else when its organisation has its turn. */
  now(asker: Asker, work: () => void): undefined | ProblemFacts | Promise<ProblemFacts | undefined>;
  /**
   * Runs work that waits for something, as soon as its organisation has its turn and a place is free. `most`: how many
   * requests of the organisation with this need may run and wait, this one included.
   */
  run(
    asker: Asker,
    need: Exclude<Need, 'THREAD'>,
    work: () => Promise<AnswerKind>,
    most?: number,
  ): Promise<ProblemFacts | undefined>;
  /** Whether any request waits. */
  isBusy(): boolean;
  /** Whether the next request of the organisation would be refused. */
  isFull(organisationId: string): boolean;
};

/** The reason of a refusal when an organisation has as many waiting requests as it may have. */
export const FULL = tryLater(
  'overloaded',
  'Too many requests of this organisation are waiting already; send fewer at once.',
  1,
);

/** How often requests are looked for that have waited too long, and how many are refused at once at most. */
const SWEEP_MS = 20;
const REFUSED_AT_ONCE = 64;
/** The clock of the process. */
const PROCESS_CLOCK: GateClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
  afterArrivals: (call) => void setImmediate(call),
};

/**
 * Makes the gate that every operation passes after its credential was checked. While the thread has time and places are
 * free, a request runs at once. Else it waits in the line of its organisation, and the organisation whose requests
 * have used the thread least has the next turn. So an organisation that sends too much delays itself, not others.
 */
export function createAdmissionGate(limits: GateLimits, clock: GateClock = PROCESS_CLOCK): AdmissionGate {
  const lines = createLines(limits.places, limits.waiting, clock.nowMs);
  const turns = createThreadTurns(lines, clock.afterArrivals);
  const { runNow, runHolding } = createCharged(lines, turns, clock);
  const sweepSoon = createSweep(lines, limits.waitMs, clock.nowMs, turns.look);

  /** Lets a request wait for a turn of its organisation. Resolves to the reason of a refusal. */
  function inTurn(of: Organisation, need: Need, start: Start) {
    if (isFull(lines, of)) return FULL;
    const { promise, resolve, reject } = Promise.withResolvers<ProblemFacts | undefined>();
    joinLine(lines, of, need, {
      sinceMs: clock.nowMs(),
      start: () => void settled(start).then(resolve, reject),
      refuse: () => resolve(tooLate(limits.waitMs)),
    });
    if (hasPlace(lines, of, need)) turns.look();
    sweepSoon();
    return promise;
  }

  /** Starts a request now if it can run, else in a turn of its organisation. */
  function admit(
    organisationId: string,
    need: Need,
    startOf: (of: Organisation) => ReturnType<Start>,
    most = Number.POSITIVE_INFINITY,
  ) {
    const of = organisationOf(lines, organisationId);
    if (of.held[need] + of.lines[need].length >= most) return FULL;
    noteAsker(lines, of, need);
    const start = () => startOf(of);
    return turns.hasTime() && hasPlace(lines, of, need) ? start() : inTurn(of, need, start);
  }

  return {
    now: ({ organisationId }, work) => admit(organisationId, 'THREAD', (of) => runNow(of, work)),
    run: async ({ organisationId, operation }, need, work, most) =>
      admit(organisationId, need, (of) => runHolding(of, need, operation, work), most),
    isBusy: () => lines.inLine.size > 0,
    isFull: (id) => lines.inLine.size > 0 && isFull(lines, lines.organisations.get(id)),
  };
}

/** Makes what runs work, and charges its organisation for the time of the thread. */
function createCharged(lines: OrganisationLines, turns: ThreadTurns, clock: GateClock) {
  const shares = createThreadShares(clock.busyMs);
  const costs = createMeanCosts();

  /** Runs work that does not wait, and charges its time. */
  function runNow(of: Organisation, work: () => void): undefined {
    beginTurn(lines, of);
    const startedMs = clock.nowMs();
    try {
      work();
    } finally {
      const usedMs = clock.nowMs() - startedMs;
      of.spentMs += usedMs;
      shares.exclude(usedMs);
      turns.use(usedMs);
    }
  }

  /** Runs work that waits. Its expected cost is charged at once, and corrected at its end. */
  async function runHolding(of: Organisation, need: Need, name: string, work: Work): Promise<undefined> {
    const leave = takePlace(lines, of, need, costs.expected(name));
    const begunAt = shares.begin();
    const startedMs = clock.nowMs();
    try {
      const working = work();
      turns.use(clock.nowMs() - startedMs);
      const kind = await working;
      if (kind !== undefined)
        lines.beside[need].note(`${name} ${kind}`, clock.nowMs() - startedMs, of.lines[need].length > 0);
    } finally {
      const costMs = shares.end(begunAt);
      costs.add(name, costMs);
      leave(costMs);
      if (lines.inLine.size > 0) turns.look();
    }
  }

  return { runNow, runHolding };
}

type Work = () => Promise<AnswerKind>;
type Start = () => Promise<undefined> | undefined;

/** Starts work at once. An error that it throws becomes a rejection. */
async function settled(start: Start): Promise<undefined> {
  return start();
}

/**
 * Makes the search for requests that have waited too long; it goes on while any request waits. They are not all refused
 * at once, because a refusal uses the thread, too.
 */
function createSweep(
  lines: OrganisationLines,
  waitMs: number,
  nowMs: () => number,
  look: () => void,
): () => void {
  let isDue = false;
  function sweep(): void {
    isDue = false;
    for (const { refuse } of takeOld(lines, nowMs() - waitMs, REFUSED_AT_ONCE)) refuse();
    if (lines.inLine.size === 0) return;
    // An organisation may have become alone, with more places, while nothing else happened.
    look();
    sweepSoon();
  }
  function sweepSoon(): void {
    if (isDue) return;
    isDue = true;
    setTimeout(sweep, SWEEP_MS).unref();
  }
  return sweepSoon;
}

function tooLate(waitMs: number): ProblemFacts {
  return tryLater('overloaded', `The request waited ${waitMs / 1000} s for its turn.`, 1);
}
