import { type Address, amountOf, type Corridor, type RecipientType } from '@fairway/plan';
import { MAX_UINT256 } from '@fairway/wire';
import { isCheckedAddress } from './checkedAddress.ts';
import type { ConfigFile, TokenListFile } from './configSchema.ts';
import { readDuration } from './duration.ts';

type CorridorEntry = NonNullable<ConfigFile['payments']>['corridors'][number];
type ListedToken = TokenListFile['tokens'][number];

const recipientTypeOf: Readonly<Record<Corridor['target']['type'], RecipientType>> = {
  BANK: 'bank',
  WALLET: 'wallet',
  EMONEY: 'emoney',
  EMAIL: 'email',
};

/** A corridor as configured, which was checked before. `confirmations`: those of its chain. */
export function toCorridor(entry: CorridorEntry, confirmations: number): Corridor {
  const { id, source, target, status = 'ACTIVE', modes, settlementTime } = entry;
  const { token, settlementAddress, ...rest } = target;
  return {
    id,
    source: { chainId: source.chainId, token: lower(source.token) },
    target: {
      ...rest,
      chainId: source.chainId,
      token: lower(token),
      settlementAddress: lower(settlementAddress),
    },
    status,
    modes,
    recipientTypes: [recipientTypeOf[target.type]],
    minAmountIn: amountOf(BigInt(entry.minAmountIn ?? '1')),
    maxAmountIn: amountOf(BigInt(entry.maxAmountIn ?? MAX_UINT256)),
    minConfirmations: entry.minConfirmations ?? Math.max(1, confirmations),
    settlementTime,
  };
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}

/** Everything wrong with the configured corridors, a line each. */
export function corridorProblems(
  { chains, payments }: ConfigFile,
  tokens: readonly ListedToken[],
  path: string,
): string[] {
  const corridors = payments?.corridors ?? [];
  const ids = corridors.map(({ id }) => id);
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  const listed = (chainId: number, address: string) =>
    tokens.some(
      (token) => token.chainId === chainId && token.address.toLowerCase() === address.toLowerCase(),
    ) ||
    chains.some(
      (chain) => chain.chainId === chainId && chain.wrappedNative.toLowerCase() === address.toLowerCase(),
    );
  return [
    ...twice.map((id) => `${path}: payments.corridors: ${id} is listed twice.`),
    ...corridors.flatMap((corridor) =>
      faultsOf(corridor, chains, listed).map((fault) => `${path}: corridor ${corridor.id}: ${fault}`),
    ),
  ];
}

function faultsOf(
  { source, target, modes, minAmountIn = '1', maxAmountIn, settlementTime }: CorridorEntry,
  chains: ConfigFile['chains'],
  listed: (chainId: number, address: string) => boolean,
): string[] {
  const faults: string[] = [];
  const { settlementAddress } = target;
  if (!chains.some(({ chainId }) => chainId === source.chainId))
    faults.push(`source.chainId ${source.chainId} is none of the chains.`);
  for (const [key, address] of [
    ['source.token', source.token],
    ['target.token', target.token],
    ['target.settlementAddress', settlementAddress],
  ] as const) {
    if (!isCheckedAddress(address))
      faults.push(`${key} ${address}: the EIP-55 checksum is wrong; is it mistyped?`);
  }
  for (const [key, address] of [
    ['source.token', source.token],
    ['target.token', target.token],
  ] as const) {
    if (!listed(source.chainId, address))
      faults.push(`${key} ${address} is on no token list for chain ${source.chainId}.`);
  }
  if (/^0x0{40}$/.test(settlementAddress) || listed(source.chainId, settlementAddress))
    faults.push('target.settlementAddress must be an account of the custodian, not zero and not a token.');
  if (target.type === 'BANK' && target.country === undefined)
    faults.push('target.country is missing; BANK needs it.');
  if (modes.includes('DIGITAL_COLLECT') !== (target.type === 'EMAIL'))
    faults.push('modes: DIGITAL_COLLECT goes with target.type EMAIL, and only with it.');
  if (target.type === 'EMAIL' && modes.includes('STANDARD'))
    faults.push('modes: STANDARD needs a target that is paid directly, not EMAIL.');
  if (maxAmountIn !== undefined && BigInt(maxAmountIn) < BigInt(minAmountIn))
    faults.push('maxAmountIn is less than minAmountIn.');
  for (const [key, text] of Object.entries(settlementTime)) {
    const duration = readDuration(text, 0, 0);
    if (!duration.ok) faults.push(`settlementTime.${key} must be ${duration.must}.`);
  }
  return faults;
}
