import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { filesReaching, importEdges, type SourceFile } from './importGraph.ts';
import { repositoryRoot, treeFiles } from './repository.ts';
import { stringsOf } from './sourceText.ts';

const SOURCE = /^(apps|packages|bench|examples|scripts)\/.*\.(ts|mjs)$/;
const WORKSPACE = /^(?:(?:apps|packages)\/[^/]+|bench|examples|scripts)\//;

/** The branches that a change is compared with, the first that exists. */
const BASES = ['origin/main', 'main'];

/**
 * Lists the test files that the work tree's change can reach: everything that differs from where this branch left
 * main, committed or not.
 * @throws where git cannot say what changed.
 */
export function changedTests(tests: readonly string[], root: string = repositoryRoot): string[] {
  const changed = changedPaths(root);
  const paths = new Set([...treeFiles(root), ...changed]);
  const textOf = (path: string) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
  const sources = [...paths]
    .filter((path) => SOURCE.test(path))
    .map((path) => ({ path, text: textOf(path) }));
  const manifests = [...paths].filter((path) =>
    /^((apps|packages)\/[^/]+|bench|examples)\/package\.json$/.test(path),
  );
  const doors = Object.assign(
    {},
    ...manifests.map((path) => doorsOf(posix.dirname(path), textOf(path))),
  ) as Doors;
  return reachedTests(tests, changed, sources, doors);
}

type Doors = Readonly<Record<string, string>>;

/** The file that each import of a workspace's name stands for. */
function doorsOf(folder: string, manifest: string): Doors {
  const { name = '', exports = {} } = JSON.parse(manifest || '{}') as { name?: string; exports?: unknown };
  const targets = Object.entries(typeof exports === 'string' ? { '.': exports } : (exports as object));
  return Object.fromEntries([
    [name, `${folder}/src/index.ts`],
    ...targets.flatMap(([key, target]) =>
      typeof target === 'string' ? [[posix.join(name, key), posix.join(folder, target)]] : [],
    ),
  ]) as Doors;
}

/**
 * Lists the tests that these changed files can reach. A source reaches the files that import it, and those that name it in a
 * string, as one does that starts it as a program. No import shows who reads a file that is no source. In a workspace it
 * reaches all that the workspace's sources reach. Markdown elsewhere reaches the sources that name Markdown. Any other file
 * reaches every test.
 */
export function reachedTests(
  tests: readonly string[],
  changed: readonly string[],
  sources: readonly SourceFile[],
  doors: Doors,
): string[] {
  const strings = new Map(sources.map(({ path, text }) => [path, stringsOf(text)]));
  const known = new Set(sources.map(({ path }) => path));
  const named = [...strings].flatMap(([from, texts]) =>
    texts
      .flatMap((text) => [text, posix.join(posix.dirname(from), text)])
      .filter((to) => known.has(to))
      .map((to) => ({ from, to })),
  );
  const begun: string[] = [];
  for (const path of changed) {
    const workspace = WORKSPACE.exec(path)?.[0];
    if (known.has(path)) begun.push(path);
    else if (workspace !== undefined)
      begun.push(...[...known].filter((source) => source.startsWith(workspace)));
    else if (path.endsWith('.md'))
      begun.push(...[...known].filter((source) => strings.get(source)?.some((text) => text.includes('.md'))));
    else return [...tests];
  }
  const reached = filesReaching(begun, [...importEdges(sources, doors), ...named]);
  return tests.filter((test) => reached.has(test));
}

function changedPaths(root: string): string[] {
  const base = BASES.map((branch) => git(root, 'merge-base', branch, 'HEAD')).find(
    (each) => each !== undefined,
  );
  if (base === undefined)
    throw new Error(
      `--changed compares with ${BASES.join(' or ')}, and git finds neither here: run npm test`,
    );
  const lists = [
    git(root, 'diff', '--name-only', '--no-renames', '-z', base.trim()),
    git(root, 'ls-files', '--others', '--exclude-standard', '-z'),
  ];
  return lists.flatMap((list) => (list ?? '').split('\0')).filter((path) => path !== '');
}

/** What git prints; undefined when it fails. */
function git(root: string, ...arguments_: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', arguments_, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? stdout : undefined;
}
