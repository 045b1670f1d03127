import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process whose CPU time, of all its threads together, can be read. */
export type MeasuredProcess = {
  readonly child: ChildProcess;
  /** CPU time used so far, in microseconds. */
  cpuUs(): Promise<number>;
  /** Ends it as a user would; resolves when it is gone. */
  stop(): Promise<void>;
};

/** Starts a TypeScript file in a process of its own. Only its errors are shown. `env`: variables that it gets in addition. */
export function startMeasured(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): MeasuredProcess {
  const child = fork(path, args, {
    execArgv: ['--import', import.meta.resolve('./cpuReporter.ts')],
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    child,
    async cpuUs() {
      const answer = once(child, 'message');
      child.send('cpu');
      const [message] = (await answer) as [{ cpuUs: number }];
      return message.cpuUs;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The environment without settings of the service, so that every run measures the same configuration. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(FAIRWAY_|DATABASE_URL$|NODE_OPTIONS$|npm_)/.test(name),
  );
  return Object.fromEntries(kept);
}
