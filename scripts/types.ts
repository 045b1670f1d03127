import { join, relative, sep } from 'node:path';
import { runCommand } from './process.ts';
import { repositoryRoot } from './repository.ts';

/** What the compiler says of the tree: its complaints as text, empty when there are none. */
export type TypesResult = { complaints: string };

const PROJECT = /^((apps|packages)\/[^/]+|bench|examples|scripts)\/tsconfig[^/]*\.json$/;
const SOURCE = /^(apps|packages|bench|examples|scripts)\/.*\.ts$/;

/**
 * Compiles every TypeScript project among the given files of the tree. Each source must belong to one of them: a file
 * outside every project would be run and never checked.
 */
export async function checkTypes(files: readonly string[]): Promise<TypesResult> {
  const complaints: string[] = [];
  const checked = new Set<string>();
  for (const project of files.filter((file) => PROJECT.test(file))) {
    const { exitCode, listed, rest } = await compile(project);
    if (exitCode > 128) return { complaints: `${project}: the compiler was stopped\n` };
    for (const file of listed) checked.add(file);
    if (exitCode !== 0) complaints.push(`${project}:\n${rest}`);
  }
  for (const file of files.filter((path) => SOURCE.test(path))) {
    if (!checked.has(file)) complaints.push(`${file}: belongs to no tsconfig, so nothing checks it\n`);
  }
  return { complaints: complaints.join('') };
}

/** Runs the compiler on a project: how it ended, which files of the tree it read, and what it complains about. */
export async function compile(
  project: string,
): Promise<{ exitCode: number; listed: string[]; rest: string }> {
  const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const { exitCode, output } = await runCommand(
    process.execPath,
    [compiler, '-p', project, '--pretty', 'false', '--listFiles'],
    { output: 'collected', graceMs: 500 },
  );
  return { exitCode, ...separateListing(output) };
}

/** Parts the compiler's list of files (below the root, relative to it) from what it complains about. */
function separateListing(output: string): { listed: string[]; rest: string } {
  const listed: string[] = [];
  const rest: string[] = [];
  for (const line of output.split(/\r?\n/)) {
    if (/^(\/|[A-Za-z]:\/)[^()]*\.(ts|mts|cts|json)$/.test(line)) {
      listed.push(relative(repositoryRoot, line).split(sep).join('/'));
    } else if (line !== '') {
      rest.push(`${line}\n`);
    }
  }
  return { listed, rest: rest.join('') };
}
