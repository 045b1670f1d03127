// The state of a transaction: while it waits, once it is mined, and after its block is gone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address } from '@fairway/engine';
import { readBlockHash } from '../src/evidence/canonicalBlock.ts';
import { readReplacement } from '../src/evidence/readReplacement.ts';
import { readTransaction, type TransactionReading } from '../src/evidence/readTransaction.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { RpcAnswerError, RpcUnreachableError } from '../src/rpc/errors.ts';
import { startTokenSandbox, type TokenSandbox, transferData } from './tokenSandbox.ts';

let sandbox: TokenSandbox;
let usdc: Address;
let payer: Address;
let payee: Address;

before(async () => {
  sandbox = await startTokenSandbox();
  usdc = sandbox.token('USDC');
  [payer, payee] = sandbox.accounts as [Address, Address];
});
after(() => sandbox?.close());

const mine = (blocks: number): Promise<unknown> =>
  sandbox.chain.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);

const read = (txHash: `0x${string}`): Promise<TransactionReading> => readTransaction(sandbox.request, txHash);

async function readMined(
  txHash: `0x${string}`,
  request: RpcRequest = sandbox.request,
): Promise<Extract<TransactionReading, { found: 'MINED' }>> {
  const reading = await readTransaction(request, txHash);
  assert.ok(reading.found === 'MINED', `it is ${reading.found}`);
  return reading;
}

/** Asks the node, but answers as `answer` does where that gives something. */
function differing(answer: (method: string, params: readonly unknown[]) => unknown): RpcRequest {
  return async (call) => {
    const other = await answer(call.method, call.params ?? []);
    return other === undefined ? sandbox.request(call) : other;
  };
}

/** Replaces the latest blocks by `offset` empty blocks and one with the transaction. */
async function mineElsewhere(txHash: `0x${string}`, depth: number, offset: number): Promise<void> {
  const raw = await sandbox.chain.rpc<string>('eth_getRawTransactionByHash', [txHash]);
  await sandbox.chain.rpc('anvil_rollback', [depth]);
  if (offset > 0) await mine(offset);
  await sandbox.chain.rpc('eth_sendRawTransactionSync', [raw]);
}

test('a mined transfer is read with its block, its sender and its amount', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 25n);
  const head = await latestHead(sandbox.request);
  const { gasUsed, effectiveGasPrice } = await sandbox.chain.rpc<
    Record<'gasUsed' | 'effectiveGasPrice', string>
  >('eth_getTransactionReceipt', [txHash]);
  const expected = {
    found: 'MINED',
    outcome: 'SUCCEEDED',
    txHash,
    blockNumber: head.number,
    blockHash: head.hash,
    timestampSeconds: head.timestampSeconds,
    confirmations: 1n,
    logCount: 1,
    firstLogIndex: 0,
    sender: payer,
    nonce: Number(await sandbox.chain.rpc<string>('eth_getTransactionCount', [payer, 'latest'])) - 1,
    to: usdc,
    input: transferData(payee, 25n),
    value: 0n,
    gas: { units: BigInt(gasUsed), costWei: BigInt(gasUsed) * BigInt(effectiveGasPrice) },
    transfers: [
      {
        token: usdc,
        from: payer,
        to: payee,
        amount: 25n,
        txHash,
        logIndex: 0,
        blockNumber: head.number,
        blockHash: head.hash,
      },
    ],
  };
  assert.deepEqual(await read(txHash), expected);
  assert.deepEqual(await read(`0x${txHash.slice(2).toUpperCase()}`), expected);
});

test('confirmations grow with the chain', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 1n);
  for (const expected of [1n, 2n, 3n]) {
    assert.equal((await readMined(txHash)).confirmations, expected);
    await mine(1);
  }
  await mine(10);
  assert.equal((await readMined(txHash)).confirmations, 14n);
});

test('a transaction is PENDING while it waits, and MINED after the next block', async () => {
  await sandbox.withoutMining(async () => {
    const txHash = await sandbox.post({ from: payer, to: usdc, data: transferData(payee, 3n) });
    const { found, posted } = (await read(txHash)) as { found: string; posted?: object };
    await mine(1);
    const { sender, nonce, to, input, value } = await readMined(txHash);
    assert.deepEqual([found, posted], ['PENDING', { sender, nonce, to, input, value }]);
    assert.equal(sender, payer);
  });
});

