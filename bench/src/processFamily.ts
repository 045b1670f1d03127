import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and all its descendants that run now. */
export function familyOf(pid: number): readonly number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const childrenOf = new Map<number, number[]>();
  for (const line of table.trim().split('\n')) {
    const [member = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), member]);
  }
  const family = [pid];
  for (const member of family) family.push(...(childrenOf.get(member) ?? []));
  return family;
}

/** Those of the processes that have not ended. */
export function stillRunning(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => {
    try {
      process.kill(pid, 0);
    } catch {
      return false;
    }
    return !isZombie(pid);
  });
}

/** A process that has ended and that nobody has asked about; only Linux shows it this way. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
