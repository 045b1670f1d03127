import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Corridor, Sandbox } from '@fairway/wire';
import { sandboxConfiguration } from '../src/cli/sandboxConfiguration.ts';
import { callerOf, fairway, type Login } from './paymentCalls.ts';
import { startFairway, type StartedService } from './commandHarness.ts';
import { freshFolder, startProcess, type ServiceProcess, type Ready } from './processHarness.ts';

/** What a second service uses: a running sandbox, a credential for it, and its database. */
export type SecondInstanceGround = {
  readonly first: Ready;
  readonly login: Login;
  readonly databaseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  /** The server for its e-mails; absent: a closed port, so that e-mails wait for the first service. */
  readonly smtpUrl?: string;
};

/**
 * Starts a second service beside a sandbox, as an operator does, with the sandbox's chain, corridors and database.
 * Its ready file names no demo credential.
 */
export async function startSecondInstance(ground: SecondInstanceGround): Promise<StartedService> {
  const { args, env } = await secondInstance(ground);
  return startFairway(args, env);
}

/** Starts a second service in a process of its own, which can be killed. `nodeArgs`: arguments of node before the program. */
export async function startSecondProcess(
  ground: SecondInstanceGround & { readonly nodeArgs?: readonly string[] },
): Promise<ServiceProcess> {
  const { args, env } = await secondInstance(ground);
  const [node = '', ...program] = fairway;
  return startProcess(args, env, [node, ...(ground.nodeArgs ?? []), ...program, 'start']);
}

async function secondInstance(ground: SecondInstanceGround) {
  const { first, login, databaseUrl, env, smtpUrl = 'smtp://127.0.0.1:9' } = ground;
  const ask = callerOf(first.url, login);
  const [sandbox, corridors] = await Promise.all(
    ['/v1/sandbox', '/v1/markets/corridors?status=all'].map((path) => ask(path)),
  );
  const { config, tokens } = sandboxConfiguration(
    JSON.parse(sandbox?.text ?? '') as Sandbox,
    JSON.parse(corridors?.text ?? '') as Corridor[],
    { publicUrl: first.url, tokensFile: 'tokens.json' },
  );
  const folder = freshFolder();
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(tokens));
  const file = join(folder, 'fairway.json');
  const mail = { smtpUrl, from: 'Second <second@sandbox.example>' };
  writeFileSync(file, JSON.stringify({ ...config, mail, limits: { requestsPerSecond: 10_000 } }));
  return { args: ['--port', '0', '--config', file], env: { ...env, DATABASE_URL: databaseUrl } };
}
