import { posix } from 'node:path';
import type { FolderArrows } from './folderArrows.ts';
import { importsOf } from './sourceText.ts';
import type { Finding } from './tidy.ts';

/** A source file of the tree: its path from the root, and its text. */
export type SourceFile = { path: string; text: string };

/** One import of a file of the tree by another: both paths, and the line (from 1) that imports. */
export type ImportEdge = { from: string; to: string; lineNumber: number };

/**
 * Lists the files that reach one of the given files, these included: by imports, over any number of files. `edges`
 * point from the importing file.
 */
export function filesReaching(
  targets: readonly string[],
  edges: readonly Pick<ImportEdge, 'from' | 'to'>[],
): Set<string> {
  const importers = graphOf(edges.map(({ from, to }) => ({ from: to, to: from })));
  return new Set(targets.flatMap((target) => [target, ...reachableFrom(target, importers)]));
}

/** For each node the nodes it imports. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Lists the imports among the given files: static and dynamic ones, those of types alone, and re-exports.
 * `doors` names the file that stands for a package when it is imported by its name.
 */
export function importEdges(
  sources: readonly SourceFile[],
  doors: Readonly<Record<string, string>>,
): ImportEdge[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap(({ path: from, text }) =>
    importsOf(text).flatMap(({ specifier, lineNumber }) => {
      const to = specifier.startsWith('.')
        ? posix.join(posix.dirname(from), specifier)
        : (doors[specifier] ?? '');
      return paths.has(to) ? [{ from, to, lineNumber }] : [];
    }),
  );
}

/** Lists the circles among files: each group of files that all reach each other is one finding. */
export function fileCircleFindings(edges: readonly ImportEdge[]): Finding[] {
  return knotsOf(graphOf(edges)).map(({ members, circle }) => ({
    place: members[0] ?? '',
    message: `files import each other in a circle: ${circle.join(' -> ')}${othersOf(members, circle)}`,
  }));
}

/**
 * Lists the circles among folders below `root` (a workspace's `src`). Each folder is compared on its own level with
 * its neighbours. Those are its sibling folders, each with everything below it, and the files there, each file for
 * itself. So `index.ts` may export from a folder that imports `types.ts`, and a folder may import its own subfolder.
 * Circles of files alone are left to `fileCircleFindings`, and tests are left out.
 */
export function folderCircleFindings(root: string, edges: readonly ImportEdge[]): Finding[] {
  const inside = edges.filter(({ from, to }) => isBelow(root, from) && isBelow(root, to) && !isTest(from));
  const levels = new Set(inside.flatMap(({ from, to }) => foldersAbove(root, from, to)));
  return [...levels].sort().flatMap((level) => {
    const edgesHere = inside
      .filter(({ from, to }) => isBelow(level, from) && isBelow(level, to))
      .map((edge) => ({ ...edge, from: nodeAt(level, edge.from), to: nodeAt(level, edge.to) }))
      .filter(({ from, to }) => from !== to);
    return knotsOf(graphOf(edgesHere))
      .filter(({ members }) => members.some((member) => member.endsWith('/')))
      .map(({ members, circle }) => ({
        place: level,
        message: `folders import each other in a circle: ${circle.join(' -> ')}${othersOf(members, circle)}`,
      }));
  });
}

/**
 * Lists the imports between the folders of a workspace's `src` that `arrows` does not allow. Also lists the folders
 * that `arrows` does not know, and the arrows that no import uses. A subfolder belongs to its folder. Tests may
 * import every folder.
 */
export function folderArrowFindings(
  root: string,
  paths: readonly string[],
  edges: readonly ImportEdge[],
  arrows: FolderArrows,
): Finding[] {
  const findings: Finding[] = [];
  const sources = paths.filter((path) => isBelow(root, path) && /\.(ts|mjs)$/.test(path) && !isTest(path));
  const roomOfPath = (path: string) => roomOf(root, path, Object.keys(arrows));
  const rooms = new Set(sources.map(roomOfPath));
  for (const room of [...rooms].sort()) {
    if (room !== '.' && arrows[room] === undefined) {
      findings.push({ place: `${root}/${room}`, message: `${room} has no arrows: add it to FOLDER_ARROWS` });
    }
  }
  const used = new Set<string>();
  for (const { from, to, lineNumber } of edges) {
    if (!isBelow(root, from) || !isBelow(root, to) || isTest(from)) continue;
    const [room, target] = [roomOfPath(from), roomOfPath(to)];
    if (room === target) continue;
    used.add(`${room} -> ${target}`);
    if (arrows[room]?.includes(target) !== true) {
      findings.push({ place: `${from}:${lineNumber}`, message: `${room} must not import ${target}` });
    }
  }
  for (const [room, targets] of Object.entries(arrows)) {
    if (!rooms.has(room)) {
      findings.push({ place: root, message: `${room} is in FOLDER_ARROWS and not in the tree: take it out` });
      continue;
    }
    for (const target of targets.filter((name) => !used.has(`${room} -> ${name}`))) {
      findings.push({ place: root, message: `no file uses the arrow ${room} -> ${target}: take it out` });
    }
  }
  return findings;
}

