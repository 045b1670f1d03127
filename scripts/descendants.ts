import { readdirSync, readFileSync } from 'node:fs';

/** A living process that some command started, however far down. */
export type Descendant = { pid: number; commandLine: string };

/**
 * Lists the living processes whose environment holds the variable `mark`. They inherited it from the command that was
 * started with it, also in another group or session. Zombies do not count. Linux only; on other systems none are
 * found.
 */
export function descendants(mark: string): Descendant[] {
  if (process.platform !== 'linux') return [];
  const found: Descendant[] = [];
  for (const folder of readdirSync('/proc')) {
    if (!/^\d+$/.test(folder) || Number(folder) === process.pid) continue;
    const environment = readProcess(folder, 'environ');
    if (environment?.includes(`${mark}=`) !== true) continue;
    const commandLine = readProcess(folder, 'cmdline')?.replaceAll('\0', ' ').trim() ?? '';
    found.push({ pid: Number(folder), commandLine });
  }
  return found;
}

/** Reads a file of a process; `undefined` when the process has ended or belongs to somebody else. */
function readProcess(folder: string, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${folder}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
