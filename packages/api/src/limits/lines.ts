import { type BesidePlaces, createBesidePlaces } from './besidePlaces.ts';

/**
 * What a request needs while it runs: the thread alone, or a place among those that wait. LIST: for many rows of the
 * database. DATABASE: for a few rows. CHAIN: for a chain, and for the database too.
 */
export type Need = 'THREAD' | 'LIST' | 'DATABASE' | 'CHAIN';

/**
 * How many requests have a place at the same time: of all organisations, and of one that was alone with this need for a
 * second. One beside others may have fewer.
 */
export type Places = { readonly all: number; readonly alone: number };

/** The places of all needs but the thread. */
export type AllPlaces = Readonly<Record<Exclude<Need, 'THREAD'>, Places>>;

/** A request in a line. One of the two functions is called, once. */
export type Waiting = { readonly sinceMs: number; start(): void; refuse(): void };

/** An organisation with its waiting requests and with the places that its running requests have. */
export type Organisation = {
  /** The time of the thread that its requests have used. An organisation that used less begins close to `levelMs`. */
  spentMs: number;
  underWay: number;
  waiting: number;
  readonly held: Record<Need, number>;
  readonly lines: Readonly<Record<Need, Waiting[]>>;
};

type Asked = { readonly of: Organisation; atMs: number };

/** The lines of all organisations. */
export type OrganisationLines = {
  readonly organisations: Map<string, Organisation>;
  /** The organisations with waiting requests. */
  readonly inLine: Set<Organisation>;
  readonly held: Record<Need, number>;
  readonly places: Readonly<Record<Need, Places>>;
  /** For each need the organisation that asked last, and the last one that is another. */
  readonly askers: Record<Need, { last?: Asked; before?: Asked }>;
  readonly beside: Readonly<Record<Need, BesidePlaces>>;
  nowMs(): number;
  /** The most requests that wait. */
  readonly mostWaiting: number;
  /**
   * The time that organisations have spent when their turn comes. An organisation that has spent less may have saved up
   * only a little.
   */
  levelMs: number;
};

/** How much time an organisation can save up by not using it. With more, it could delay others for long afterwards. */
const SAVED_MS = 10;
/** How many organisations are remembered while they have no request. */
const REMEMBERED = 10_000;
const NEEDS: readonly Need[] = ['THREAD', 'LIST', 'DATABASE', 'CHAIN'];
const ENDLESS = Number.POSITIVE_INFINITY;
/** How long an organisation counts as being there after it has asked. */
const THERE_MS = 1_000;

/** Makes lines without requests. */
export function createLines(waiting: AllPlaces, mostWaiting: number, nowMs: () => number): OrganisationLines {
  const places = { ...waiting, THREAD: { all: ENDLESS, alone: ENDLESS } };
  const besideOf = (need: Need) => createBesidePlaces(places[need].alone);
  return {
    organisations: new Map(),
    inLine: new Set(),
    held: noPlaces(),
    places,
    beside: {
      THREAD: besideOf('THREAD'),
      LIST: besideOf('LIST'),
      DATABASE: besideOf('DATABASE'),
      CHAIN: besideOf('CHAIN'),
    },
    askers: { THREAD: {}, LIST: {}, DATABASE: {}, CHAIN: {} },
    mostWaiting,
    nowMs,
    levelMs: 0,
  };
}

function noPlaces(): Record<Need, number> {
  return { THREAD: 0, LIST: 0, DATABASE: 0, CHAIN: 0 };
}

/** The organisation of a new request. */
export function organisationOf(lines: OrganisationLines, id: string): Organisation {
  const { organisations, levelMs } = lines;
  const known = organisations.get(id);
  if (known !== undefined) {
    known.spentMs = Math.max(known.spentMs, levelMs - SAVED_MS);
    return known;
  }
  if (organisations.size >= REMEMBERED) {
    for (const [name, { underWay, waiting }] of organisations)
      if (underWay + waiting === 0) organisations.delete(name);
  }
  const made: Organisation = {
    spentMs: levelMs - SAVED_MS,
    underWay: 0,
    waiting: 0,
    held: noPlaces(),
    lines: { THREAD: [], LIST: [], DATABASE: [], CHAIN: [] },
  };
  organisations.set(id, made);
  return made;
}

