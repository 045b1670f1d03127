import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** A process whose program has not begun. Once it begins, its standard input is closed. */
export type HeldProcess = {
  readonly child: ChildProcess;
  /** Lets the program begin, in the same process, with the same id. */
  begin(): void;
};

/**
 * Makes a process whose program waits for `begin`, so that a guardian can be told of the process first. If the
 * program ran at once and this process were killed before it told the guardian, nobody would end the program. If this
 * process ends before `begin`, the program never runs. A program that cannot be run gives exit code 126 or 127.
 *
 * @example
 * ```ts
 * import { type Guardian, spawnHeld } from '@fairway/processes';
 *
 * declare const guardian: Guardian;
 *
 * const { child, begin } = spawnHeld('anvil', ['--port', '0'], { cwd: '/tmp' });
 * if (child.pid !== undefined) guardian.watch(child.pid);
 * begin();
 * ```
 */
export function spawnHeld(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio' | 'shell'>,
): HeldProcess {
  const piped = { ...options, stdio: 'pipe' } as const;
  // Windows has no such shell and no exec within a process: there the program begins at once.
  const child =
    process.platform === 'win32'
      ? spawn(program, args, piped)
      : spawn('/bin/sh', ['-c', 'read -r _ && exec "$0" "$@"', program, ...args], piped);
  // A process that has ended is noticed by its exit, so errors of the pipe can be ignored.
  child.stdin.on('error', () => undefined);
  return { child, begin: () => void child.stdin.end('\n') };
}
