import { toAddress } from '@fairway/engine';
import type { Corridor, RecipientType } from '@fairway/plan';
import {
  recipientSchema,
  type RecipientFacts,
  type RecipientSchema,
  type Corridor as WireCorridor,
} from '@fairway/wire';
import type { ChainService } from '../chains/chainService.ts';
import { whyUnusable } from './corridorRoutes.ts';
import { eip55 } from '../text/eip55.ts';
import { bankFacts } from '../recipients/ibanCountries.ts';
import { createRecipientReader, type RecipientReading } from '../recipients/recipientReader.ts';

/** The corridors of this deployment. */
export type Corridors = {
  /** What an account is that nobody is to be paid at, or to deposit to; undefined for any other. */
  reserved(address: string, chainId: number): string | undefined;
  find(id: string): Corridor | undefined;
  /** As the API lists them: those that take plans, or all. The same object while nothing has changed. */
  list(which: 'ACTIVE' | 'ALL'): readonly WireCorridor[];
  /** Reads a recipient against the schema that `requirements` answers. */
  readRecipient(corridor: Corridor, types: readonly RecipientType[], given: unknown): RecipientReading;
  /** Reads what a recipient who was e-mailed chose, against the schema that `destinationSchema` gives. */
  readDestination(
    corridor: Corridor,
    type: RecipientType,
    country: string | undefined,
    given: unknown,
  ): RecipientReading;
};

/** The schema of a destination that a recipient who was e-mailed may choose. `country`: of a bank account. */
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

/** The JSON Schema of a kind of recipient of a corridor. */
export function requirements(corridor: Corridor, type: RecipientType): RecipientSchema {
  return recipientSchema(factsOf(corridor, type));
}

/** Makes the corridors over the chains that are served. */
export function createCorridors(
  configured: readonly Corridor[],
  chains: ReadonlyMap<number, ChainService>,
  publicUrl: () => string,
  nowMs: () => number,
): Corridors {
  const byId = new Map(configured.map((corridor) => [corridor.id, corridor]));
  const custodians = new Set(
    configured.map(({ target }) => accountKey(target.chainId, target.settlementAddress)),
  );
  const reserved = (address: string, chainId: number) =>
    custodians.has(accountKey(chainId, address))
      ? "a custodian's settlement address"
      : forbidden(chains.get(chainId), address);
  const read = createRecipientReader({
    forbidden: reserved,
  });
  const isUsable = (corridor: Corridor) => {
    const chain = chains.get(corridor.source.chainId);
    const isRead = chain?.follower.head() !== undefined;
    return corridor.status === 'ACTIVE' && isRead && whyUnusable(corridor, chain, nowMs()) === undefined;
  };
  const lists = { ACTIVE: remembered(), ALL: remembered() };

  return {
    reserved,
    find: (id) => byId.get(id),
    list: (which) =>
      lists[which](
        configured
          .filter((corridor) => which === 'ALL' || isUsable(corridor))
          .flatMap((corridor) => corridorBody(corridor, chains.get(corridor.source.chainId), publicUrl())),
      ),
    readRecipient: (corridor, types, given) =>
      read(
        given,
        types.map((type) => factsOf(corridor, type)),
      ),
    readDestination: (corridor, type, country, given) =>
      read(given, [destinationFacts(corridor, type, country)]),
  };
}

function factsOf({ target }: Corridor, type: RecipientType): RecipientFacts {
  switch (type) {
    case 'bank':
      if (target.country === undefined) throw new Error('A corridor to banks has a country.');
      return bankFacts(target.country);
    case 'wallet':
      return { type, chainId: target.chainId };
    case 'emoney':
      return { type, currency: target.currency };
    case 'email':
      return { type };
  }
}

function accountKey(chainId: number, address: string): string {
  return `${chainId}:${address.toLowerCase()}`;
}

/** Accounts that cannot use what they are paid. */
function forbidden(chain: ChainService | undefined, address: string): string | undefined {
  if (chain === undefined) return undefined;
  const account = toAddress(address);
  if (account === chain.wrappedNative || chain.follower.tokens.has(account)) return 'a token contract';
  if (account === chain.router) return 'the router contract';
  return chain.follower.market.get(account) === undefined ? undefined : 'a pool';
}

/** A corridor as the API shows it; none before its chain's tokens have been read. */
function corridorBody(
  corridor: Corridor,
  chain: ChainService | undefined,
  publicUrl: string,
): readonly WireCorridor[] {
  const { id, source, target } = corridor;
  const from = chain?.follower.tokens.get(toAddress(source.token));
  const to = chain?.follower.tokens.get(toAddress(target.token));
  if (from === undefined || to === undefined) return [];
  const { country, rail, currency, type, custodian, settlementAddress } = target;
  return [
    {
      id,
      source: {
        chainId: source.chainId,
        token: eip55(source.token),
        symbol: from.symbol,
        decimals: from.decimals,
      },
      target: {
        type,
        ...(country === undefined ? {} : { country }),
        currency,
        ...(rail === undefined ? {} : { rail }),
        chainId: target.chainId,
        token: eip55(target.token),
        symbol: to.symbol,
        decimals: to.decimals,
        custodian,
        settlementAddress: eip55(settlementAddress),
      },
      constraints: {
        status: corridor.status,
        modes: [...corridor.modes],
        recipientTypes: [...corridor.recipientTypes],
        minAmountIn: corridor.minAmountIn,
        maxAmountIn: corridor.maxAmountIn,
        minConfirmations: corridor.minConfirmations,
        settlementTime: corridor.settlementTime,
        requirementsUrl: `${publicUrl}/v1/markets/corridors/${id}/requirements`,
      },
    },
  ];
}

/** Keeps a list the same object while its text is: its tag can then be remembered. */
function remembered(): (next: readonly WireCorridor[]) => readonly WireCorridor[] {
  let known: readonly WireCorridor[] = [];
  let knownText = '[]';
  return (next) => {
    const text = JSON.stringify(next);
    if (text !== knownText) [known, knownText] = [next, text];
    return known;
  };
}
