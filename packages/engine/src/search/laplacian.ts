import { solveCholesky } from './cholesky.ts';

/** A symmetric positive definite system with a diagonal and entries of -weight between linked unknowns. */
export type LinkedSystem = {
  size: number;
  readonly diagonal: Float64Array;
  /** The right-hand side; overwritten with the solution. */
  readonly right: Float64Array;
  /** Links so far. Parallel ones add up. */
  linkCount: number;
  readonly linkA: Int32Array;
  readonly linkB: Int32Array;
  readonly weight: Float64Array;
  readonly scratch: Scratch;
};

type Scratch = {
  readonly first: Int32Array;
  readonly links: Int32Array;
  readonly place: Int32Array;
  readonly core: Int32Array;
  readonly coreRight: Float64Array;
  matrix: Float64Array;
};

/** Links an unknown may have to be eliminated before the dense solve: most tokens of a route trade with a few others. */
const MOST_LINKS = 6;

/** Room for a system of at most so many unknowns and links. */
export function createSystem(unknowns: number, links: number): LinkedSystem {
  return {
    size: 0,
    diagonal: new Float64Array(unknowns),
    right: new Float64Array(unknowns),
    linkCount: 0,
    linkA: new Int32Array(links),
    linkB: new Int32Array(links),
    weight: new Float64Array(links),
    scratch: {
      first: new Int32Array(unknowns + 1),
      links: new Int32Array(2 * links),
      place: new Int32Array(unknowns),
      core: new Int32Array(unknowns),
      coreRight: new Float64Array(unknowns),
      matrix: new Float64Array(24 * 24),
    },
  };
}

/**
 * Solves the system. Unknowns with few links, none of them linked to each other, are eliminated one by one.
 * The remaining core, a few tokens that trade with most others, is solved densely.
 */
export function solveLinked(system: LinkedSystem): void {
  const { size, diagonal, right, linkA, linkB, weight, scratch } = system;
  listLinks(system);
  const coreSize = chooseCore(system);
  if (scratch.matrix.length < coreSize * coreSize) scratch.matrix = new Float64Array(2 * coreSize * coreSize);
  const { place, core, coreRight, matrix, first, links } = scratch;
  matrix.fill(0, 0, coreSize * coreSize);
  for (let at = 0; at < coreSize; at += 1) {
    const unknown = core[at] as number;
    matrix[at * coreSize + at] = diagonal[unknown] as number;
    coreRight[at] = right[unknown] as number;
  }
  for (let link = 0; link < system.linkCount; link += 1) {
    const [a, b] = [place[linkA[link] as number] as number, place[linkB[link] as number] as number];
    if (a >= 0 && b >= 0) addEntry(matrix, coreSize, a, b, -(weight[link] as number));
  }
  for (let unknown = 0; unknown < size; unknown += 1)
    if ((place[unknown] as number) < 0) eliminate(system, coreSize, unknown);
  solveCholesky(matrix, coreRight, coreSize);
  for (let at = 0; at < coreSize; at += 1) right[core[at] as number] = coreRight[at] as number;
  for (let unknown = 0; unknown < size; unknown += 1) {
    if ((place[unknown] as number) >= 0) continue;
    let sum = right[unknown] as number;
    for (let at = first[unknown] as number; at < (first[unknown + 1] as number); at += 1) {
      const link = links[at] as number;
      sum += (weight[link] as number) * (right[otherEnd(system, link, unknown)] as number);
    }
    right[unknown] = sum / (diagonal[unknown] as number);
  }
}

function addEntry(matrix: Float64Array, size: number, a: number, b: number, value: number): void {
  const entry = a > b ? a * size + b : b * size + a;
  matrix[entry] = (matrix[entry] as number) + value;
}

function otherEnd({ linkA, linkB }: LinkedSystem, link: number, unknown: number): number {
  return (linkA[link] === unknown ? linkB[link] : linkA[link]) as number;
}

/** Lists each unknown's links one after the other: those of `u` from `first[u]` to `first[u + 1]`. */
function listLinks({ size, linkCount, linkA, linkB, scratch }: LinkedSystem): void {
  const { first, links, place } = scratch;
  first.fill(0, 0, size + 1);
  for (let link = 0; link < linkCount; link += 1) {
    first[(linkA[link] as number) + 1] = (first[(linkA[link] as number) + 1] as number) + 1;
    first[(linkB[link] as number) + 1] = (first[(linkB[link] as number) + 1] as number) + 1;
  }
  for (let unknown = 0; unknown < size; unknown += 1) {
    first[unknown + 1] = (first[unknown + 1] as number) + (first[unknown] as number);
    place[unknown] = first[unknown] as number;
  }
  for (let link = 0; link < linkCount; link += 1)
    for (const end of [linkA[link] as number, linkB[link] as number]) {
      links[place[end] as number] = link;
      place[end] = (place[end] as number) + 1;
    }
}

const ELIMINATED = -1;
const UNDECIDED = -2;

/** Decides which unknowns are eliminated; the others get their place in the core. Returns how many these are. */
function chooseCore(system: LinkedSystem): number {
  const { size, scratch } = system;
  const { first, links, place, core } = scratch;
  place.fill(UNDECIDED, 0, size);
  let coreSize = 0;
  for (let unknown = 0; unknown < size; unknown += 1) {
    const [begin, end] = [first[unknown] as number, first[unknown + 1] as number];
    let free = end - begin <= MOST_LINKS;
    for (let at = begin; free && at < end; at += 1)
      free = place[otherEnd(system, links[at] as number, unknown)] !== ELIMINATED;
    place[unknown] = free ? ELIMINATED : coreSize;
    if (free) continue;
    core[coreSize] = unknown;
    coreSize += 1;
  }
  return coreSize;
}

function eliminate(system: LinkedSystem, coreSize: number, unknown: number): void {
  const { diagonal, right, weight, scratch } = system;
  const { first, links, place, matrix, coreRight } = scratch;
  const pivot = diagonal[unknown] as number;
  const end = first[unknown + 1] as number;
  for (let at = first[unknown] as number; at < end; at += 1) {
    const link = links[at] as number;
    const a = place[otherEnd(system, link, unknown)] as number;
    const share = (weight[link] as number) / pivot;
    coreRight[a] = (coreRight[a] as number) + share * (right[unknown] as number);
    addEntry(matrix, coreSize, a, a, -share * (weight[link] as number));
    for (let next = at + 1; next < end; next += 1) {
      const other = links[next] as number;
      const b = place[otherEnd(system, other, unknown)] as number;
      const entry = share * (weight[other] as number);
      addEntry(matrix, coreSize, a, b, a === b ? -2 * entry : -entry);
    }
  }
}
