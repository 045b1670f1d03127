import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { familyOf } from './processFamily.ts';

/**
 * Gives a service the first core for itself. Its database, its chain, this process and what this process starts later use
 * the others. Returns what was done, for the notes of a table; nothing is done where `taskset` is missing.
 */
export function giveOneCore(servicePid: number, otherPids: readonly number[]): string {
  // Not availableParallelism(): it counts only the cores that an earlier benchmark left to this process.
  const cores = cpus().length;
  if (cores < 2) return 'all on one core';
  const others = `1-${cores - 1}`;
  try {
    for (const pid of [process.pid, ...otherPids, ...familyOf(servicePid)]) pin(pid, others);
    pin(servicePid, '0');
  } catch {
    return 'cores not divided: no taskset';
  }
  return 'the service has one core for itself';
}

function pin(pid: number, cores: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}
