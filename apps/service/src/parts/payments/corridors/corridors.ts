import { toAddress } from '@fairway/engine';
import type { TokenInfo } from '@fairway/evm';
import type { Corridor, MaskedRecipient, Recipient, RecipientType } from '@fairway/plan';
import { defined } from '@fairway/values';
import { recipientSchema, type RecipientFacts, type RecipientSchema } from '@fairway/wire';
import type { ChainService } from '../../../platform/chains/chainService.ts';
import { whatUnusable } from '../../../platform/accounts/unusableAccount.ts';
import { contractsOf } from '../../../platform/chains/chainContracts.ts';
import { whyUnusable } from './corridorRoutes.ts';
import { bankFacts } from '../recipient/ibanCountries.ts';
import {
  createEarlierRecipientReader,
  createRecipientReader,
  type RecipientReading,
} from '../recipient/reader.ts';

/** A corridor with its source token and target token as their contracts describe them. */
export type ListedCorridor = {
  readonly corridor: Corridor;
  readonly sourceToken: TokenInfo;
  readonly targetToken: TokenInfo;
};

/** The corridors of this deployment. */
export type Corridors = {
  /**
   * What kind of account an address is, if nobody may be paid or may deposit there; undefined for any other address.
   */
  reserved(address: string, chainId: number): string | undefined;
  find(id: string): Corridor | undefined;
  /**
   * ACTIVE: the corridors that a payment can take now. A corridor is left out until its chain's tokens have been read.
   */
  list(which: 'ACTIVE' | 'ALL'): readonly ListedCorridor[];
  /** Reads a recipient and checks it against the schema from `requirements`. */
  readRecipient(corridor: Corridor, types: readonly RecipientType[], given: unknown): RecipientReading;
  /**
   * Reads a recipient for comparison with the one of an earlier plan. `corridor`: as that plan has it. Undefined when
   * it has not the form of any recipient of the corridor.
   */
  readEarlierRecipient(
    corridor: Corridor,
    types: readonly RecipientType[],
    given: unknown,
  ): Recipient | undefined;
  /** Reads a recipient that is to be kept: of any kind that a corridor of this deployment pays, whether it is ACTIVE or not. */
  readKept(given: unknown): RecipientReading;
  /** Reads a recipient for comparison with the one that was kept, which is of the same kind as this mask. */
  readEarlierKept(masked: MaskedRecipient, given: unknown): Recipient | undefined;
  /**
   * Reads the destination that an e-mailed recipient chose and checks it against the schema from `destinationSchema`.
   */
  readDestination(
    corridor: Corridor,
    type: RecipientType,
    country: string | undefined,
    given: unknown,
  ): RecipientReading;
};

/** The schema of a destination that an e-mailed recipient may choose. `country`: that of the bank account. */
export function destinationSchema(
  corridor: Corridor,
  type: RecipientType,
  country: string | undefined,
): RecipientSchema {
  return recipientSchema(destinationFacts(corridor, type, country));
}

function destinationFacts(
  corridor: Corridor,
  type: RecipientType,
  country: string | undefined,
): RecipientFacts {
  return type === 'bank' && country !== undefined ? bankFacts(country) : factsOf(corridor, type);
}

/** The JSON Schema of one type of recipient of a corridor. */
export function requirements(corridor: Corridor, type: RecipientType): RecipientSchema {
  return recipientSchema(factsOf(corridor, type));
}

