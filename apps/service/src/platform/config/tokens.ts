import { dirname, resolve } from 'node:path';
import { type ErrorObject, Ajv } from 'ajv';
import { hasWrongChecksum } from '@fairway/api';
import { ConfigError } from './error.ts';
import { type ConfigFile, ListedToken, TokenListFile } from './schema.ts';
import { readConfigJson } from './json.ts';
import { schemaProblem } from './schemaProblem.ts';

/** A listed token of a chain that is served, and the list that it is from. */
export type ConfiguredToken = ListedToken & { readonly listPath: string };

/**
 * Listed tokens of one chain. Every pair of them is looked up at every factory, for every fee. For 500 tokens these
 * are 124,750 pairs, some 600,000 reads with the usual four fees of V3 and a factory of V2.
 */
const MOST_TOKENS = 500;

const ajv = new Ajv({ allErrors: true, strict: true, verbose: true });
const isListedToken = ajv.compile<ListedToken>(ListedToken);
const isTokenListFile = ajv.compile<TokenListFile>(TokenListFile);

/**
 * The tokens of all lists that a configuration names, without those of chains that it does not serve.
 * @throws ConfigError naming each entry that cannot be read.
 */
export function readTokenLists(
  { chains, tokenLists }: ConfigFile,
  path: string,
  readText: (path: string) => string,
): readonly ConfiguredToken[] {
  const served = new Set(chains.map(({ chainId }) => chainId));
  return tokenLists.flatMap((list) => {
    const listPath = resolve(dirname(path), list);
    const { tokens } = readConfigJson(listPath, readText, isTokenListFile);
    const problems: string[] = [];
    const read = tokens.flatMap((token: unknown, index): ConfiguredToken[] => {
      if (!served.has((token as ListedToken).chainId)) return [];
      if (isListedToken(token)) return [{ ...token, listPath }];
      problems.push(
        ...(isListedToken.errors ?? []).map((error) => `${listPath}: ${entryProblem(error, index)}`),
      );
      return [];
    });
    if (problems.length > 0) throw new ConfigError(problems);
    return read;
  });
}

function entryProblem(error: ErrorObject, index: number): string {
  return schemaProblem({ ...error, instancePath: `/tokens/${index}${error.instancePath}` });
}

/** What is wrong with the tokens of a configuration. */
export function tokenProblems(
  { chains }: ConfigFile,
  tokens: readonly ConfiguredToken[],
  path: string,
): readonly string[] {
  const mistyped = tokens.flatMap(({ address, symbol, listPath }) =>
    hasWrongChecksum(address)
      ? [`${listPath}: ${symbol} ${address}: the EIP-55 checksum is wrong; is it mistyped?`]
      : [],
  );
  const counts = chains.flatMap(({ chainId, wrappedNative }) => {
    const native = wrappedNative.toLowerCase();
    const listed = tokens
      .filter((token) => token.chainId === chainId)
      .map(({ address }) => address.toLowerCase())
      .filter((address) => address !== native);
    const count = new Set(listed).size;
    if (count === 0) return [`${path}: tokenLists: no list has a token of chain ${chainId} to trade.`];
    if (count <= MOST_TOKENS) return [];
    return [
      `${path}: tokenLists: the lists have ${count} tokens of chain ${chainId}, and at most ${MOST_TOKENS} can be followed, because every pair of them is looked up at every factory. Make a list of those that you trade, and name it instead.`,
    ];
  });
  return [...mistyped, ...counts];
}
