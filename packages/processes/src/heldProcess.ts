import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** A process whose program has not begun. Its standard input is at its end once it has. */
export type HeldProcess = {
  readonly child: ChildProcess;
  /** Lets the program begin, in the same process with the same id. */
  begin(): void;
};

/**
 * Makes a process for a program that waits to begin, so that whoever must end it can be told of it first: a program
 * that runs from the start is nobody's if this process is killed before it has told. Should this process end before
 * `begin`, the program never runs. A program that cannot be run shows as exit code 126 or 127.
 */
export function spawnHeld(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio' | 'shell'>,
): HeldProcess {
  const piped = { ...options, stdio: 'pipe' } as const;
  // Windows has no such shell, and no exec that keeps the process: there the program begins at once.
  const child =
    process.platform === 'win32'
      ? spawn(program, args, piped)
      : spawn('/bin/sh', ['-c', 'read -r _ && exec "$0" "$@"', program, ...args], piped);
  // A process that is gone shows as its exit; a write that meets a closed pipe adds nothing.
  child.stdin.on('error', () => undefined);
  return { child, begin: () => void child.stdin.end('\n') };
}
