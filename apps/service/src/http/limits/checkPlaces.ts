/** How many checks run at the same time, of all networks and of one, and how many wait for how long. */
export type PlaceLimits = {
  readonly all: number;
  readonly ofOneNetwork: number;
  readonly waiting: number;
  readonly patienceMs: number;
};

/**
 * The places of checks that are under way. Who waits for a place waits in the line of his network, and networks take
 * turns: many checks from some networks delay a check from another network by one turn of each at most.
 */
export type CheckPlaces = {
  /**
   * Runs a check when it has a place; undefined when it gets none. `most`: how many checks of the network may run and
   * wait, this one included.
   */
  run<Result>(network: string, most: number, check: () => Promise<Result>): Promise<Result | undefined>;
};

/** The checks of a network: how many run, and those that wait. */
type Line = { running: number; readonly waiting: Waiting[] };
type Waiting = (hasPlace: boolean) => void;

type State = {
  readonly limits: PlaceLimits;
  /** The networks with checks. The first one in the map has its turn first. */
  readonly lines: Map<string, Line>;
  running: number;
  waiting: number;
};

/** Makes places of which all are free. */
export function createCheckPlaces(limits: PlaceLimits): CheckPlaces {
  const state: State = { limits, lines: new Map(), running: 0, waiting: 0 };
  return {
    async run(network, most, check) {
      const line = state.lines.get(network) ?? { running: 0, waiting: [] };
      state.lines.set(network, line);
      if (!(await hasPlace(state, network, line, most))) {
        leave(state, network, line);
        return undefined;
      }
      try {
        return await check();
      } finally {
        state.running -= 1;
        line.running -= 1;
        leave(state, network, line);
        giveTurns(state);
      }
    },
  };
}

async function hasPlace(state: State, network: string, line: Line, most: number): Promise<boolean> {
  const { limits, running } = state;
  if (line.running + line.waiting.length >= most) return false;
  if (running < limits.all && line.running < limits.ofOneNetwork && line.waiting.length === 0) {
    take(state, network, line);
    return true;
  }
  return makeRoom(state, line) && wait(state, network, line);
}

function take(state: State, network: string, line: Line): void {
  state.running += 1;
  line.running += 1;
  // Moved to the end: every other network has its turn before this one has another.
  state.lines.delete(network);
  state.lines.set(network, line);
}

/** Makes room for one more who waits; false when no line is longer than his will be. */
function makeRoom(state: State, line: Line): boolean {
  if (state.waiting < state.limits.waiting) return true;
  const longest = [...state.lines.values()].reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a));
  if (longest.waiting.length <= line.waiting.length + 1) return false;
  state.waiting -= 1;
  longest.waiting.pop()?.(false);
  return true;
}

/** Waits for a place. Resolves to false when there is none in time, or when a shorter line needs the room. */
function wait(state: State, network: string, line: Line): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const done: Waiting = (isGiven) => {
      clearTimeout(timer);
      resolve(isGiven);
    };
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(done), 1);
      state.waiting -= 1;
      leave(state, network, line);
      done(false);
    }, state.limits.patienceMs);
    line.waiting.push(done);
    state.waiting += 1;
  });
}

/** Gives free places to those who wait, one for each network in turn. */
function giveTurns(state: State): void {
  for (const [network, line] of [...state.lines]) {
    if (state.running >= state.limits.all || state.waiting === 0) return;
    const first = line.running < state.limits.ofOneNetwork ? line.waiting.shift() : undefined;
    if (first === undefined) continue;
    take(state, network, line);
    state.waiting -= 1;
    first(true);
  }
}

function leave({ lines }: State, network: string, line: Line): void {
  if (line.running === 0 && line.waiting.length === 0) lines.delete(network);
}
