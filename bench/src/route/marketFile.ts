import {
  type Address,
  type FeePips,
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  type Pool,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
  type TickTable,
  type V2Pool,
  type V3Pool,
  type TokenPair,
} from '@fairway/engine';
import { numbered } from '../syntheticMarket.ts';
import { InputError } from './inputError.ts';
import { isJsonObject, isTokenId, type JsonObject, readJsonFile, shown, type TokenId } from './jsonFile.ts';

/** A token as its file describes it. */
export type FileToken = {
  readonly id: TokenId;
  /** The token's address inside the engine. */
  readonly address: Address;
  readonly symbol: string | undefined;
  readonly decimals: number | undefined;
  /** US dollars for one whole token. */
  readonly usd: number | undefined;
};

/**
 * A market read from a file. Ids and pool addresses of a file are only labels, so tokens and pools get other
 * addresses for the engine. `tokens` and `labels` give the labels back.
 */
export type FileMarket = {
  readonly name: string;
  readonly tokens: readonly FileToken[];
  readonly pools: readonly Pool[];
  /** The file's label of a pool. */
  readonly labels: ReadonlyMap<Address, string>;
};

const MAX_RESERVE = 2n ** 112n - 1n;
const MAX_LIQUIDITY = 2n ** 128n - 1n;
const WHOLE_FEE_PIPS = 1_000_000;
const FIRST_POOL = 0x1_0000_0000;

/** Reads a market file and checks everything that a pool's contract would not let happen. @throws InputError */
export function readMarketFile(path: string): FileMarket {
  const content = readJsonFile(path);
  if (!isJsonObject(content))
    throw new InputError(`${path} must hold an object {name, tokens, pools}, and holds ${shown(content)}.`);
  const tokens = readTokens(path, content);
  const entries = readList(path, content, 'pools');
  const shapes = entries.map((entry, index) => poolEntry(`${path}: pools[${index}]`, entry, tokens));
  const addresses = addressesInOrder(tokens, shapes);
  const labels = new Map<Address, string>();
  const taken = new Set<string>();
  const pools = shapes.map(({ place, label, fields, token0, token1 }, index) => {
    if (taken.has(label))
      throw new InputError(`${place}: another pool has this address: make each one unique.`);
    taken.add(label);
    const address = numbered(FIRST_POOL + index);
    labels.set(address, label);
    return readPool(place, fields, {
      address,
      tokens: [addresses.get(token0) ?? address, addresses.get(token1) ?? address],
    });
  });
  return {
    name: typeof content['name'] === 'string' ? content['name'] : path,
    tokens: [...tokens.values()].map((token) => ({
      ...token,
      address: addresses.get(token.id) ?? numbered(0),
    })),
    pools,
    labels,
  };
}

type Described = Omit<FileToken, 'address'>;

function readList(path: string, content: JsonObject, field: 'tokens' | 'pools'): readonly unknown[] {
  const list = content[field];
  if (!Array.isArray(list))
    throw new InputError(`${path}: ${field} must be an array, and is ${shown(list)}.`);
  return list as readonly unknown[];
}

function readTokens(path: string, content: JsonObject): Map<TokenId, Described> {
  const tokens = new Map<TokenId, Described>();
  for (const [index, entry] of readList(path, content, 'tokens').entries()) {
    const place = `${path}: tokens[${index}]`;
    if (!isJsonObject(entry)) throw new InputError(`${place} must be an object, and is ${shown(entry)}.`);
    const { id, sym, dec, usd } = entry;
    if (!isTokenId(id))
      throw new InputError(`${place}: id must be a string or a whole number, and is ${shown(id)}.`);
    if (tokens.has(id))
      throw new InputError(`${place}: another token has the id ${shown(id)}: make each one unique.`);
    tokens.set(id, {
      id,
      symbol: typeof sym === 'string' ? sym : undefined,
      decimals: typeof dec === 'number' ? dec : undefined,
      usd: typeof usd === 'number' ? usd : undefined,
    });
  }
  return tokens;
}

