import { NATIVE_ADDRESSES } from '@fairway/wire';

/**
 * The kind of an address at which nobody can use funds. NATIVE_CURRENCY: an address that stands for native currency,
 * such as the zero address. ROUTER_SHORTHAND: SwapRouter02 reads 0x…01 as the sender and 0x…02 as itself. PRECOMPILE:
 * one of the lowest addresses, where chains have built-in contracts.
 */
export type UnusableAccount =
  | 'NATIVE_CURRENCY'
  | 'ROUTER_SHORTHAND'
  | 'PRECOMPILE'
  | 'TOKEN'
  | 'ROUTER'
  | 'POOL'
  | 'OTHER_CONTRACT';

/** The known contracts of a chain. Every address is in lower case. */
export type KnownContracts = {
  isToken(address: string): boolean;
  isPool(address: string): boolean;
  readonly routers: readonly string[];
  readonly others: readonly string[];
};

const ROUTER_SHORTHANDS = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
];
const PRECOMPILES_BELOW = 0x10000n;

/**
 * Why nobody can use funds at an address; undefined when no reason is known. Each caller has a table of the kinds that
 * it refuses, and of its words for them. `address`: in lower case. Without `contracts` only the addresses are
 * recognised that are unusable on every chain.
 */
export function unusableAccount(address: string, contracts?: KnownContracts): UnusableAccount | undefined {
  if (NATIVE_ADDRESSES.includes(address)) return 'NATIVE_CURRENCY';
  if (ROUTER_SHORTHANDS.includes(address)) return 'ROUTER_SHORTHAND';
  // Before precompiles: on some chains a token has one of the lowest addresses.
  const contract = contracts && knownContract(address, contracts);
  if (contract !== undefined) return contract;
  return BigInt(address) < PRECOMPILES_BELOW ? 'PRECOMPILE' : undefined;
}

function knownContract(address: string, contracts: KnownContracts): UnusableAccount | undefined {
  if (contracts.isToken(address)) return 'TOKEN';
  if (contracts.routers.includes(address)) return 'ROUTER';
  if (contracts.isPool(address)) return 'POOL';
  return contracts.others.includes(address) ? 'OTHER_CONTRACT' : undefined;
}
