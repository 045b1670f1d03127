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

type Line = { running: number; readonly waiting: Waiting[] };
type Waiting = (hasPlace: boolean) => void;

/** Makes places of which all are free. */
export function createCheckPlaces(limits: PlaceLimits): CheckPlaces {
  /** The networks with checks. The first one in the map has its turn first. */
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;

  const leave = (network: string, line: Line) => {
    if (line.running === 0 && line.waiting.length === 0) lines.delete(network);
  };

  /** Gives free places to those who wait, one for each network in turn. */
  const giveTurns = () => {
    for (const [network, line] of [...lines]) {
      if (running >= limits.all || waiting === 0) return;
      const first = line.running < limits.ofOneNetwork ? line.waiting.shift() : undefined;
      if (first === undefined) continue;
      take(network, line);
      waiting -= 1;
      first(true);
    }
  };

  const take = (network: string, line: Line) => {
    running += 1;
    line.running += 1;
    // Moved to the end: every other network has its turn before this one has another.
    lines.delete(network);
    lines.set(network, line);
  };

  /** Waits for a place. Resolves to false when there is none in time, or when a shorter line needs the room. */
  const wait = (network: string, line: Line) =>
    new Promise<boolean>((resolve) => {
      const done: Waiting = (hasPlace) => {
        clearTimeout(timer);
        resolve(hasPlace);
      };
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(done), 1);
        waiting -= 1;
        leave(network, line);
        done(false);
      }, limits.patienceMs);
      line.waiting.push(done);
      waiting += 1;
    });

  /** Makes room for one more who waits; false when no line is longer than his will be. */
  const makeRoom = (line: Line): boolean => {
    if (waiting < limits.waiting) return true;
    const longest = [...lines.values()].reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a));
    if (longest.waiting.length <= line.waiting.length + 1) return false;
    waiting -= 1;
    longest.waiting.pop()?.(false);
    return true;
  };

  const hasPlace = async (network: string, line: Line, most: number): Promise<boolean> => {
    if (line.running + line.waiting.length >= most) return false;
    if (running < limits.all && line.running < limits.ofOneNetwork && line.waiting.length === 0) {
      take(network, line);
      return true;
    }
    return makeRoom(line) && wait(network, line);
  };

  return {
    async run(network, most, check) {
      const line = lines.get(network) ?? { running: 0, waiting: [] };
      lines.set(network, line);
      if (!(await hasPlace(network, line, most))) {
        leave(network, line);
        return undefined;
      }
      try {
        return await check();
      } finally {
        running -= 1;
        line.running -= 1;
        leave(network, line);
        giveTurns();
      }
    },
  };
}
