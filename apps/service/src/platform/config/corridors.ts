import { type Address, amountOf, type Corridor, type RecipientType } from '@fairway/plan';
import { defined, readDuration } from '@fairway/values';
import { MAX_UINT256 } from '@fairway/wire';
import { type KnownContracts, unusableAccount } from '../accounts/unusableAccount.ts';
import { hasWrongChecksum } from '@fairway/api';
import type { ConfigFile, ListedToken } from './schema.ts';

type CorridorEntry = NonNullable<ConfigFile['payments']>['corridors'][number];

/** Where Multicall3 is on nearly every chain. */
export const CANONICAL_MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

const RECIPIENT_TYPE_OF: Readonly<Record<Corridor['target']['type'], RecipientType>> = {
  BANK: 'bank',
  WALLET: 'wallet',
  EMONEY: 'emoney',
  EMAIL: 'email',
};

/**
 * Turns a configured corridor, which was checked before, into a corridor of plans. `confirmations`: those of its
 * chain.
 */
export function toCorridor(entry: CorridorEntry, confirmations: number): Corridor {
  const { id, source, target, status = 'ACTIVE', modes, settlementTime } = entry;
  // The rate's URL may hold a credential: it is no part of a corridor, which plans keep.
  const {
    token,
    settlementAddress,
    payoutAddresses,
    conversion = 'CUSTODIAN',
    rate: _rate,
    ...rest
  } = target;
  return defined({
    id,
    source: { chainId: source.chainId, token: lower(source.token) },
    target: defined({
      ...rest,
      conversion,
      chainId: source.chainId,
      token: lower(token),
      settlementAddress: lower(settlementAddress),
      payoutAddresses: payoutAddresses?.map(lower),
    }),
    status,
    modes,
    recipientTypes: [RECIPIENT_TYPE_OF[target.type]],
    destinations: entry.destinations && toDestinations(entry.destinations),
    minAmountIn: amountOf(BigInt(entry.minAmountIn ?? '1')),
    maxAmountIn: amountOf(BigInt(entry.maxAmountIn ?? MAX_UINT256)),
    dustBelow: entry.dustBelow === undefined ? undefined : amountOf(BigInt(entry.dustBelow)),
    paymentApproval: entry.paymentApproval && { above: amountOf(BigInt(entry.paymentApproval.above)) },
    payeeCheck: entry.payeeCheck,
    minConfirmations: entry.minConfirmations ?? Math.max(1, confirmations),
    settlementTime,
  });
}

function toDestinations({
  wallet = false,
  bankCountries = [],
  emoney = false,
}: NonNullable<CorridorEntry['destinations']>): NonNullable<Corridor['destinations']> {
  return { wallet, bankCountries, emoney };
}

function isNothing({ wallet, bankCountries, emoney }: NonNullable<Corridor['destinations']>): boolean {
  return !wallet && !emoney && bankCountries.length === 0;
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}

/** Lists the faults of the configured corridors, one line each. */
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
  { source, target, modes, destinations, settlementTime, ...entry }: CorridorEntry,
  chains: ConfigFile['chains'],
  listed: (chainId: number, address: string) => boolean,
): string[] {
  const faults: string[] = [];
  const { settlementAddress, payoutAddresses } = target;
  const chain = chains.find(({ chainId }) => chainId === source.chainId);
  if (chain === undefined) faults.push(`source.chainId ${source.chainId} is none of the chains.`);
  for (const [key, address] of [
    ['source.token', source.token],
    ['target.token', target.token],
    ['target.settlementAddress', settlementAddress],
    ...(payoutAddresses ?? []).map((address) => ['target.payoutAddresses', address] as const),
  ] as const) {
    if (hasWrongChecksum(address))
      faults.push(`${key} ${address}: the EIP-55 checksum is wrong; is it mistyped?`);
  }
  for (const [key, address] of [
    ['source.token', source.token],
    ['target.token', target.token],
  ] as const) {
    if (!listed(source.chainId, address))
      faults.push(`${key} ${address} is on no token list for chain ${source.chainId}.`);
  }
  const contracts = configuredContracts(chain, (address) => listed(source.chainId, address));
  if (unusableAccount(settlementAddress.toLowerCase(), contracts) !== undefined)
    faults.push(
      'target.settlementAddress must be an account of the custodian, not a reserved address or a contract.',
    );
  faults.push(...payerFaults(target, destinations, contracts));
  if (target.emoneyProviders !== undefined && target.type !== 'EMONEY' && destinations?.emoney !== true)
    faults.push('target.emoneyProviders: this corridor pays no eMoney wallets.');
  if (target.type === 'BANK' && target.country === undefined)
    faults.push('target.country is missing; BANK needs it.');
  const countries = [target.country, ...(destinations?.bankCountries ?? [])];
  for (const country of countries)
    if (country !== undefined && !isCountry(country)) faults.push(`${country} is no country of ISO 3166-1.`);
  if (modes.includes('DIGITAL_COLLECT') !== (target.type === 'EMAIL'))
    faults.push('modes: DIGITAL_COLLECT goes with target.type EMAIL, and only with it.');
  if ((target.type === 'EMAIL') !== (destinations !== undefined))
    faults.push('destinations: what a recipient may choose goes with target.type EMAIL, which needs it.');
  if (destinations !== undefined && isNothing(toDestinations(destinations)))
    faults.push('destinations: allow wallet, emoney or at least one of bankCountries.');
  if (target.type === 'EMAIL' && entry.payeeCheck !== undefined)
    faults.push('payeeCheck: who is e-mailed gives the details themselves, and nobody has checked them.');
  if (target.type === 'EMAIL' && modes.includes('STANDARD'))
    faults.push('modes: STANDARD needs a target that is paid directly, not EMAIL.');
  return [...faults, ...amountFaults(entry), ...timeFaults(settlementTime)];
}

