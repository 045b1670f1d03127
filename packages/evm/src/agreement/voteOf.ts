import { standingCalls } from '../evidence/standingCalls.ts';
import { toAccount, toCount, toHash } from '../evidence/nodeFields.ts';
import { headerHash } from '../rpc/headerHash.ts';
import { headerToHead } from '../rpc/head.ts';

/** The vote of a node that does not have the block or the mined transaction that was asked for. */
export const NOTHING = 'null';

/**
 * What a node says with an answer in lower case, as text: two answers say the same when their texts are equal. Nodes
 * of different makers differ where nothing depends on it, such as in members that only some of them send. So each
 * method is compared by what is read from its answers. Undefined: the answer cannot be read, and is no vote.
 */
export function voteOf(method: string, answer: unknown, params: readonly unknown[] = []): string | undefined {
  try {
    return (VOTES[method] ?? whole)(answer, params);
  } catch {
    return undefined;
  }
}

/** Whether an answer is a block's header that holds everything its hash is computed from. */
export function isProvenHeader(method: string, answer: unknown): boolean {
  if (method !== 'eth_getBlockByHash' && method !== 'eth_getBlockByNumber') return false;
  if (typeof answer !== 'object' || answer === null) return false;
  const block = membersOf(answer);
  return typeof block['hash'] === 'string' && headerHash(block) === block['hash'].toLowerCase();
}

const VOTES: Readonly<Record<string, (answer: unknown, params: readonly unknown[]) => string>> = {
  eth_getBlockByNumber: orNull(header),
  eth_getBlockByHash: orNull(header),
  eth_getLogs: (answer) => JSON.stringify(listIn(answer).map(log)),
  eth_getTransactionByHash: orNull(transaction),
  eth_getTransactionReceipt: orNull(receipt),
  eth_getBlockReceipts: orNull((answer) => JSON.stringify(listIn(answer).map(committedReceipt))),
  debug_traceTransaction: (answer) => JSON.stringify(standingCalls(answer)),
  debug_traceBlockByHash: (answer) => JSON.stringify(listIn(answer).map(tracedTransaction)),
  eth_simulateV1: (answer) => JSON.stringify(listIn(answer).map(simulatedBlock)),
  eth_createAccessList: (answer) => JSON.stringify(wordsRead(answer)),
};

/** Says NOTHING where `read` gives nothing, too. */
function orNull(
  read: (answer: unknown, params: readonly unknown[]) => unknown,
): (answer: unknown, params: readonly unknown[]) => string {
  return (answer, params) => (answer === null ? NOTHING : JSON.stringify(read(answer, params) ?? null));
}

/** With its transactions when they were asked for. The hash of the block proves them to nobody here. */
function header(answer: unknown, [, isWhole]: readonly unknown[]): unknown {
  const block = membersOf(answer);
  // Throws for what readers would not take for a header.
  headerToHead(answer);
  return [
    ...['hash', 'parentHash', 'logsBloom', 'receiptsRoot'].map((name) => textIn(block[name])),
    ...['number', 'timestamp', 'baseFeePerGas'].map((name) => numberIn(block[name])),
    ...(isWhole === true ? listIn(block['transactions']).map(content) : []),
  ];
}

/** The calls of one transaction of a block. A call that cannot be read says nothing of the others. */
function tracedTransaction(answer: unknown): unknown {
  try {
    return standingCalls(membersOf(answer)['result']);
  } catch {
    return null;
  }
}

/** A log's place and content. `removed` counts: a log that a reorganisation removed is left out by its readers. */
function log(answer: unknown): unknown {
  const { address, topics, data, logIndex, blockNumber, blockHash, transactionHash, removed } =
    membersOf(answer);
  const place = [numberIn(blockNumber), textIn(blockHash), textIn(transactionHash), numberIn(logIndex)];
  return [...place, textIn(address), listIn(topics).map(textIn), textIn(data), removed === true];
}

function receipt(answer: unknown): unknown {
  const { transactionHash, status, blockHash, blockNumber, logs } = membersOf(answer);
  const place = [textIn(transactionHash), textIn(blockHash), numberIn(blockNumber)];
  return [...place, numberIn(status), listIn(logs).map(log)];
}

/** A receipt with all that a block commits to: another of these members would make all its receipts look invented. */
function committedReceipt(answer: unknown): unknown {
  const { type, cumulativeGasUsed, logsBloom } = membersOf(answer);
  return [receipt(answer), numberIn(type) ?? '0', numberIn(cumulativeGasUsed), textIn(logsBloom)];
}

/**
 * Undefined for a transaction that waits: nodes have different ones waiting, so that this is no fact of the chain. An
 * answer that its readers would not take for the requested transaction is no vote, whether the transaction waits or
 * not.
 */
function transaction(answer: unknown, [asked]: readonly unknown[]): unknown {
  const { hash, from, blockHash, nonce } = membersOf(answer);
  if (toHash(hash) !== toHash(asked)) throw new TypeError('another transaction');
  toAccount(from);
  toCount(nonce);
  return textIn(blockHash) === null ? undefined : content(answer);
}

function content(answer: unknown): unknown {
  const { hash, from, to, input, blockHash, nonce, value } = membersOf(answer);
  return [...[hash, from, to, input, blockHash].map(textIn), numberIn(nonce), numberIn(value)];
}

/**
 * What each call gave. Gas is no part of it, but must be a number. The reason of a failure is left out: nodes word it
 * differently.
 */
function simulatedBlock(answer: unknown): unknown {
  return listIn(membersOf(answer)['calls']).map((call) => {
    const { status, returnData, gasUsed } = membersOf(call);
    if (numberIn(gasUsed) === null) throw new TypeError('no gas');
    const succeeded = numberIn(status) === '1';
    return succeeded ? [true, textIn(returnData)] : [false];
  });
}

/** The storage words that a call reads. Nodes differ in whether they list contracts without any. */
function wordsRead(answer: unknown): readonly string[] {
  return listIn(membersOf(answer)['accessList'])
    .flatMap((entry) => {
      const { address, storageKeys } = membersOf(entry);
      return listIn(storageKeys).map((key) => `${textIn(address)} ${textIn(key)}`);
    })
    .toSorted();
}

function whole(answer: unknown): string {
  if (answer === undefined) throw new TypeError('no answer');
  return JSON.stringify(answer);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return value as Readonly<Record<string, unknown>>;
}

function listIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

function textIn(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}

/**
 * A quantity of at most 256 bits as its readers take it. Writing a number of megabytes in decimal digits would hold
 * up everything for seconds.
 */
const QUANTITY = /^0x[0-9a-f]{1,64}$/;

/** Quantities are compared as numbers: some nodes send leading zeros. */
function numberIn(value: unknown): string | null {
  const text = textIn(value);
  if (text === null) return null;
  if (!QUANTITY.test(text)) throw new TypeError('not a quantity');
  return String(BigInt(text));
}
