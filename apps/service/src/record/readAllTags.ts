import { BlockGoneError, latestHead, readTags, type TagReading, type TokenTransfer } from '@fairway/evm';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reading } from './reading.ts';

/** So many transactions are remembered: blocks are read twice, and a tag costs a request. */
const KEPT_TAGS = 5_000;
/** How many transactions are traced at the same time. */
const TRACES_AT_ONCE = 8;
/** So often a transaction is tried that the nodes cannot trace although they answer. */
const MOST_ROUNDS = 3;
/** How often nodes are asked whether they answer at all, and how long is waited in between: a trace may have tired them. */
const [LIFE_SIGNS, LIFE_PAUSE_MS] = [3, 500];

type Failure = { readonly name: string; readonly txHash: string; readonly cause: unknown };

/**
 * The tags of transactions, each with its transfers, by their names. A transaction that the nodes cannot trace although
 * they answer is UNTRACED after some rounds: nobody can stop the record with one transaction. Throws what kept a
 * transaction from being read where it is to be tried again.
 */
export async function readAllTags(
  reading: Reading,
  settling: ReadonlyMap<string, readonly TokenTransfer[]>,
): Promise<ReadonlyMap<string, TagReading>> {
  const found = new Map<string, TagReading>();
  const failures: Failure[] = [];
  const open = [...settling];
  for (let first = 0; first < open.length; first += TRACES_AT_ONCE) {
    const part = open.slice(first, first + TRACES_AT_ONCE).map(async ([name, transfers]) => {
      try {
        found.set(name, await tagsOf(reading, name, transfers));
      } catch (cause) {
        // The block is of no interest any more.
        if (cause instanceof BlockGoneError) throw cause;
        failures.push({ name, txHash: transfers[0]?.txHash ?? '', cause });
      }
    });
    await Promise.all(part);
  }
  await countFailures(reading, failures);
  for (const { name } of failures) found.set(name, 'UNTRACED');
  return found;
}

/** Counts a round for each transaction that failed. Throws while one of them is to be tried again, or no node answers. */
async function countFailures(reading: Reading, failures: readonly Failure[]): Promise<void> {
  const [first] = failures;
  if (first === undefined) return;
  const { untraceable, chain, events } = reading;
  if (!(await isAnswering(chain))) throw first.cause;
  for (const { name } of failures) untraceable.set(name, (untraceable.get(name) ?? 0) + 1);
  const again = failures.find(({ name }) => (untraceable.get(name) ?? 0) < MOST_ROUNDS);
  forgetOldest(untraceable);
  if (again !== undefined) throw again.cause;
  for (const { name, txHash, cause } of failures) {
    if (!reading.tags.has(name)) events.onUntraced(txHash, cause);
    remember(reading, name, 'UNTRACED');
  }
}

/** Whether the nodes answer anything: an outage says nothing about a transaction. */
async function isAnswering({ request }: Reading['chain']): Promise<boolean> {
  for (let sign = 1; sign <= LIFE_SIGNS; sign += 1) {
    try {
      await latestHead(request);
      return true;
    } catch {
      if (sign < LIFE_SIGNS) await sleep(LIFE_PAUSE_MS);
    }
  }
  return false;
}

async function tagsOf(
  reading: Reading,
  name: string,
  transfers: readonly TokenTransfer[],
): Promise<TagReading> {
  const { chain, watch, tags, events } = reading;
  const known = tags.get(name);
  // Another token may be watched by now.
  if (known !== undefined && known !== 'UNTRACED') return known;
  const found = await readTags(chain.request, transfers, new Set([...chain.routers, ...watch.tokens()]));
  if (found === 'UNTRACED' && known === undefined) events.onUntraced(transfers[0]?.txHash ?? '', undefined);
  remember(reading, name, found);
  return found;
}

function remember({ tags }: Reading, name: string, found: TagReading): void {
  tags.set(name, found);
  forgetOldest(tags);
}

function forgetOldest(known: Map<string, unknown>): void {
  for (const oldest of known.keys()) {
    if (known.size <= KEPT_TAGS) break;
    known.delete(oldest);
  }
}