/** The faults of the accounts that wallets are paid from. */
function payerFaults(
  { type, payoutAddresses }: CorridorEntry['target'],
  destinations: CorridorEntry['destinations'],
  contracts: KnownContracts,
): string[] {
  if (payoutAddresses === undefined) return [];
  if (type !== 'WALLET' && destinations?.wallet !== true)
    return [
      'target.payoutAddresses: they are compared with payouts to wallets, and this corridor pays none.',
    ];
  const lowered = payoutAddresses.map(lower);
  const twice = payoutAddresses.filter((address, index) => lowered.indexOf(lower(address)) !== index);
  const unusable = payoutAddresses.filter(
    (address) => unusableAccount(lower(address), contracts) !== undefined,
  );
  return [
    ...twice.map((address) => `target.payoutAddresses: ${address} is listed twice.`),
    ...unusable.map(
      (address) =>
        `target.payoutAddresses: ${address} must be an account of the custodian, not a reserved address, a token or a router.`,
    ),
  ];
}

/** Codes that have names as well but are no countries: groups of countries, and codes for tests. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

function isCountry(code: string): boolean {
  const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  return countryNames.of(code) !== undefined && !NO_COUNTRIES.has(code);
}

/** The contracts of a chain that the configuration names. */
function configuredContracts(
  chain: ConfigFile['chains'][number] | undefined,
  isListed: (address: string) => boolean,
): KnownContracts {
  const addresses = (named: readonly { readonly address: string }[] = []) =>
    named.map(({ address }) => address.toLowerCase());
  const multicall3 = (chain?.multicall3 ?? CANONICAL_MULTICALL3).toLowerCase();
  return {
    isToken: isListed,
    isPool: () => false,
    routers: addresses(chain?.routers),
    others: [multicall3, ...addresses(chain?.factories)],
  };
}

function amountFaults({
  minAmountIn: least = '1',
  maxAmountIn: most,
  dustBelow = '0',
}: Pick<CorridorEntry, 'minAmountIn' | 'maxAmountIn' | 'dustBelow'>): string[] {
  const beyond = [['minAmountIn', least] as const, ['maxAmountIn', most ?? '0'] as const].filter(
    ([, amount]) => BigInt(amount) > MAX_UINT256,
  );
  if (beyond.length > 0) return beyond.map(([key]) => `${key} is more than 2^256-1.`);
  if (BigInt(dustBelow) > BigInt(least))
    return ['dustBelow is more than minAmountIn, so that a whole deposit could be dust.'];
  return most !== undefined && BigInt(most) < BigInt(least) ? ['maxAmountIn is less than minAmountIn.'] : [];
}

function timeFaults({ min, max }: CorridorEntry['settlementTime']): string[] {
  const [least, most] = [readDuration(min, 0, 0), readDuration(max, 0, 0)];
  if (least.ok && most.ok)
    return most.seconds < least.seconds ? ['settlementTime.max is shorter than min.'] : [];
  return [['min', least] as const, ['max', most] as const].flatMap(([key, duration]) =>
    duration.ok ? [] : [`settlementTime.${key} must be ${duration.must}.`],
  );
}
