import { type Address, toAddress } from '@fairway/engine';
import type { TokenTransfer } from '@fairway/evm';
import type { WatchedAddressOf, WatchedContracts } from '@fairway/store';
import { createAddressSet } from './addressSet.ts';

/**
 * Why a transfer is of interest: it came to the deposit address of a plan, pays the wallet of one, or paid a
 * settlement address.
 */
export type Interest = {
  readonly isDeposit: boolean;
  readonly isPayout: boolean;
  readonly settles: boolean;
};

/** Whose transfers are of interest on a chain. Addresses are in lower case. */
export type WatchSet = {
  /** The tokens of all corridors and plans. The list only grows. */
  tokens(): readonly Address[];
  settlementAddresses(): readonly Address[];
  /** How many addresses of plans there are. */
  size(): number;
  add(watched: readonly WatchedAddressOf[]): void;
  addContracts(contracts: WatchedContracts): void;
  /** Undefined for a transfer that concerns nobody. */
  interestOf(transfer: TokenTransfer): Interest | undefined;
};

/** What is watched because of the configuration. */
export type ConfiguredAddresses = {
  readonly tokens: readonly Address[];
  readonly settlementAddresses: readonly Address[];
  /** The accounts that custodians pay wallets from. */
  readonly payoutAddresses: readonly Address[];
};

/** Makes a set of what the configuration names. */
export function createWatchSet(configured: ConfiguredAddresses): WatchSet {
  const tokens = new Set(configured.tokens);
  const settlement = new Set(configured.settlementAddresses);
  const payers = new Set(configured.payoutAddresses);
  const deposits = createAddressSet();
  const beneficiaries = createAddressSet();
  return {
    tokens: () => [...tokens],
    settlementAddresses: () => [...settlement],
    size: () => deposits.size() + beneficiaries.size(),
    add(watched) {
      for (const { address, purpose } of watched)
        (purpose === 'DEPOSIT' ? deposits : beneficiaries).add(address);
    },
    addContracts(contracts) {
      for (const token of contracts.tokens) tokens.add(toAddress(token));
      for (const address of contracts.settlementAddresses) settlement.add(toAddress(address));
    },
    interestOf({ from, to, amount }) {
      if (amount === 0n) return undefined;
      const settles = settlement.has(to);
      const isDeposit = deposits.has(to);
      const isPayout = payers.has(from) && beneficiaries.has(to);
      return settles || isDeposit || isPayout ? { isDeposit, isPayout, settles } : undefined;
    },
  };
}
