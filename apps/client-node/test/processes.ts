// A service and nodes in processes of their own, as a user runs them, on a real chain and real databases.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startGuardian } from '@fairway/processes';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A start that takes longer than this has failed. */
const START_DEADLINE_MS = 170_000;

/** A server and who may ask it. */
export type Place = { readonly url: string; readonly username: string; readonly password: string };

/** What a node's ready file says. */
export type NodePlace = Place & {
  readonly metricsUrl?: string;
  readonly relayers: readonly {
    readonly relayerId: string;
    readonly address: string;
    readonly chainId: number;
  }[];
};

/** What the ready file of a service with a node says. */
export type ServicePlace = Place & {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly clientNode: NodePlace;
};

/** What a node is configured with. */
export type Given = {
  readonly config: object;
  readonly policy: object;
  readonly environment?: NodeJS.ProcessEnv;
};

/** A process that has written its ready file. */
export type Started<Ready> = { readonly ready: Ready; kill(signal: NodeJS.Signals): Promise<void> };

/** Starts processes; `close` ends all of them and removes their folders. */
export async function createProcesses() {
  const guardian = await startGuardian();
  const folder = mkdtempSync(join(tmpdir(), 'fairway-node-test-'));
  guardian.removeAtEnd(folder);
  const started: Started<unknown>[] = [];

  async function start<Ready>(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Started<Ready>> {
    const readyFile = join(folder, `ready-${started.length}.json`);
    const child = spawn(process.execPath, [...args, '--ready-file', readyFile], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: '', ...env },
    });
    if (child.pid !== undefined) guardian.watch(child.pid);
    let output = '';
    const collect = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const deadlineMs = performance.now() + START_DEADLINE_MS;
    while (!existsSync(readyFile)) {
      if (hasEnded(child)) throw new Error(`It ended before it was ready:\n${output}`);
      if (performance.now() > deadlineMs) throw new Error(`It was not ready in time:\n${output}`);
      await sleep(50);
    }
    const running = {
      ready: JSON.parse(readFileSync(readyFile, 'utf8')) as Ready,
      async kill(signal: NodeJS.Signals) {
        rmSync(readyFile, { force: true });
        if (hasEnded(child)) return;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill(signal);
        await ended;
      },
    };
    started.push(running);
    return running;
  }

  return {
    folder,
    /** A service in its sandbox, with a node beside it unless it is to be alone. */
    service: (isAlone = false) =>
      start<ServicePlace>([
        ...['apps/service/src/main.ts', 'start', '--port', '0', '--log-level', 'error'],
        ...(isAlone ? [] : ['--client-node']),
      ]),
    /** A node beside a sandbox, with data of its own. `policy`: what it may sign; absent: all that the sandbox has. */
    node(sandbox: Place, name: string, policy?: object) {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(sandbox));
      const data = join(folder, name);
      const options = ['--sandbox', file, '--data', data, '--port', '0', '--log-level', 'error'];
      const policyFile = join(folder, `${name}-policy.json`);
      if (policy !== undefined) writeFileSync(policyFile, JSON.stringify(policy));
      const env = policy === undefined ? {} : { FAIRWAY_NODE_POLICY: policyFile };
      return start<NodePlace>(['apps/client-node/src/main.ts', 'start', ...options], env);
    },
    /** Any program that writes a ready file as a node does. */
    program: (...args: readonly string[]) => start<NodePlace>(args),
    /** A node with a configuration and a policy of its own, and what else its environment says. */
    configured: (service: Place, name: string, given: Given) =>
      start<NodePlace>(...configuredNode(folder, service, name, given)),
    async close() {
      for (const each of started.toReversed()) await each.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      await guardian.close();
    },
  };
}

/** The command line and the environment of a node with a configuration of its own. */
function configuredNode(
  folder: string,
  service: Place,
  name: string,
  { config, policy, environment }: Given,
): [string[], NodeJS.ProcessEnv] {
  const written = (kind: string, document: object) => {
    const file = join(folder, `${name}-${kind}.json`);
    writeFileSync(file, JSON.stringify(document));
    return file;
  };
  const options = ['--data', join(folder, name), '--config', written('config', config)];
  return [
    ['apps/client-node/src/main.ts', 'start', '--port', '0', '--log-level', 'error', ...options],
    {
      FAIRWAY_NODE_SERVICE_URL: service.url,
      FAIRWAY_NODE_SERVICE_USERNAME: service.username,
      FAIRWAY_NODE_SERVICE_PASSWORD: service.password,
      FAIRWAY_NODE_POLICY: written('policy', policy),
      FAIRWAY_NODE_ENVIRONMENT: 'sandbox',
      ...environment,
    },
  ];
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
