import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadAsk, LoadReport } from './loadProgram.ts';

/** A process that sends loads, so that its work takes no time from the measuring process. */
export type LoadProcess = {
  readonly pid: number;
  /** Sends a load. Resolves when it is over. */
  run(ask: LoadAsk): Promise<LoadReport>;
  stop(): void;
};

/** Starts a process that sends loads. */
export function startLoadProcess(): LoadProcess {
  const child: ChildProcess = fork(fileURLToPath(import.meta.resolve('./loadProgram.ts')), {
    execArgv: [],
    serialization: 'advanced',
  });
  return {
    pid: child.pid ?? 0,
    async run(ask) {
      const told = once(child, 'message') as Promise<[LoadReport]>;
      child.send(ask);
      return (await told)[0];
    },
    stop: () => void child.kill(),
  };
}
