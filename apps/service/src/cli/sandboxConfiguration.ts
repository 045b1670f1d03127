import { defined } from '@fairway/values';
import type { Corridor, Sandbox } from '@fairway/wire';
import type { ConfigFile, ListedToken } from '../platform/config/schema.ts';

/** A configuration file, and the token list that it names. */
export type OwnConfiguration = {
  readonly config: ConfigFile;
  readonly tokens: { readonly name: string; readonly tokens: readonly ListedToken[] };
};

/**
 * The configuration of a service that its user runs on the chain of a running sandbox. Its tokens, its corridors and
 * its mail server are those that the sandbox's API tells. `publicUrl`: where the service will be reached.
 * `tokensFile`: the name of the token list beside the configuration.
 */
export function sandboxConfiguration(
  sandbox: Sandbox,
  corridors: readonly Corridor[],
  { publicUrl, tokensFile }: { readonly publicUrl: string; readonly tokensFile: string },
): OwnConfiguration {
  const { chainId, rpcUrl, wrappedNative, multicall3, factories, routers, smtpUrl } = sandbox;
  const named: Readonly<Record<string, string | undefined>> = { ...routers };
  const chain: ConfigFile['chains'][number] = {
    chainId,
    name: 'Fairway sandbox',
    rpcUrls: [rpcUrl],
    wrappedNative,
    multicall3,
    factories: [...factories],
    routers: [{ kind: 'SWAP_ROUTER_02', address: named['swapRouter02'] ?? '' }],
    confirmations: 1,
    pollIntervalMs: 250,
  };
  return {
    config: {
      environment: 'sandbox',
      publicUrl,
      mail: { smtpUrl, from: 'Fairway <collect@sandbox.fairway.example>' },
      tokenLists: [tokensFile],
      chains: [chain],
      payments: { corridors: corridors.map(corridorEntry) },
    },
    tokens: {
      name: 'Fairway sandbox',
      tokens: sandbox.tokens.map((token) => ({ ...token, name: token.symbol })),
    },
  };
}

type CorridorEntry = NonNullable<ConfigFile['payments']>['corridors'][number];

/** A corridor in the form of the configuration file. */
function corridorEntry({ id, source, target, constraints }: Corridor): CorridorEntry {
  const {
    type,
    country,
    currency,
    conversion,
    rail,
    address,
    custodian,
    settlementAddress,
    payoutAddresses,
  } = target;
  const { status, modes, destinations, minAmountIn, maxAmountIn, dustBelow, paymentApproval, payeeCheck } =
    constraints;
  const { minConfirmations, settlementTime } = constraints;
  return {
    id,
    source: { chainId: source.chainId, token: source.address },
    target: {
      ...{ type, currency, conversion, token: address ?? source.address, custodian, settlementAddress },
      ...defined({ country, rail, payoutAddresses }),
    },
    ...{ status, modes, minAmountIn, maxAmountIn, minConfirmations, settlementTime },
    ...defined({ destinations, dustBelow, paymentApproval, payeeCheck }),
  };
}