test('a reverted transaction is MINED and has no transfers', async () => {
  await sandbox.withoutMining(async () => {
    const data = transferData(payee, 10n ** 30n);
    const txHash = await sandbox.post({ from: payer, to: usdc, data });
    await mine(1);
    const reading = await readMined(txHash);
    assert.equal(reading.outcome, 'REVERTED');
    assert.deepEqual(reading.transfers, []);
  });
});

test('with a receipt, a transaction that the node still calls pending is read again', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 2n);
  const pendingFor = (readings: number) => {
    let left = readings;
    return differing(async (method, params) => {
      if (method !== 'eth_getTransactionByHash' || left-- <= 0) return undefined;
      return { ...((await sandbox.request({ method, params })) as object), blockHash: null };
    });
  };
  assert.deepEqual(await readTransaction(pendingFor(1), txHash), await read(txHash));
  assert.partialDeepStrictEqual(await readTransaction(pendingFor(100), txHash), { found: 'PENDING' });
});

test('a transaction without a receipt is not MINED', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 2n);
  const request = differing((method) => (method === 'eth_getTransactionReceipt' ? null : undefined));
  assert.deepEqual(await readTransaction(request, txHash), { found: 'PENDING' });
});

test('a transaction that creates a contract has no recipient', async () => {
  const { contractAddress, transactionHash } = await sandbox.chain.rpc<{
    contractAddress: string;
    transactionHash: `0x${string}`;
  }>('eth_sendTransactionSync', [{ from: payer, data: '0x00', value: '0x7', gas: '0x50000' }]);
  assert.ok(contractAddress);
  const { to, value, input } = await readMined(transactionHash);
  assert.deepEqual({ to, value, input }, { to: undefined, value: 7n, input: '0x00' });
});

test('a transaction that nobody sent is NONE', async () => {
  assert.deepEqual(await read(`0x${'ab'.repeat(32)}`), { found: 'NONE' });
});

test('a transaction whose block is removed is NONE until it is mined again', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 4n);
  const { blockHash } = await readMined(txHash);
  await mine(2);
  const raw = await sandbox.chain.rpc<string>('eth_getRawTransactionByHash', [txHash]);
  await sandbox.chain.rpc('anvil_reorg', [3, []]);
  assert.deepEqual(await read(txHash), { found: 'NONE' });
  await sandbox.chain.rpc('eth_sendRawTransactionSync', [raw]);
  const again = await readMined(txHash);
  assert.notEqual(again.blockHash, blockHash);
  assert.equal(again.confirmations, 1n);
  assert.equal(again.transfers[0]?.blockHash, again.blockHash);
  assert.equal(await readBlockHash(sandbox.request, again.blockNumber), again.blockHash);
});

test('a transaction that a reorganisation moves is MINED in its new block', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 5n);
  const before = await readMined(txHash);
  await mine(3);
  const raw = await sandbox.chain.rpc<string>('eth_getRawTransactionByHash', [txHash]);
  await sandbox.chain.rpc('anvil_reorg', [4, [[raw, 2]]]);
  const moved = await readMined(txHash);
  assert.equal(moved.blockNumber, before.blockNumber + 2n);
  assert.equal(moved.confirmations, 2n);
  assert.deepEqual(
    moved.transfers.map(({ amount, blockHash }) => ({ amount, blockHash })),
    [{ amount: 5n, blockHash: moved.blockHash }],
  );
});

test('of two transactions with one nonce, one is NONE, and the other is its replacement', async () => {
  await sandbox.withoutMining(async () => {
    const nonce = Number(await sandbox.chain.rpc<string>('eth_getTransactionCount', [payer, 'latest']));
    const first = await sandbox.post({ from: payer, to: usdc, data: transferData(payee, 6n) });
    assert.partialDeepStrictEqual(await read(first), { found: 'PENDING', posted: { sender: payer, nonce } });
    const data = transferData(payee, 7n);
    const second = await sandbox.post({ from: payer, to: usdc, data, nonce, gweiPerGas: 50 });
    await mine(1);
    assert.deepEqual(await read(first), { found: 'NONE' });
    const { number } = await latestHead(sandbox.request);
    const lost = { txHash: first, sender: payer, nonce, sinceBlock: Number(number) - 1 };
    assert.equal(await readReplacement(sandbox.request, lost), second);
    await mine(100);
    assert.equal(await readReplacement(sandbox.request, lost), second);
    await mine(40);
    assert.equal(await readReplacement(sandbox.request, lost), second, 'the node has old states');
    const after = { ...lost, sinceBlock: Number(number) };
    assert.equal(await readReplacement(sandbox.request, after), undefined, 'before that no other one can be');
    for (const refused of [
      new RpcAnswerError(-32_000, 'missing trie node', ''),
      new RpcUnreachableError(''),
    ]) {
      const recentOnly = differing((method, [, block]) => {
        if (method === 'eth_getTransactionCount' && BigInt(String(block)) < number + 10n) throw refused;
        return undefined;
      });
      assert.equal(await readReplacement(recentOnly, lost), undefined, 'the node has no state so old');
    }
    const mined = await readMined(second);
    assert.equal(mined.nonce, nonce);
    assert.equal(mined.transfers[0]?.amount, 7n);
  });
});

