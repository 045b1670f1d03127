// Token lists are taken as they are published: what is of other chains is not looked at.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from './error.ts';
import { parseConfigFile } from './file.ts';

const folder = join(import.meta.dirname, '../../../../../examples/config');
const configPath = join(folder, 'fairway.json');
const listPath = join(folder, 'tokens.json');

type Entry = Readonly<Record<string, unknown>>;

const NODES = new Proxy({}, { get: () => 'https://node.example', has: () => true });

/** Reads the example with more entries on its list. */
function parse(entries: readonly unknown[]) {
  const list = JSON.parse(readFileSync(listPath, 'utf8')) as { tokens: unknown[] };
  const config = JSON.parse(readFileSync(configPath, 'utf8')) as { chains: Record<string, unknown>[] };
  for (const [index, chain] of config.chains.entries()) {
    delete chain['nodes'];
    delete chain['agreement'];
    chain['rpcUrls'] = [`https://node-${index}.example`];
  }
  const longer = { ...list, tokens: [...list.tokens, ...entries] };
  const texts = new Map([
    [configPath, JSON.stringify(config)],
    [listPath, JSON.stringify(longer)],
  ]);
  return parseConfigFile(configPath, (path) => texts.get(path) ?? readFileSync(path, 'utf8'), NODES);
}

function problemsOf(entries: readonly unknown[]): readonly string[] {
  try {
    parse(entries);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message
      .split('\n')
      .map((line) => line.replace(listPath, 'LIST').replace(configPath, 'FILE'));
  }
}

const tokenOf = (chainId: number, number: number): Entry => ({
  chainId,
  address: `0x${(0x10000 + number).toString(16).padStart(40, '0')}`,
  symbol: 'T',
  name: 'Token',
  decimals: 18,
});
const many = (chainId: number, count: number) =>
  Array.from({ length: count }, (_, index) => tokenOf(chainId, index));

test('entries of chains that are not served are not judged, whatever their form', () => {
  const others = [
    { ...tokenOf(501_000_101, 1), address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    { chainId: 7565164, decimals: 'six' },
    { ...tokenOf(5, 1), address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc3' },
    ...many(10, 900),
  ];
  assert.deepEqual(parse(others).chains, parse([]).chains);
});

test('an entry of a chain that is served is judged, at its place in the list', () => {
  const place = (JSON.parse(readFileSync(listPath, 'utf8')) as { tokens: unknown[] }).tokens.length + 1;
  const others = [{ ...tokenOf(5, 1), address: 'none' }];
  assert.deepEqual(problemsOf([...others, { ...tokenOf(1, 1), address: 'none', decimals: 300 }]), [
    `LIST: tokens[${place}].address is not as it must be. A contract address; a mixed-case one must carry its EIP-55 checksum.`,
    `LIST: tokens[${place}].decimals must be a whole number from 0 to 255.`,
  ]);
  assert.deepEqual(problemsOf([{ ...tokenOf(1, 1), chainId: '1' }]), [
    `LIST: tokens[${place - 1}].chainId must be a whole number of at least 1.`,
  ]);
});

test('more tokens of a chain than can be followed are refused, with what to do', () => {
  const before = parse([]).chains[0]?.tokens.length ?? 0;
  // The wrapped native token is followed beside those that are listed.
  const room = 500 - (before - 1);
  assert.equal(parse([...many(1, room), ...many(1, room)]).chains[0]?.tokens.length, 501);
  assert.deepEqual(problemsOf(many(1, room + 1)), [
    'FILE: tokenLists: the lists have 501 tokens of chain 1, and at most 500 can be followed, because every pair of them is looked up at every factory. Make a list of those that you trade, and name it instead.',
  ]);
});
