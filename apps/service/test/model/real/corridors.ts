import type { TestChain } from '@fairway/testing';
import { AUSTRALIAN } from '../../paymentsHarness.ts';

/** The account of the custodian: swaps of all corridors go there, and wallets are paid from there. */
export const SETTLEMENT = '0x5e77000000000000000000000000000000000002';
/** The confirmations that the corridors ask for. */
export const CONFIRMATIONS = 2;

/** A corridor of the runs, by what its payments ask for. */
export type Way = (typeof WAYS)[number];
/** To a bank account, to a wallet, to a wallet without a swap, and to what an e-mailed recipient chooses. */
export const WAYS = ['bank', 'bank', 'wallet', 'transfer', 'email'] as const;

/** The symbol of the token that is paid out. */
export const targetOf = (way: Way): string => (way === 'transfer' ? 'USDC' : 'tAUD');

/** The corridors of the configuration. All bring their tokens to the same account of the custodian. */
export function modelCorridors(chainId: number, token: (symbol: string) => string): readonly object[] {
  const corridor = (
    id: string,
    [from, to]: readonly [string, string],
    target: object,
    more: object = {},
  ) => ({
    id,
    source: { chainId, token: token(from) },
    target: { token: token(to), custodian: 'Custodian', settlementAddress: SETTLEMENT, ...target },
    modes: ['STANDARD'],
    minConfirmations: CONFIRMATIONS,
    settlementTime: { min: 'PT1M', max: 'P1D' },
    ...more,
  });
  const pair = ['USDC', 'tAUD'] as const;
  const payoutAddresses = [SETTLEMENT];
  const bank = { type: 'BANK', country: 'AU', currency: 'AUD', rail: 'NPP' };
  return [
    corridor('to-bank', pair, bank),
    corridor('to-wallet', pair, { type: 'WALLET', currency: 'tAUD', payoutAddresses }),
    corridor(
      'to-email',
      pair,
      { type: 'EMAIL', currency: 'AUD', payoutAddresses },
      { modes: ['DIGITAL_COLLECT'], destinations: { wallet: true, bankCountries: ['AU'] } },
    ),
    corridor('to-transfer', ['USDC', 'USDC'], { type: 'WALLET', currency: 'USDC', payoutAddresses }),
    // This corridor makes USDT a known token: transfers of it are seen even where nobody asked for it.
    corridor('usdt-wallet', ['USDT', 'USDT'], { type: 'WALLET', currency: 'USDT', payoutAddresses }),
  ];
}

/** What a payment of a corridor asks for. `own`: what makes its e-mail address its own. */
export function askedOf(way: Way, { chainId }: TestChain, own: string, wallet: string) {
  const mode = way === 'email' ? 'DIGITAL_COLLECT' : 'STANDARD';
  const toWallet = { type: 'wallet', chainId, address: wallet };
  const recipient = {
    bank: AUSTRALIAN,
    wallet: toWallet,
    transfer: toWallet,
    email: { type: 'email', email: emailOf(own), name: 'Jo Citizen' },
  }[way];
  return { corridorId: `to-${way}`, mode, recipient };
}

/** A wallet that nobody else has. */
export function walletOf(own: string): string {
  return `0x${own}`.padEnd(42, 'a');
}

/** An e-mail address that nobody else has. */
export function emailOf(own: string): string {
  return `jo-${own}@example.com`;
}