test('neither a used nonce nor one node’s list of a block makes a transaction a replaced one', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 6n);
  const { sender, nonce } = await readMined(txHash);
  const lost = { txHash, sender, nonce, sinceBlock: 0 };
  assert.equal(await readReplacement(sandbox.request, lost), undefined, 'it is mined itself');
  assert.equal(await readReplacement(sandbox.request, { ...lost, nonce: nonce + 1 }), undefined);
  const invented = differing((method, [, whole]) =>
    method === 'eth_getBlockByNumber' && whole === true
      ? { transactions: [{ hash: `0x${'ab'.repeat(32)}`, from: sender, nonce: `0x${nonce.toString(16)}` }] }
      : undefined,
  );
  assert.equal(await readReplacement(invented, lost), undefined);
});

/** The node's current answers about a transaction, to be given by a node that is out of date. */
async function keptAnswers(txHash: `0x${string}`): Promise<(method: string) => unknown> {
  const kept = new Map<string, unknown>();
  for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
    kept.set(method, await sandbox.request({ method, params: [txHash] }));
  return (method) => kept.get(method);
}

test('a receipt of a block that is no longer canonical does not make a transaction MINED', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 8n);
  const kept = await keptAnswers(txHash);
  await sandbox.chain.rpc('anvil_rollback', [1]);
  const receiptOnly = differing((method) =>
    method === 'eth_getTransactionReceipt' ? kept(method) : undefined,
  );
  for (const situation of ['the chain is shorter', 'another block is there', 'the chain is longer']) {
    assert.deepEqual(await readTransaction(receiptOnly, txHash), { found: 'NONE' }, situation);
    const reading = await readTransaction(differing(kept), txHash);
    assert.deepEqual(reading, { found: 'PENDING' }, situation);
    await mine(1);
  }
});

test('a receipt of an earlier block does not count for the block a transaction is in now', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 9n);
  const kept = await keptAnswers(txHash);
  await mineElsewhere(txHash, 1, 1);
  let stale = 1;
  const request = differing((method) =>
    method === 'eth_getTransactionReceipt' && stale-- > 0 ? kept(method) : undefined,
  );
  const { blockHash, confirmations } = await readMined(txHash, request);
  assert.equal(blockHash, (await latestHead(sandbox.request)).hash);
  assert.equal(confirmations, 1n);
  const contradicting = differing((method) =>
    method === 'eth_getTransactionByHash' ? kept(method) : undefined,
  );
  assert.partialDeepStrictEqual(await readTransaction(contradicting, txHash), { found: 'PENDING' });
});

for (const nth of [1, 2, 3]) {
  test(`after a reorganisation before block request ${nth}, the transaction is read again`, async () => {
    await mine(1);
    const txHash = await sandbox.transfer(usdc, payee, 10n);
    await mine(4);
    let looks = 0;
    const request = differing(async (method) => {
      // The transaction moves one block down, on a shorter chain.
      if (method === 'eth_getBlockByNumber' && ++looks === nth) await mineElsewhere(txHash, 6, 0);
    });
    const { blockNumber, blockHash, confirmations } = await readMined(txHash, request);
    const head = await latestHead(sandbox.request);
    assert.deepEqual({ blockNumber, blockHash }, { blockNumber: head.number, blockHash: head.hash });
    assert.equal(confirmations, 1n);
    assert.equal(looks, 6);
  });
}

test("a latest block below the transaction's block does not make it MINED", async () => {
  const txHash = await sandbox.transfer(usdc, payee, 13n);
  const { number } = await latestHead(sandbox.request);
  const lagging = differing((method, [block]) =>
    method === 'eth_getBlockByNumber' && block === 'latest'
      ? sandbox.request({ method, params: [`0x${(number - 1n).toString(16)}`, false] })
      : undefined,
  );
  assert.partialDeepStrictEqual(await readTransaction(lagging, txHash), { found: 'PENDING' });
});

