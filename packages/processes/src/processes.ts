import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The start time of a process, which tells it from a later process with the same id. Undefined when no such process
 * runs. A zombie counts as not running: it holds nothing and cannot be ended again.
 *
 * @example
 * ```ts
 * import { processIdentity } from '@fairway/processes';
 *
 * const record = { pid: process.pid, identity: processIdentity(process.pid) };
 * const isStillRunning = processIdentity(record.pid) === record.identity;
 * ```
 */
export function processIdentity(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? linuxIdentity(pid) : otherIdentity(pid);
  } catch {
    return undefined;
  }
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the command in parentheses, which may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (startTicks === undefined || state === 'Z' || state === 'X') return undefined;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot}/${startTicks}`;
}

function otherIdentity(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  const [state, ...started] = line.split(/\s+/);
  return state === undefined || state.startsWith('Z') ? undefined : started.join(' ');
}

/**
 * The command line of a running process, arguments separated by spaces; empty when there is no such process.
 *
 * @example
 * ```ts
 * import { commandLine } from '@fairway/processes';
 *
 * commandLine(process.pid); // such as 'node apps/service/src/main.ts start'
 * ```
 */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/**
 * Sends a signal. Does nothing when the process has already ended.
 *
 * @example
 * ```ts
 * import { signalProcess } from '@fairway/processes';
 *
 * declare const pid: number;
 *
 * signalProcess(pid, 'SIGTERM');
 * ```
 */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Ends the process that has this identity: by `signal`, and by SIGKILL after `graceMs`. Resolves when it has ended. A
 * process with the same id but another identity is left alone.
 *
 * @example
 * ```ts
 * import { endProcess, processIdentity } from '@fairway/processes';
 *
 * declare const pid: number;
 *
 * const identity = processIdentity(pid);
 * if (identity !== undefined) await endProcess(pid, identity, 'SIGTERM', 1_000);
 * ```
 */
export async function endProcess(
  pid: number,
  identity: string,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  if (processIdentity(pid) !== identity) return;
  signalProcess(pid, signal);
  const deadline = Date.now() + graceMs;
  while (processIdentity(pid) === identity && Date.now() < deadline) await sleep(20);
  if (processIdentity(pid) !== identity) return;
  signalProcess(pid, 'SIGKILL');
  while (processIdentity(pid) === identity) await sleep(20);
}
