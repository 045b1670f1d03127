import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import pino from 'pino';
import { readConfig } from '../src/platform/config/config.ts';
import { run } from '../src/run.ts';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway } from './commandHarness.ts';

/** A credential: its user name, and its Authorization header. */
export type Login = { readonly username: string; readonly authorization: string };

/** A service as an operator runs it, whose organisation Acme has a second person approve its recipients. */
export type ApprovalTest = {
  /** The service, as `recipientsOn` takes it. */
  readonly running: { service: { readonly url: string; readonly authorization: string } };
  /** A credential with these permissions, or else with all that approving needs. */
  login(organisation: string, permissions?: string): Promise<Login>;
  /** Gives a credential a new password. */
  rotate(username: string): Promise<Login>;
  revoke(username: string): Promise<void>;
  /** Starts the service again on its database, with or without the second person. */
  restart(recipientApproval: 'REQUIRED' | undefined): Promise<void>;
  close(): Promise<void>;
};

const ALL =
  'markets:read,payments:read,payments:write,recipients:read,recipients:write,recipients:approve,events:read';

/** A corridor to accounts in Australia, one to whoever is e-mailed, and one that asks for a check of the payee. */
function corridorsOn(chain: TestChain): object[] {
  const tokenOf = (symbol: string) => chain.tokens.find((token) => token.symbol === symbol)?.address ?? '';
  const shared = {
    source: { chainId: chain.chainId, token: tokenOf('USDC') },
    minConfirmations: 1,
    settlementTime: { min: 'PT1M', max: 'P1D' },
  };
  const target = {
    ...{ currency: 'AUD', conversion: 'PEGGED', custodian: 'Custodian', token: tokenOf('tAUD') },
    settlementAddress: `0x${'5e'.repeat(20)}`,
  };
  return [
    {
      ...{ ...shared, id: 'usdc-aud-bank', modes: ['STANDARD'] },
      target: { ...target, type: 'BANK', country: 'AU' },
    },
    {
      ...{ ...shared, id: 'usdc-aud-collect', modes: ['DIGITAL_COLLECT'] },
      target: { ...target, type: 'EMAIL' },
      destinations: { wallet: true, bankCountries: ['AU'] },
    },
    {
      ...{ ...shared, id: 'usdc-aud-checked', modes: ['STANDARD'] },
      target: { ...target, type: 'BANK', country: 'AU' },
      payeeCheck: { accepted: ['MATCH', 'PARTIAL'] },
    },
  ];
}

/** Starts the service on a chain and a database of its own. */
export async function startApprovalTest(): Promise<ApprovalTest> {
  const [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  const { host, user, database: name } = database.connection;
  const env = {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    FAIRWAY_SEALING_KEYS: `first:${'07'.repeat(32)}`,
  };
  const start = (recipientApproval: 'REQUIRED' | undefined) => {
    const members = {
      publicUrl: 'https://pay.example.com',
      trustedProxies: ['127.0.0.1'],
      mail: { smtpUrl: 'smtp://127.0.0.1:9', from: 'Fairway <collect@pay.example.com>' },
      payments: {
        corridors: corridorsOn(chain),
        organisations: [{ organisation: 'Acme', recipientApproval }],
      },
    };
    const file = writeConfig(chain, freshFolder(), { staleAfterSeconds: 60 }, members);
    const config = readConfig(['--port', '0', '--log-level', 'silent', '--config', file], env);
    return run(config, pino({ level: 'silent' }), new AbortController().signal);
  };
  let service = await start('REQUIRED');
  const running = { service: { url: service.url, authorization: '' } };

  /** Waits until the service has read its chain. */
  const ready = async () => {
    const untilMs = performance.now() + 20_000;
    while (!(await fetch(`${service.url}/readyz`)).ok) {
      assert.ok(performance.now() < untilMs, 'the service is not ready');
      await sleep(20);
    }
  };
  await ready();

  const printedBy = async (...args: string[]) => {
    const { printed } = await runFairway(['credentials', ...args, '--json'], env);
    return JSON.parse(printed) as { username: string; password: string };
  };
  const loginOf = ({ username, password }: { username: string; password: string }): Login => ({
    username,
    authorization: basic(username, password),
  });

  return {
    running,
    login: async (organisation, permissions = ALL) =>
      loginOf(
        await printedBy(
          ...['create', '--environment', 'production', '--organisation', organisation],
          ...['--permissions', permissions],
        ),
      ),
    rotate: async (username) => loginOf(await printedBy('rotate', username)),
    async revoke(username) {
      await runFairway(['credentials', 'revoke', username], env);
    },
    async restart(recipientApproval) {
      await service.close();
      service = await start(recipientApproval);
      running.service = { url: service.url, authorization: '' };
      await ready();
    },
    async close() {
      await service.close();
      await endEverything();
      await chain.close();
      await database.close();
    },
  };
}
