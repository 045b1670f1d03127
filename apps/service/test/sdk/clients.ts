import { createFairway, type Fairway } from '@fairway/sdk';
import { createSandbox, type Sandbox, type SandboxFacts } from '@fairway/sdk/sandbox';
import { JsonRpcProvider, Wallet } from 'ethers';
import {
  type Account,
  type Chain,
  createPublicClient,
  createWalletClient,
  http,
  type PublicClient,
} from 'viem';
import type { Transport, WalletClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';
import { startTestService, type TestService } from '../harness.ts';
import { type Wallet as Balances, walletOn } from '../wallet.ts';

/** A wallet of viem and of ethers with the same key, and the tests' own node. */
export type Signers = {
  readonly address: `0x${string}`;
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly node: PublicClient;
  readonly signer: Wallet;
};

/** The real service, asked through the SDK. */
export type SdkTest = {
  readonly service: TestService;
  readonly fairway: Fairway;
  readonly sandbox: Sandbox;
  readonly facts: SandboxFacts;
  readonly router: string;
  readonly balances: Balances;
  token(symbol: string): string;
  /** A client whose answers somebody changes on their way. */
  tampered(change: (path: string, body: never) => unknown): Fairway;
  /** A wallet with native currency, and with so much of some tokens. */
  signers(amounts?: Readonly<Record<string, string>>): Promise<Signers>;
  close(): Promise<void>;
};

const ETHER = '1000000000000000000';

/** Starts a service for tests of the SDK. */
export async function startSdkTest(): Promise<SdkTest> {
  const service = await startTestService();
  const [username = '', password = ''] = atob(service.authorization.replace('Basic ', '')).split(':');
  const options = { url: service.url, username, password };
  const fairway = createFairway(options);
  const sandbox = createSandbox(fairway.connection);
  const facts = await sandbox.get();
  const providers: JsonRpcProvider[] = [];
  const token = (symbol: string) => facts.tokens.find((found) => found.symbol === symbol)?.address ?? '';
  return {
    service,
    fairway,
    sandbox,
    facts,
    router: String(Object.values(facts.routers)[0]),
    balances: walletOn(service),
    token,
    tampered: (change) => createFairway({ ...options, fetch: tampering(change) }),
    async signers(amounts = {}) {
      const key = generatePrivateKey();
      const account = privateKeyToAccount(key);
      const { address } = account;
      await sandbox.faucet({ address, native: true, amount: `10${ETHER.slice(1)}` });
      for (const [symbol, amount] of Object.entries(amounts))
        await sandbox.faucet({
          address,
          asset: { chainId: facts.chainId, address: token(symbol) },
          amount,
        });
      const chain = { ...anvil, id: facts.chainId };
      const transport = http(facts.rpcUrl);
      const provider = new JsonRpcProvider(facts.rpcUrl, facts.chainId, {
        staticNetwork: true,
        cacheTimeout: -1,
        pollingInterval: 50,
      });
      providers.push(provider);
      return {
        address,
        wallet: createWalletClient({ account, chain, transport }),
        node: createPublicClient({ chain, transport, pollingInterval: 50 }) as PublicClient,
        signer: new Wallet(key, provider),
      };
    },
    async close() {
      for (const provider of providers) provider.destroy();
      await service.close();
    },
  };
}

function tampering(change: (path: string, body: never) => unknown): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok) return response;
    const body = change(new URL(input as string).pathname, (await response.json()) as never);
    return new Response(JSON.stringify(body), { status: response.status, headers: response.headers });
  };
}