type PoolEntry = {
  /** Its place in the file, for messages. */
  readonly place: string;
  readonly label: string;
  readonly fields: JsonObject;
  readonly token0: TokenId;
  readonly token1: TokenId;
};

function poolEntry(at: string, fields: unknown, tokens: ReadonlyMap<TokenId, unknown>): PoolEntry {
  if (!isJsonObject(fields)) throw new InputError(`${at} must be an object, and is ${shown(fields)}.`);
  const { address, t0, t1 } = fields;
  if (typeof address !== 'string' || address === '')
    throw new InputError(`${at}: address must be a string that names the pool, and is ${shown(address)}.`);
  const place = `${at} (${shown(address)})`;
  const tokenOf = (name: string, id: unknown): TokenId => {
    if (isTokenId(id) && tokens.has(id)) return id;
    throw new InputError(`${place}: ${name} must be the id of a token of the file, and is ${shown(id)}.`);
  };
  const [token0, token1] = [tokenOf('t0', t0), tokenOf('t1', t1)];
  if (token0 === token1) throw new InputError(`${place}: t0 and t1 are the same token, ${shown(t0)}.`);
  return { place, label: address, fields, token0, token1 };
}

/**
 * Gives tokens addresses in an order in which each pool's t0 comes before its t1, as on a chain. Where a file allows
 * no such order, the token that is named first comes first.
 */
function addressesInOrder(
  tokens: ReadonlyMap<TokenId, unknown>,
  pools: readonly PoolEntry[],
): Map<TokenId, Address> {
  const later = new Map<TokenId, TokenId[]>();
  const waitingFor = new Map<TokenId, number>();
  for (const { token0, token1 } of pools) {
    const known = later.get(token0);
    if (known === undefined) later.set(token0, [token1]);
    else known.push(token1);
    waitingFor.set(token1, (waitingFor.get(token1) ?? 0) + 1);
  }
  const addresses = new Map<TokenId, Address>();
  const place = (first: TokenId): void => {
    const ready = [first];
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
      if (addresses.has(id)) continue;
      addresses.set(id, numbered(addresses.size + 1));
      for (const other of later.get(id) ?? []) {
        const left = (waitingFor.get(other) ?? 0) - 1;
        waitingFor.set(other, left);
        if (left === 0) ready.push(other);
      }
    }
  };
  for (const id of tokens.keys()) if ((waitingFor.get(id) ?? 0) === 0) place(id);
  for (const id of tokens.keys()) place(id);
  return addresses;
}

type Identity = { readonly address: Address; readonly tokens: TokenPair };

function readPool(place: string, fields: JsonObject, identity: Identity): Pool {
  const { kind } = fields;
  if (kind !== 'v2' && kind !== 'v3')
    throw new InputError(`${place}: kind must be "v2" or "v3", and is ${shown(kind)}.`);
  const feePips = wholeNumber(place, fields, 'fee', 0, WHOLE_FEE_PIPS - 1) as FeePips;
  const common = { ...identity, source: kind, feePips };
  switch (kind) {
    case 'v2':
      return readV2Pool(place, fields, common);
    case 'v3':
      return readV3Pool(place, fields, common);
  }
}

type Common = Identity & { readonly source: string; readonly feePips: FeePips };

function readV2Pool(place: string, fields: JsonObject, common: Common): V2Pool {
  return {
    ...common,
    kind: 'UNISWAP_V2',
    reserve0: wholeAmount(place, fields, 'r0', 0n, MAX_RESERVE),
    reserve1: wholeAmount(place, fields, 'r1', 0n, MAX_RESERVE),
  };
}