/** Whether an organisation has as many waiting requests as it may have. */
export function isFull({ inLine, mostWaiting }: OrganisationLines, of: Organisation | undefined): boolean {
  const sharers = inLine.size + (of === undefined || of.waiting === 0 ? 1 : 0);
  return (of?.waiting ?? 0) >= Math.floor(mostWaiting / sharers);
}

/** Notes that an organisation asks for something. */
export function noteAsker({ askers, nowMs }: OrganisationLines, of: Organisation, need: Need): void {
  const asked = askers[need];
  if (asked.last !== undefined && asked.last.of !== of) asked.before = asked.last;
  asked.last = { of, atMs: nowMs() };
}

/** Whether a place is free for another request of an organisation. */
export function hasPlace(lines: OrganisationLines, of: Organisation, need: Need): boolean {
  const { all, alone } = lines.places[need];
  if (lines.held[need] >= all || of.held[need] >= alone) return false;
  return of.held[need] + 1 <= lines.beside[need].now() || isAlone(lines, of, need);
}

function isAlone({ askers, nowMs }: OrganisationLines, of: Organisation, need: Need): boolean {
  const { last, before } = askers[need];
  const other = last?.of === of ? before : last;
  return other === undefined || nowMs() - other.atMs >= THERE_MS;
}

/** Takes a place, and charges what the request is expected to cost. Returns what ends it, with the true cost. */
export function takePlace(lines: OrganisationLines, of: Organisation, need: Need, expectedMs: number) {
  beginTurn(lines, of);
  of.spentMs += expectedMs;
  of.underWay += 1;
  of.held[need] += 1;
  lines.held[need] += 1;
  return (costMs: number): void => {
    of.spentMs += costMs - expectedMs;
    of.underWay -= 1;
    of.held[need] -= 1;
    lines.held[need] -= 1;
  };
}

/** Notes that an organisation has its turn now. */
export function beginTurn(lines: OrganisationLines, of: Organisation): void {
  lines.levelMs = Math.max(lines.levelMs, of.spentMs);
}

/** Puts a request at the end of its organisation's line. */
export function joinLine(
  { inLine }: OrganisationLines,
  of: Organisation,
  need: Need,
  waiting: Waiting,
): void {
  of.lines[need].push(waiting);
  of.waiting += 1;
  inLine.add(of);
}

/**
 * Takes the next request: from the organisation that has spent least, the one that has waited longest and has a free
 * place. Undefined when none can run. All organisations in line are looked at, at most `mostWaiting`.
 */
export function takeNext(lines: OrganisationLines): Waiting | undefined {
  let found: { of: Organisation; need: Need } | undefined;
  for (const of of lines.inLine) {
    if (found !== undefined && of.spentMs >= found.of.spentMs) continue;
    const need = nextNeed(lines, of);
    if (need !== undefined) found = { of, need };
  }
  return found && takeFirst(lines, found.of, found.need);
}

/** Takes requests out of their lines that have waited since `latestMs` or longer, at most `most` of them. */
export function takeOld(lines: OrganisationLines, latestMs: number, most: number): readonly Waiting[] {
  const old: Waiting[] = [];
  for (const of of lines.inLine) {
    for (const need of NEEDS) {
      while (old.length < most && (of.lines[need][0]?.sinceMs ?? Number.POSITIVE_INFINITY) <= latestMs)
        old.push(takeFirst(lines, of, need));
    }
  }
  return old;
}

function nextNeed(lines: OrganisationLines, of: Organisation): Need | undefined {
  let found: Need | undefined;
  let sinceMs = Number.POSITIVE_INFINITY;
  for (const need of NEEDS) {
    const [first] = of.lines[need];
    if (first === undefined || first.sinceMs >= sinceMs || !hasPlace(lines, of, need)) continue;
    found = need;
    sinceMs = first.sinceMs;
  }
  return found;
}

function takeFirst({ inLine }: OrganisationLines, of: Organisation, need: Need): Waiting {
  const first = of.lines[need].shift();
  if (first === undefined) throw new Error('An empty line has no first request.');
  of.waiting -= 1;
  if (of.waiting === 0) inLine.delete(of);
  return first;
}
