import lens from '../../artifacts/BatchLens.json' with { type: 'json' };
import type { RpcRequest } from './endpoint.ts';
import { decodeAggregate, encodeAggregate, type Read } from './multicallCoding.ts';
import { AnswerTooLongError, RpcAnswerError } from './errors.ts';

/** Reads that fit one request of common nodes (gas and body size). */
const READS_PER_REQUEST = 500;
/** Requests under way at once. */
const REQUEST_WIDTH = 4;
/** Less than nodes allow a call by default. It is named, so that nodes with other limits read alike. */
const GAS_OF_REQUEST = '0x1312d00';

/**
 * What a contract answered, `0x` where there is no contract; undefined where the read failed. A failed read says nothing:
 * it must never pass for an empty answer.
 */
export type ReadAnswer = `0x${string}` | undefined;

/** Why a read failed, for an operator. The figures are those of the lens. */
export const WHY_READS_FAIL = 'it reverts, needs more than 400,000 gas, or answers more than 1,024 bytes';

/** Reads contracts at one block. */
export type BatchRead = (reads: readonly Read[]) => Promise<ReadAnswer[]>;

/**
 * Makes a function that reads at a pinned block; answers are in the order of the reads. A contract can make its own
 * reads fail, and no others. A state override puts a lens in the place of Multicall3 that gives each read its own
 * gas.
 */
export function createBatchRead(
  request: RpcRequest,
  multicall3: `0x${string}`,
  blockHash: string,
): BatchRead {
  const override = { [multicall3]: { code: lens.deployedBytecode } };
  let takesOverrides = true;

  async function ask(reads: readonly Read[], ...overrides: readonly unknown[]): Promise<unknown> {
    const call = { to: multicall3, data: encodeAggregate(reads), gas: GAS_OF_REQUEST };
    const answer = await request({ method: 'eth_call', params: [call, { blockHash }, ...overrides] });
    if (answer === '0x') throw new Error(`There is no Multicall3 contract at ${multicall3}`);
    return answer;
  }

  /** The lens reads as many as its gas is enough for. */
  async function readByLens(reads: readonly Read[]): Promise<ReadAnswer[]> {
    const answers: ReadAnswer[] = [];
    while (answers.length < reads.length) {
      const rest = reads.slice(answers.length);
      answers.push(...decodeAggregate(await ask(rest, override), rest.length, 1));
    }
    return answers;
  }

  /** Undefined where reads are too much for the node. Rejects where the node answers nothing at this block. */
  async function tryDeployed(reads: readonly Read[]): Promise<ReadAnswer[] | undefined> {
    try {
      return decodeAggregate(await ask(reads), reads.length);
    } catch (error) {
      if (!(error instanceof RpcAnswerError || error instanceof AnswerTooLongError)) throw error;
      await ask([]);
      return undefined;
    }
  }

  /**
   * One read can take the gas of those behind it, which then fail or answer something else. So a batch counts when all
   * of it succeeds; else its halves are read, until each read that fails is alone.
   */
  async function readByDeployed(reads: readonly Read[]): Promise<ReadAnswer[]> {
    const answers = await tryDeployed(reads);
    if (answers !== undefined && !answers.includes(undefined)) return answers;
    if (reads.length === 1) return answers ?? [undefined];
    const half = Math.ceil(reads.length / 2);
    return [...(await readByDeployed(reads.slice(0, half))), ...(await readByDeployed(reads.slice(half)))];
  }

  async function readPart(reads: readonly Read[]): Promise<ReadAnswer[]> {
    if (!takesOverrides) return readByDeployed(reads);
    try {
      return await readByLens(reads);
    } catch (error) {
      if (!(error instanceof RpcAnswerError)) throw error;
      const answers = await readByDeployed(reads);
      takesOverrides = false;
      return answers;
    }
  }

  return async (reads) => {
    const answers = await mapInBatches([...inParts(reads, READS_PER_REQUEST)], REQUEST_WIDTH, readPart);
    return answers.flat();
  };
}

/** The items in lists of at most `size`, each made when it is asked for. */
export function* inParts<T>(items: Iterable<T>, size: number): Generator<T[], void, undefined> {
  let part: T[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Maps items with at most `width` promises under way at the same time; keeps the order. */
export async function mapInBatches<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += width) {
    results.push(...(await Promise.all(items.slice(start, start + width).map(map))));
  }
  return results;
}