function readV3Pool(place: string, fields: JsonObject, common: Common): V3Pool {
  const sqrtPriceX96 = wholeAmount(place, fields, 'sqrtP', MIN_SQRT_PRICE, MAX_SQRT_PRICE - 1n);
  const tickSpacing = wholeNumber(place, fields, 'sp', 1, 16_383);
  const liquidity = wholeAmount(place, fields, 'L', 0n, MAX_LIQUIDITY);
  const tick = readTick(place, fields, sqrtPriceX96);
  const ticks = readTickTable(place, fields['ticks'], tickSpacing);
  checkLiquidity(place, liquidity, tick, ticks);
  return { ...common, kind: 'UNISWAP_V3', tickSpacing, sqrtPriceX96, tick, liquidity, ticks };
}

/**
 * Reads the tick of the price. One less is also valid where the price is exactly on a tick, after a swap down to it.
 */
function readTick(place: string, fields: JsonObject, sqrtPriceX96: bigint): number {
  const tick = wholeNumber(place, fields, 'tick', MIN_TICK - 1, MAX_TICK);
  const expected = tickAtSqrtPrice(sqrtPriceX96);
  const below = tick === expected - 1 && sqrtPriceAtTick(expected) === sqrtPriceX96;
  if (tick === expected || below) return tick;
  throw new InputError(`${place}: tick must be that of sqrtP, ${expected}, and is ${tick}.`);
}

function readTickTable(place: string, ticks: unknown, tickSpacing: number): TickTable {
  if (!Array.isArray(ticks))
    throw new InputError(`${place}: ticks must be an array of [tick, liquidityNet], and is ${shown(ticks)}.`);
  const indexes: number[] = [];
  const liquidityNet: bigint[] = [];
  for (const [at, entry] of (ticks as readonly unknown[]).entries()) {
    const [index, net] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    if (typeof index !== 'number' || typeof net !== 'string' || !/^-?\d{1,39}$/.test(net))
      throw new InputError(
        `${place}: ticks[${at}] must be [a whole number, a decimal string], and is ${shown(entry)}.`,
      );
    if (!Number.isInteger(index / tickSpacing) || index < MIN_TICK || index > MAX_TICK)
      throw new InputError(
        `${place}: ticks[${at}] must be a multiple of sp ${tickSpacing} from ${MIN_TICK} to ${MAX_TICK}, and is ${index}.`,
      );
    if (index <= (indexes.at(-1) ?? Number.NEGATIVE_INFINITY))
      throw new InputError(`${place}: ticks must ascend, and ${index} follows ${indexes.at(-1)}.`);
    indexes.push(index);
    liquidityNet.push(BigInt(net));
  }
  return { indexes, liquidityNet };
}

/** Checks that liquidity is not negative at any price, as in any contract. */
function checkLiquidity(place: string, liquidity: bigint, tick: number, ticks: TickTable): void {
  const check = (inRange: bigint, at: number): void => {
    if (inRange >= 0n && inRange <= MAX_LIQUIDITY) return;
    throw new InputError(
      `${place}: liquidity would be ${inRange} beyond tick ${at}: L and the ticks contradict each other.`,
    );
  };
  const entries = ticks.indexes.map((index, at) => [index, ticks.liquidityNet[at] ?? 0n] as const);
  let inRange = liquidity;
  for (const [index, net] of entries)
    if (index > tick) {
      inRange += net;
      check(inRange, index);
    }
  inRange = liquidity;
  for (const [index, net] of entries.reverse())
    if (index <= tick) {
      inRange -= net;
      check(inRange, index);
    }
}

function wholeNumber(place: string, fields: JsonObject, name: string, least: number, most: number): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new InputError(
    `${place}: ${name} must be a whole number from ${least} to ${most}, and is ${shown(value)}.`,
  );
}

function wholeAmount(place: string, fields: JsonObject, name: string, least: bigint, most: bigint): bigint {
  const value = fields[name];
  if (typeof value === 'string' && /^\d{1,78}$/.test(value)) {
    const amount = BigInt(value);
    if (amount >= least && amount <= most) return amount;
  }
  throw new InputError(
    `${place}: ${name} must be a decimal string from "${least}" to "${most}", and is ${shown(value)}.`,
  );
}
