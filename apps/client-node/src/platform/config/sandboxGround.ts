import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainPolicy } from '@fairway/policies';
import { type Connection, ConnectionError } from '@fairway/sdk';
import { NATIVE } from '@fairway/sdk/checks';
import { createMarkets } from '@fairway/sdk/markets';
import { createSandbox } from '@fairway/sdk/sandbox';
import { openKeystore, writeNewKeystore } from '../signers/keystoreFile.ts';
import type { OpenSigner } from '../signers/openSigner.ts';
import type { SignedChain } from './chains.ts';
import { ConfigError } from './error.ts';
import { givenPolicy, type GivenPolicy } from './policy.ts';

/** A published password: the key is worth nothing beside a sandbox. */
const SANDBOX_PASSWORD = 'sandbox';
const FUNDS_WEI = 100n * 10n ** 18n;
const GWEI = 1_000_000_000n;

/** The chain of a running sandbox, a key that is made and funded there, and a policy that allows all of its tokens. */
export async function sandboxGround(
  connection: Connection,
  dataDirectory: string,
): Promise<{ readonly chain: SignedChain<OpenSigner>; readonly policy: GivenPolicy }> {
  const sandbox = createSandbox(connection);
  const { chainId, rpcUrl, routers, wrappedNative, tokens } = await sandbox.get().catch((error: unknown) => {
    if (!(error instanceof ConnectionError)) throw error;
    throw new ConfigError([`--sandbox: the service does not answer (${error.message}).`]);
  });
  const router = (routers as Readonly<Record<string, string>>)['swapRouter02'];
  if (router === undefined) throw new ConfigError(['--sandbox: the sandbox names no router.']);
  const keystore = join(dataDirectory, 'keystore.json');
  if (!existsSync(keystore)) {
    const address = await writeNewKeystore(keystore, SANDBOX_PASSWORD);
    await sandbox.faucet({ address, native: true, amount: String(FUNDS_WEI) });
  }
  return {
    // Its blocks come with transactions alone, so that none would ever have another one on top of it.
    chain: {
      chainId,
      nodeUrls: [rpcUrl],
      confirmations: 0,
      maxFeePerGasCapWei: 1000n * GWEI,
      signers: [{ kind: 'KEYSTORE', ...(await openKeystore(keystore, SANDBOX_PASSWORD)) }],
    },
    policy: playPolicy({
      corridors: await corridorsOf(connection, chainId),
      ...{ chainId, routers: [router.toLowerCase()], wrappedNative: wrappedNative.toLowerCase() },
      tokens: tokens.map(({ address }) => address.toLowerCase()),
    }),
  };
}

/** The corridors as the sandbox says them. Beside real money they are the operator's own copies. */
async function corridorsOf(connection: Connection, chainId: number): Promise<ChainPolicy['corridors']> {
  const corridors = await createMarkets(connection).corridors();
  return corridors
    .filter(({ source }) => source.chainId === chainId)
    .map(({ id, source, target }) => ({
      corridorId: id,
      tokenIn: source.address.toLowerCase(),
      tokenOut: (target.address ?? source.address).toLowerCase(),
      settlementAddress: target.settlementAddress.toLowerCase(),
    }));
}

/** Nothing there has a value, so that all of it may be spent. */
function playPolicy({
  tokens,
  ...chain
}: Pick<ChainPolicy, 'chainId' | 'routers' | 'wrappedNative' | 'corridors'> & {
  readonly tokens: readonly string[];
}): GivenPolicy {
  const all = [...new Set([...tokens, NATIVE])];
  const spend = { most: String(2n ** 256n - 1n) };
  const rules = { recipients: 'ANY', maxLifeSec: 3600, simulation: 'DEMANDED' };
  const given = givenPolicy({
    chains: [
      {
        ...chain,
        ...rules,
        tokens: all.map((address) => ({ address, spend })),
        mostGas: '10000000',
        keepWei: '0',
      },
    ],
  });
  if (!given.ok) throw new ConfigError(given.faults.map((fault) => `--sandbox: ${fault}`));
  return given;
}
