import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cleanEnvironment, type MeasuredProcess, startMeasured } from './measuredProcess.ts';

/** The folder that holds every workspace. */
export const repositoryRoot: string = join(import.meta.dirname, '../../..');

/** A name and a password of the service. */
export type Login = { readonly username: string; readonly password: string };

/** The service as a user starts it, in the built-in sandbox. */
export type MeasuredService = MeasuredProcess & {
  readonly url: string;
  readonly chainId: number;
  readonly demo: Login;
  /** Makes a credential of another organisation: each organisation has a rate limit of its own. */
  createLogin(): Promise<Login>;
};

/**
 * Starts `fairway start` with a temporary folder, which `stop` removes; resolves when the service answers. `env`: variables that it
 * gets in addition.
 */
export async function startMeasuredService(env: NodeJS.ProcessEnv = {}): Promise<MeasuredService> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
  const main = join(repositoryRoot, 'apps/service/src/main.ts');
  const readyFile = join(folder, 'ready.json');
  const data = join(folder, 'data');
  const options = ['--port', '0', '--data', data, '--ready-file', readyFile, '--log-level', 'error'];
  const measured = startMeasured(main, ['start', ...options], env);
  let organisations = 0;
  while (!existsSync(readyFile)) {
    if (measured.child.exitCode !== null || measured.child.signalCode !== null)
      throw new Error('The service ended before it was ready');
    await sleep(20);
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Login & { url: string; chainId: number };
  return {
    ...measured,
    url: ready.url,
    chainId: ready.chainId,
    demo: { username: ready.username, password: ready.password },
    async createLogin() {
      organisations += 1;
      const named = ['--organisation', `Bench ${organisations}`];
      const args = [main, 'credentials', 'create', ...named, '--data', data, '--json'];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { ...cleanEnvironment(), ...env },
      });
      return JSON.parse(stdout) as Login;
    },
    async stop() {
      await measured.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