/**
 * Lists the imports that reach into a folder of `parts` from outside of it by another file than its door. The door is
 * `index.ts`; `otherDoors` are files that may be imported, too. Tests may look inside.
 */
export function doorFindings(
  parts: string,
  edges: readonly ImportEdge[],
  otherDoors: readonly string[] = [],
): Finding[] {
  return edges.flatMap(({ from, to, lineNumber }) => {
    if (!isBelow(parts, to) || isTest(from) || !from.includes('/src/')) return [];
    const part = `${parts}/${nodeAt(parts, to)}`.replace(/\/$/, '');
    if (isBelow(part, from) || to === `${part}/index.ts` || otherDoors.includes(to)) return [];
    return [
      { place: `${from}:${lineNumber}`, message: `${to} is inside of a part: import ${part}/index.ts` },
    ];
  });
}

/** Lists the folders that hold more than `most` files, not counting tests. */
export function crowdedFindings(paths: readonly string[], most: number): Finding[] {
  const rooms = Map.groupBy(
    paths.filter((path) => /\/src\/.*\.ts$/.test(path) && !isTest(path)),
    (path) => posix.dirname(path),
  );
  return [...rooms]
    .filter(([, files]) => files.length > most)
    .map(([place, files]) => ({
      place,
      message: `${files.length} files are more than ${most}: split the room`,
    }));
}

/** Lists the files whose names begin with the name of their folder, which says nothing more. */
export function repeatedNameFindings(paths: readonly string[]): Finding[] {
  return paths.flatMap((path) => {
    const [folder, name] = [posix.basename(posix.dirname(path)), posix.basename(path)];
    const isRepeated = name.startsWith(folder) && /^[A-Z]/.test(name.slice(folder.length));
    if (!isRepeated || !/\/src\/.*\.ts$/.test(path)) return [];
    return [{ place: path, message: `leave ${folder} out of the name: its folder says it` }];
  });
}

/** The nodes that reach each other, and the shortest circle through the first of them. */
type Knot = { members: string[]; circle: string[] };

function knotsOf(graph: Graph): Knot[] {
  const reached = new Map([...graph.keys()].map((node) => [node, reachableFrom(node, graph)]));
  const done = new Set<string>();
  const knots: Knot[] = [];
  for (const node of [...graph.keys()].sort()) {
    if (done.has(node) || reached.get(node)?.has(node) !== true) continue;
    const members = [...(reached.get(node) ?? [])].filter((other) => reached.get(other)?.has(node)).sort();
    for (const member of members) done.add(member);
    knots.push({ members, circle: shortestCircle(node, graph) });
  }
  return knots;
}

function reachableFrom(start: string, graph: Graph): Set<string> {
  const reached = new Set<string>();
  const queue = [start];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const next of graph.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      queue.push(next);
    }
  }
  return reached;
}

/** The way from a node that lies on a circle back to itself, the node first and last. */
function shortestCircle(start: string, graph: Graph): string[] {
  let ways = [[start]];
  const seen = new Set<string>();
  while (ways.length > 0) {
    const longer: string[][] = [];
    for (const way of ways) {
      for (const next of graph.get(way.at(-1) ?? start) ?? []) {
        if (next === start) return [...way, start];
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
  throw new Error(`${start} lies on no circle`);
}

function graphOf(edges: readonly Pick<ImportEdge, 'from' | 'to'>[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets.add(to));
  }
  return graph;
}

function othersOf(members: readonly string[], circle: readonly string[]): string {
  const others = members.filter((member) => !circle.includes(member));
  return others.length === 0 ? '' : `; also in it: ${others.join(', ')}`;
}

/** Every folder from `root` down that holds both paths. */
function foldersAbove(root: string, from: string, to: string): string[] {
  const folders: string[] = [];
  let folder = posix.dirname(from);
  while (folder === root || isBelow(root, folder)) {
    if (isBelow(folder, to)) folders.push(folder);
    folder = posix.dirname(folder);
  }
  return folders;
}

/** The subfolder (with a slash at its end) or the file directly in `level` that a path belongs to. */
function nodeAt(level: string, path: string): string {
  const rest = path.slice(level.length + 1);
  return rest.includes('/') ? `${rest.slice(0, rest.indexOf('/'))}/` : rest;
}

/** The room of a path: the innermost of the named rooms that it is in, else the folder directly in `root`. */
function roomOf(root: string, path: string, named: readonly string[]): string {
  const inner = named
    .filter((room) => room.includes('/') && isBelow(`${root}/${room}`, path))
    .sort()
    .at(-1);
  if (inner !== undefined) return inner;
  const node = nodeAt(root, path);
  return node.endsWith('/') ? node.slice(0, -1) : '.';
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}
