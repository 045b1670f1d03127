import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health } from '@fairway/wire';
import { runFairway, type StartedService } from './commandHarness.ts';
import { basic } from './harness.ts';
import type { Login } from './paymentCalls.ts';
import { type PaymentsClient, type PaymentsTest, paymentsClient } from './paymentsHarness.ts';
import type { CopiedDatabase } from './restoreHarness.ts';
import { startSecondInstance } from './secondInstance.ts';

const RESTORED_ENV = { FAIRWAY_SEALING_KEYS: `k1:${'5a'.repeat(32)}` };

/** A service on a database that is put back, and its API. */
export type Served = { readonly service: StartedService; readonly client: PaymentsClient };

/** A service on a database, beside the chain of the sandbox, once the market is read. `smtpUrl`: where its e-mails go. */
export async function serveOn(
  sandbox: PaymentsTest,
  { url }: CopiedDatabase,
  login: Login,
  smtpUrl?: string,
): Promise<Served> {
  const { url: first, rpcUrl, chainId, username, password } = groundOf(sandbox);
  const ground = {
    first: { url: first, rpcUrl, chainId, username, password },
    databaseUrl: url,
    env: RESTORED_ENV,
    ...(smtpUrl === undefined ? {} : { smtpUrl }),
  };
  const service = await startSecondInstance({ ...ground, login: { username, password } });
  const authorization = basic(login.username, login.password);
  await inSync(service.ready.url, authorization);
  return { service, client: paymentsClient(service.ready.url, authorization) };
}

/** Waits until the market of the chain is read. */
async function inSync(url: string, authorization: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
    const { chains } = (await (
      await fetch(`${url}/health`, { headers: { authorization } })
    ).json()) as Health;
    if (chains[0]?.status === 'OK') return;
    await sleep(50);
  }
  assert.fail('The market was never read.');
}

function groundOf({ service, sandbox: { rpcUrl, chainId } }: PaymentsTest) {
  const { url, demo } = service.running;
  assert.ok(demo);
  return { url, rpcUrl, chainId, username: demo.username, password: demo.password };
}

/** Ends a service, which must end well. */
export async function stopService(service: StartedService): Promise<void> {
  assert.equal(await service.stop(), 0);
}

/** Runs a command on a database; what it printed. */
export async function commandOn({ url }: CopiedDatabase, ...args: readonly string[]): Promise<string> {
  const { code, output, printed } = await runFairway(args, { ...RESTORED_ENV, DATABASE_URL: url });
  assert.equal(code, 0, output);
  return printed;
}
