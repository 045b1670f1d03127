import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and all its descendants that are running now. */
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

/** The processes that have not ended. */
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

/** Whether a process is a zombie: it has ended and its parent has not waited for it. Only Linux shows this here. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
