import { type UnusableAddress, unusableAddress } from '@fairway/evm';

/** The kind of an address at which nobody can use funds: one of every chain, or a contract of this chain. */
export type UnusableAccount = UnusableAddress | 'TOKEN' | 'ROUTER' | 'POOL';

/** The known contracts of a chain. Every address is in lower case. */
export type KnownContracts = {
  isToken(address: string): boolean;
  isPool(address: string): boolean;
  readonly routers: readonly string[];
  readonly others: readonly string[];
};

/** What each kind is, in words that complete "must not be …". */
const WORDS: Readonly<Record<UnusableAccount, string>> = {
  NATIVE_CURRENCY: "the zero address or the native currency's placeholder",
  RESERVED: 'a reserved address',
  BURN: 'an address for burning',
  TOKEN: 'a token contract',
  ROUTER: 'the router contract',
  POOL: 'a pool',
  CONTRACT: 'a contract that nobody can take funds out of',
};

/**
 * What an address is at which nobody can use funds, in words that complete "must not be …"; undefined when no reason is
 * known. This is the list for every use: recipients, senders, deposit addresses and settlement addresses. `address`: in
 * lower case. Without `contracts` only the addresses are recognised that are unusable on every chain.
 */
export function whatUnusable(address: string, contracts?: KnownContracts): string | undefined {
  const kind = unusableAccount(address, contracts);
  return kind && WORDS[kind];
}

/** The kind of an address at which nobody can use funds; undefined when no reason is known. */
export function unusableAccount(address: string, contracts?: KnownContracts): UnusableAccount | undefined {
  // Contracts first: on some chains a token has one of the lowest addresses.
  return (contracts && knownContract(address, contracts)) ?? unusableAddress(address);
}

function knownContract(address: string, contracts: KnownContracts): UnusableAccount | undefined {
  if (contracts.isToken(address)) return 'TOKEN';
  if (contracts.routers.includes(address)) return 'ROUTER';
  if (contracts.isPool(address)) return 'POOL';
  return contracts.others.includes(address) ? 'CONTRACT' : undefined;
}