/** Makes the corridors over the chains that are served. */
export function createCorridors(
  configured: readonly Corridor[],
  chains: ReadonlyMap<number, ChainService>,
  nowMs: () => number,
): Corridors {
  const byId = new Map(configured.map((corridor) => [corridor.id, corridor]));
  const custodians = new Set(
    configured.map(({ target }) => accountKey(target.chainId, target.settlementAddress)),
  );
  const payers = new Set(
    configured.flatMap(({ target }) =>
      (target.payoutAddresses ?? []).map((address) => accountKey(target.chainId, address)),
    ),
  );
  const contractsOn = (chainId: number) => {
    const chain = chains.get(chainId);
    return chain && contractsOf(chain);
  };
  const reserved = (address: string, chainId: number) => {
    const key = accountKey(chainId, address);
    if (custodians.has(key)) return "a custodian's settlement address";
    if (payers.has(key)) return "a custodian's payout address";
    return whatUnusable(address.toLowerCase(), contractsOn(chainId));
  };
  const read = createRecipientReader({
    forbidden: reserved,
  });
  const readEarlier = createEarlierRecipientReader();
  const kinds = kindsOf(configured);
  const isUsable = (corridor: Corridor) => {
    const chain = chains.get(corridor.source.chainId);
    const isRead = chain?.follower.head() !== undefined;
    return corridor.status === 'ACTIVE' && isRead && whyUnusable(corridor, chain, nowMs()) === undefined;
  };

  return {
    reserved,
    find: (id) => byId.get(id),
    list: (which) =>
      configured
        .filter((corridor) => which === 'ALL' || isUsable(corridor))
        .flatMap((corridor) => listed(corridor, chains.get(corridor.source.chainId))),
    readRecipient: (corridor, types, given) =>
      read(
        given,
        types.map((type) => factsOf(corridor, type)),
      ),
    readEarlierRecipient: (corridor, types, given) =>
      readEarlier(
        given,
        types.map((type) => factsOf(corridor, type)),
      ),
    readKept: (given) => (kinds.length === 0 ? NOTHING_PAID : read(given, kinds)),
    readEarlierKept: (masked, given) => readEarlier(given, [factsOfMasked(masked)]),
    readDestination: (corridor, type, country, given) =>
      read(given, [destinationFacts(corridor, type, country)]),
  };
}

/** The reading of any recipient where there is no corridor. */
const NOTHING_PAID: RecipientReading = {
  ok: false,
  errors: [
    { pointer: '/recipient', detail: 'This deployment has no corridors, so that it takes no recipients.' },
  ],
};

/** Every kind of recipient that corridors pay, once. */
function kindsOf(corridors: readonly Corridor[]): readonly RecipientFacts[] {
  const kinds = corridors.flatMap(({ target, recipientTypes }) =>
    // A kept recipient may be paid along a corridor that has other providers, so that any provider is accepted here.
    recipientTypes.map((type) => factsOf({ target: anyProvider(target) }, type)),
  );
  return [...new Map(kinds.map((facts) => [JSON.stringify(facts), facts])).values()];
}

function anyProvider({ emoneyProviders: _named, ...target }: Corridor['target']): Corridor['target'] {
  return target;
}

function factsOfMasked(masked: MaskedRecipient): RecipientFacts {
  switch (masked.type) {
    case 'bank':
      return bankFacts(masked.country);
    case 'wallet':
      return { type: masked.type, chainId: masked.chainId };
    case 'emoney':
      return { type: masked.type, currency: masked.currency };
    case 'email':
      return { type: masked.type };
  }
}

function factsOf({ target }: Pick<Corridor, 'target'>, type: RecipientType): RecipientFacts {
  switch (type) {
    case 'bank':
      if (target.country === undefined) throw new Error('A corridor to banks has a country.');
      return bankFacts(target.country);
    case 'wallet':
      return { type, chainId: target.chainId };
    case 'emoney':
      return defined({ type, currency: target.currency, providers: target.emoneyProviders });
    case 'email':
      return { type };
  }
}

function accountKey(chainId: number, address: string): string {
  return `${chainId}:${address.toLowerCase()}`;
}

function listed(corridor: Corridor, chain: ChainService | undefined): readonly ListedCorridor[] {
  const { source, target } = corridor;
  const sourceToken = chain?.follower.tokens.get(toAddress(source.token));
  const targetToken = chain?.follower.tokens.get(toAddress(target.token));
  return sourceToken === undefined || targetToken === undefined
    ? []
    : [{ corridor, sourceToken, targetToken }];
}
