/**
 * Why nobody can use what an address is paid, on any chain. NATIVE_CURRENCY: zero and EIP-7528's name for native
 * currency. RESERVED: the lowest addresses, which are the router's shorthands and built-in contracts, and those of
 * the OP stack. BURN: an address that people burn funds at. CONTRACT: a contract that is at this address on many
 * chains.
 */
export type UnusableAddress = 'NATIVE_CURRENCY' | 'RESERVED' | 'BURN' | 'CONTRACT';

const NATIVE = ['0x0000000000000000000000000000000000000000', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'];

/** The lowest addresses end here, 0x…dEaD among them. */
const FIRST_UNRESERVED = 0x10000n;

/** The contracts that chains of the OP stack are born with: 0x4200…0000 to 0x4200…ffff. */
const OP_STACK = 0x42n << 152n;

const BURNS = [
  '0xdEAD000000000000000042069420694206942069',
  '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAdDEad',
  '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF',
];

/** Contracts of others that hold nothing for anybody: the first to come can take it, or nobody can. */
export const KNOWN_CONTRACTS: Readonly<Record<string, string>> = {
  Multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  Permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  'the deterministic deployer': '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  'the router of Uniswap V2': '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
  'the factory of Uniswap V2': '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
  'the factory of Uniswap V3': '0x1F98431c8aD98523631AE4a59f267346ea31F984',
  SwapRouter: '0xE592427A0AEce92De3Edee1F18E0157C05861564',
  SwapRouter02: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
  'SwapRouter02 on Base': '0x2626664c2603336E57B271c5C0b26F421741e481',
  Quoter: '0xb27308f9F90D607463bb33eA1BeBb41C27CE5AB6',
  QuoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  'QuoterV2 on Base': '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
  'the position manager of Uniswap V3': '0xC36442b4a4522E871399CD717aBDD847Ab11FE88',
  'the position manager of Uniswap V3 on Base': '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1',
  'the router of Uniswap V2 on Base and Arbitrum': '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
  'the first Universal Router': '0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD',
  'the Universal Router': '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af',
  'the Universal Router on Base': '0x6fF5693b99212Da76ad316178A184AB56D299b43',
  'the pool manager of Uniswap V4': '0x000000000004444c5dc75cB358380D2e3dE08A90',
  'the entry point of ERC-4337, version 0.7': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
};

const KINDS: ReadonlyMap<string, UnusableAddress> = new Map([
  ...NATIVE.map((address) => [address.toLowerCase(), 'NATIVE_CURRENCY'] as const),
  ...BURNS.map((address) => [address.toLowerCase(), 'BURN'] as const),
  ...Object.values(KNOWN_CONTRACTS).map((address) => [address.toLowerCase(), 'CONTRACT'] as const),
]);

/**
 * Why nobody can use what an address in lower case is paid, on any chain; undefined when no reason is known. The
 * contracts of one chain, such as its tokens and pools, are for the caller to know.
 *
 * @example
 * ```ts
 * import { unusableAddress } from '@fairway/evm';
 *
 * unusableAddress('0x000000000000000000000000000000000000dead'); // 'RESERVED'
 * ```
 */
export function unusableAddress(address: string): UnusableAddress | undefined {
  const kind = KINDS.get(address);
  if (kind !== undefined) return kind;
  const value = BigInt(address);
  const isReserved = value < FIRST_UNRESERVED || (value >= OP_STACK && value < OP_STACK + FIRST_UNRESERVED);
  return isReserved ? 'RESERVED' : undefined;
}
