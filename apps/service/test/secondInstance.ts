import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@fairway/plan';
import { planDeployment } from '@fairway/sandbox';
import type { Corridor } from '@fairway/wire';
import { callerOf, fairway, type Login } from './paymentCalls.ts';
import { freshFolder, type Ready, type ServiceProcess, startProcess } from './processHarness.ts';

/** What a second service uses: a running sandbox, a credential for it, and its database. */
export type SecondInstanceGround = {
  readonly first: Ready;
  readonly login: Login;
  readonly databaseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  /** The server for its e-mails; absent: a closed port, so that e-mails wait for the first service. */
  readonly smtpUrl?: string;
  /** Arguments of node before the program. */
  readonly nodeArgs?: readonly string[];
};

/**
 * Starts a second service beside a sandbox, as an operator does, with the sandbox's chain, corridors and database.
 * Its ready file names no demo credential.
 */
export async function startSecondInstance(ground: SecondInstanceGround): Promise<ServiceProcess> {
  const { first, login, databaseUrl, env, smtpUrl = 'smtp://127.0.0.1:9', nodeArgs = [] } = ground;
  const [node = '', ...program] = fairway;
  const { text } = await callerOf(first.url, login)('/v1/markets/corridors');
  const { contracts, tokens, chainId } = { ...planDeployment(), chainId: first.chainId };
  const folder = freshFolder();
  const list = { name: 'Sandbox', tokens: tokens.map((token) => ({ chainId, ...token })) };
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(list));
  const chain = {
    chainId,
    name: 'Sandbox',
    rpcUrls: [first.rpcUrl],
    wrappedNative: contracts.weth9,
    multicall3: contracts.multicall3,
    factories: [
      { kind: 'UNISWAP_V2', name: 'uniswap-v2', address: contracts.v2Factory },
      { kind: 'UNISWAP_V3', name: 'uniswap-v3', address: contracts.v3Factory },
    ],
    routers: [{ kind: 'SWAP_ROUTER_02', address: contracts.swapRouter02 }],
    confirmations: 1,
    pollIntervalMs: 250,
  };
  const file = join(folder, 'fairway.json');
  const corridors = (JSON.parse(text) as Corridor[]).map(configured);
  const limits = { requestsPerSecond: 10_000 };
  const content = {
    environment: 'sandbox',
    publicUrl: first.url,
    mail: { smtpUrl, from: 'Second <second@sandbox.example>' },
    tokenLists: ['tokens.json'],
    chains: [chain],
    limits,
  };
  writeFileSync(file, JSON.stringify({ ...content, payments: { corridors } }));
  return startProcess(['--port', '0', '--config', file], [node, ...nodeArgs, ...program, 'start'], {
    ...env,
    DATABASE_URL: databaseUrl,
  });
}

/** A corridor in the form of the configuration file. */
function configured({ id, source, target, constraints }: Corridor): object {
  const { type, country, currency, rail, token, custodian, settlementAddress } = target;
  const { modes, minAmountIn, maxAmountIn, minConfirmations, settlementTime } = constraints;
  return {
    id,
    source: { chainId: source.chainId, token: source.token },
    target: defined({ type, country, currency, rail, token, custodian, settlementAddress }),
    ...(type === 'EMAIL' ? { destinations: { wallet: true, bankCountries: ['DE'], emoney: true } } : {}),
    ...{ modes, minAmountIn, maxAmountIn, minConfirmations, settlementTime },
  };
}