test('hashes in upper case are understood', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 14n);
  const capitals = differing(async (method, params) => {
    const answer = (await sandbox.request({ method, params })) as { hash?: string };
    return { ...answer, ...(answer.hash && { hash: `0x${answer.hash.slice(2).toUpperCase()}` }) };
  });
  assert.deepEqual(await readTransaction(capitals, txHash), await read(txHash));
});

test('on a chain that is reorganised during every reading, nothing is MINED', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 11n);
  await mine(1);
  let looks = 0;
  const request = differing(async (method) => {
    if (method === 'eth_getBlockByNumber' && ++looks % 3 === 0) await sandbox.replaceHead();
  });
  assert.deepEqual(await readTransaction(request, txHash), { found: 'PENDING' });
  assert.equal(looks, 12);
});

test("a block's hash is read by its height, up to the latest block", async () => {
  const { number, hash } = await latestHead(sandbox.request);
  assert.equal(await readBlockHash(sandbox.request, number), hash);
  assert.equal(await readBlockHash(sandbox.request, number + 1n), undefined);
  const other = differing(() => sandbox.chain.rpc('eth_getBlockByNumber', ['0x0', false]));
  await assert.rejects(readBlockHash(other, number), /another height/);
});

/** A node's answer, changed. */
type Change = readonly [name: string, method: string, change: object | null | string, message: RegExp];

const RECEIPT = 'eth_getTransactionReceipt';
const TRANSACTION = 'eth_getTransactionByHash';
const nonsense: Change[] = [
  ['a receipt that is text', RECEIPT, 'ok', /^The node sent something that is no receipt$/],
  ['another receipt', RECEIPT, { transactionHash: `0x${'1'.repeat(64)}` }, /receipt of another transaction/],
  ['a receipt without a status', RECEIPT, { status: undefined }, /no quantity$/],
  ['a third status', RECEIPT, { status: '0x2' }, /neither success nor failure/],
  ['a receipt without a block', RECEIPT, { blockHash: null }, /no hash$/],
  ['a receipt without logs', RECEIPT, { logs: null }, /no list of logs$/],
  ["another block's logs", RECEIPT, { blockHash: `0x${'1'.repeat(64)}` }, /logs of another transaction/],
  ["another height's logs", RECEIPT, { blockNumber: '0x1' }, /logs of another transaction/],
  ['another transaction', TRANSACTION, { hash: `0x${'1'.repeat(64)}` }, /another transaction/],
  ['a list for a transaction', TRANSACTION, [], /no transaction$/],
  ['a sender that is no address', TRANSACTION, { from: '0x12' }, /no address$/],
  ['a nonce without bound', TRANSACTION, { nonce: `0x${'f'.repeat(16)}` }, /no count$/],
  ['calldata of half bytes', TRANSACTION, { input: '0x123' }, /no bytes$/],
  ['a value in decimals', TRANSACTION, { value: 12 }, /no quantity$/],
];

test('answers that make no sense are errors in a few words', async () => {
  const txHash = await sandbox.transfer(usdc, payee, 12n);
  for (const [name, changed, change, message] of nonsense) {
    const request = differing(async (method, params) => {
      if (method !== changed) return undefined;
      if (typeof change !== 'object' || Array.isArray(change)) return change;
      return { ...((await sandbox.request({ method, params })) as object), ...change };
    });
    await assert.rejects(readTransaction(request, txHash), { message }, name);
  }
  const request = differing(() => 'many');
  const lost = { txHash, sender: payer, nonce: 0, sinceBlock: 0 };
  await assert.rejects(readReplacement(request, lost), /no block header$/);
});

test('an unreachable node is an error of its own', async () => {
  const unreachable: RpcRequest = async () => {
    throw new RpcUnreachableError('timed out');
  };
  const txHash = `0x${'ab'.repeat(32)}` as const;
  await assert.rejects(readTransaction(unreachable, txHash), RpcUnreachableError);
  const lost = { txHash, sender: payer, nonce: 0, sinceBlock: 0 };
  await assert.rejects(readReplacement(unreachable, lost), RpcUnreachableError);
  await assert.rejects(readBlockHash(unreachable, 1n), RpcUnreachableError);
});
