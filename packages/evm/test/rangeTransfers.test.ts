// Ranges of blocks, the newest common block after a reorganisation, and the tags of transactions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Address, toAddress } from '@fairway/engine';
import { concatHex, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { readBlockHash } from '../src/evidence/canonicalBlock.ts';
import type { TokenTransfer } from '../src/evidence/tokenTransfer.ts';
import { logFilterOf } from '../src/record/logFilter.ts';
import { findCommonBlock, type StoredBlock } from '../src/record/findCommonBlock.ts';
import { readBlockTransfers } from '../src/record/readBlockTransfers.ts';
import { readRangeTransfers } from '../src/record/readRangeTransfers.ts';
import { readBlockTags } from '../src/record/readBlockTags.ts';
import { readTags } from '../src/record/readTags.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { headByHash, latestHead } from '../src/rpc/head.ts';
import { BlockGoneError, RpcAnswerError, RpcUnreachableError } from '../src/rpc/errors.ts';
import { startTokenSandbox, type TokenSandbox, transferData } from './tokenSandbox.ts';

let sandbox: TokenSandbox;
let usdc: Address;
let addressCount = 0;

before(async () => {
  sandbox = await startTokenSandbox();
  usdc = sandbox.token('USDC');
});
after(() => sandbox?.close());

function freshAddress(): Address {
  addressCount += 1;
  return toAddress(`0x5e771e${addressCount.toString(16).padStart(34, '0')}`);
}

const mine = (blocks: number): Promise<unknown> =>
  sandbox.chain.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
const headNumber = async (): Promise<bigint> => (await latestHead(sandbox.request)).number;

/** Sees each request for logs before the node does. */
function watchingLogs(
  see: (filter: { fromBlock: string; toBlock: string; topics: unknown[] }) => unknown,
): RpcRequest {
  return async (call) => {
    if (call.method === 'eth_getLogs') await see(call.params?.[0] as Parameters<typeof see>[0]);
    return sandbox.request(call);
  };
}

/** Transfers of 1, 2 and 3 to fresh addresses with empty blocks between them, and the range of blocks around them. */
async function someTransfers() {
  const fromBlock = (await headNumber()) + 1n;
  const receivers = [freshAddress(), freshAddress(), freshAddress()];
  for (const [index, to] of receivers.entries()) {
    await sandbox.transfer(usdc, to, BigInt(index) + 1n);
    await mine(9);
  }
  return { receivers, range: { fromBlock, toBlock: await headNumber() } };
}

test('all transfers of a range are read, with the headers of their blocks and of the last block', async () => {
  const { range } = await someTransfers();
  const read = await readRangeTransfers(sandbox.request, range, { tokens: [usdc] });
  assert.deepEqual(
    read.transfers.map(({ amount }) => amount),
    [1n, 2n, 3n],
  );
  assert.deepEqual(
    [...read.blocks.keys()],
    [0n, 10n, 20n].map((offset) => range.fromBlock + offset),
  );
  for (const { blockNumber, blockHash } of read.transfers)
    assert.equal(read.blocks.get(blockNumber)?.hash, blockHash);
  assert.equal(read.end.hash, await readBlockHash(sandbox.request, range.toBlock));
  assert.equal(read.widest, 30);
});

test('a range that a node refuses is halved, and the widest answered request is told', async () => {
  const { range } = await someTransfers();
  const refusing = watchingLogs(({ fromBlock, toBlock }) => {
    if (BigInt(toBlock) - BigInt(fromBlock) >= 4n)
      throw new RpcAnswerError(-32_600, 'range is too large', undefined);
  });
  const read = await readRangeTransfers(refusing, range, { tokens: [usdc] });
  const whole = await readRangeTransfers(sandbox.request, range, { tokens: [usdc] });
  assert.deepEqual(read.transfers, whole.transfers);
  assert.equal(read.widest, 4);
  await assert.rejects(
    readRangeTransfers(
      watchingLogs(() => {
        throw new RpcUnreachableError('timed out');
      }),
      range,
      { tokens: [usdc] },
    ),
    RpcUnreachableError,
  );
});

test('receivers are asked for a thousand at a time, and unwanted transfers cost no header', async () => {
  const { range, receivers } = await someTransfers();
  const asked: number[] = [];
  const request = watchingLogs(({ topics }) => asked.push((topics[2] as string[]).length));
  const many = [...Array.from({ length: 1500 }, freshAddress), ...receivers.slice(1)];
  const read = await readRangeTransfers(request, range, { tokens: [usdc], receivers: many });
  assert.deepEqual(asked, [1000, 502]);
  assert.deepEqual(
    read.transfers.map(({ to }) => to),
    receivers.slice(1),
  );
  const isWanted = ({ amount }: { amount: bigint }) => amount === 2n;
  const few = await readRangeTransfers(sandbox.request, range, { tokens: [usdc], isWanted });
  assert.equal(few.blocks.size, 1);
  const none = await readRangeTransfers(
    async (call) => {
      assert.notEqual(call.method, 'eth_getLogs');
      return sandbox.request(call);
    },
    range,
    { tokens: [] },
  );
  assert.deepEqual(none.transfers, []);
});

test('a range that is reorganised while it is read is not used', async () => {
  const { range } = await someTransfers();
  const reorganising = watchingLogs(() => sandbox.replaceHead());
  await assert.rejects(readRangeTransfers(reorganising, range, { tokens: [usdc] }), BlockGoneError);
  const beyond = { fromBlock: range.fromBlock, toBlock: range.toBlock + 100n };
  await assert.rejects(readRangeTransfers(sandbox.request, beyond, { tokens: [usdc] }), BlockGoneError);
});

test('logs of a block that is not canonical are not used', async () => {
  const { range } = await someTransfers();
  const request: RpcRequest = async (call) => {
    const answer = await sandbox.request(call);
    if (call.method !== 'eth_getLogs') return answer;
    return (answer as object[]).slice(0, 1).map((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }));
  };
  await assert.rejects(readRangeTransfers(request, range, { tokens: [usdc] }), BlockGoneError);
});

test('the newest common block is found with few requests, however deep the reorganisation', async () => {
  await mine(80);
  const head = await headNumber();
  const stored: StoredBlock[] = [];
  for (let number = head - 40n; number <= head; number += 2n)
    stored.push({ number, hash: String(await readBlockHash(sandbox.request, number)) });
  let asked = 0;
  const find = async () => {
    asked = 0;
    const counted: RpcRequest = (call) => {
      asked += 1;
      return sandbox.request(call);
    };
    return (await findCommonBlock(counted, stored))?.number;
  };
  assert.equal(await find(), head);
  assert.equal(asked, 1);
  await sandbox.chain.rpc('anvil_setCoinbase', [freshAddress()]);
  await sandbox.chain.rpc('anvil_reorg', [31, []]);
  // The newest 31 blocks are others now.
  assert.equal(await find(), head - 32n);
  assert.ok(asked <= 7, `${asked} requests`);
  await sandbox.chain.rpc('anvil_setCoinbase', [freshAddress()]);
  await sandbox.chain.rpc('anvil_reorg', [60, []]);
  assert.equal(await find(), undefined);
  stored.length = 0;
  assert.equal(await find(), undefined);
});

test('the way that moves fewer bytes is taken: by token for few logs, else by address', () => {
  const hour = { blocks: 1_800, width: 2_000 };
  const wayOf = (logsPerBlock: number, addresses: number) =>
    logFilterOf({ ...hour, logsPerBlock, addresses });
  assert.equal(wayOf(5, 100_000), 'BY_TOKEN');
  assert.equal(wayOf(50, 100_000), 'BY_ADDRESS');
  assert.equal(wayOf(1, 900), 'BY_ADDRESS');
  assert.equal(logFilterOf({ blocks: 10, width: 2_000, logsPerBlock: 5, addresses: 900 }), 'BY_TOKEN');
  assert.equal(logFilterOf({ blocks: 1_800, width: 10, logsPerBlock: 5, addresses: 900 }), 'BY_TOKEN');
});

const MULTICALL = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call[] calls) payable returns ((bool, bytes)[])',
]);
const TAGS = ['0x00112233445566778899aabbccddeeff', '0xffeeddccbbaa99887766554433221100'] as const;

/** Sends a call and reads the tags of the transfers that it made. */
async function tagsOf(to: Address, data: Hex, request = sandbox.request) {
  const [from] = sandbox.accounts;
  assert.ok(from);
  await sandbox.withoutMining(async () => {
    await sandbox.post({ from, to, data });
    await sandbox.chain.rpc('evm_mine');
  });
  const block = await headByHash(request, (await latestHead(request)).hash);
  assert.ok(block);
  const { transfers } = await readBlockTransfers(request, block, { tokens: [usdc] });
  assert.ok(transfers.length > 0);
  const tags = await readTags(request, transfers, new Set([usdc]));
  if (tags === 'UNTRACED') return tags;
  const found = transfers.map(({ logIndex }) => tags.get(logIndex));
  return found.map((each) => (each?.isForeign === true ? `foreign ${each.tag}` : each?.tag));
}

test('a tag is what follows the arguments of a call to the token', async () => {
  const call = transferData(freshAddress(), 3n);
  assert.deepEqual(await tagsOf(usdc, concatHex([call, TAGS[0]])), [TAGS[0]]);
  assert.deepEqual(await tagsOf(usdc, call), [undefined]);
  assert.deepEqual(await tagsOf(usdc, concatHex([call, '0x0011'])), [undefined]);
});

test('through another contract, each transfer has the tag of the call that made it', async () => {
  const multicall3 = toAddress(sandbox.chain.contracts.multicall3);
  await sandbox.transfer(usdc, multicall3, 100n);
  const call = (tag: Hex) => ({
    target: usdc,
    allowFailure: false,
    callData: concatHex([transferData(freshAddress(), 3n), tag]),
  });
  const data = encodeFunctionData({
    abi: MULTICALL,
    functionName: 'aggregate3',
    args: [[call(TAGS[0]), call('0x'), call(TAGS[1])]],
  });
  assert.deepEqual(await tagsOf(multicall3, data), [TAGS[0], undefined, TAGS[1]]);
  // The tag belongs to a call of a contract that is no router and no token: it may be anything.
  const foreign = `foreign ${TAGS[1]}`;
  assert.deepEqual(await tagsOf(multicall3, concatHex([data, TAGS[1]])), [TAGS[0], foreign, TAGS[1]]);
  const untraced: RpcRequest = async (call_) => {
    if (call_.method === 'debug_traceTransaction')
      throw new RpcAnswerError(-32_601, 'no such method', undefined);
    return sandbox.request(call_);
  };
  assert.equal(await tagsOf(multicall3, data, untraced), 'UNTRACED');
});

test('the tags of a transaction that has left its block are not read', async () => {
  await sandbox.transfer(usdc, freshAddress(), 3n);
  const block = await latestHead(sandbox.request);
  const { transfers } = await readBlockTransfers(sandbox.request, block, { tokens: [usdc] });
  const elsewhere = transfers.map((each) => ({ ...each, blockHash: block.parentHash }));
  await assert.rejects(readTags(sandbox.request, elsewhere, new Set([usdc])), BlockGoneError);
  await sandbox.replaceHead();
  await assert.rejects(readTags(sandbox.request, transfers, new Set([usdc])), BlockGoneError);
});

/** A block with four transactions: two that call the token with a tag and without, and two through another contract. */
async function crowdedBlock(): Promise<{ readonly hash: Hex; readonly transfers: readonly TokenTransfer[] }> {
  const multicall3 = toAddress(sandbox.chain.contracts.multicall3);
  await sandbox.transfer(usdc, multicall3, 100n);
  const [from] = sandbox.accounts;
  assert.ok(from);
  const through = (tags: readonly Hex[]) =>
    encodeFunctionData({
      abi: MULTICALL,
      functionName: 'aggregate3',
      args: [
        tags.map((tag) => ({
          target: usdc,
          allowFailure: false,
          callData: concatHex([transferData(freshAddress(), 3n), tag]),
        })),
      ],
    });
  await sandbox.withoutMining(async () => {
    await sandbox.post({ from, to: usdc, data: concatHex([transferData(freshAddress(), 3n), TAGS[0]]) });
    await sandbox.post({ from, to: multicall3, data: through([TAGS[1], '0x', TAGS[0]]) });
    await sandbox.post({ from, to: usdc, data: transferData(freshAddress(), 3n) });
    await sandbox.post({ from, to: multicall3, data: concatHex([through(['0x']), TAGS[1]]) });
    await sandbox.chain.rpc('evm_mine');
  });
  const block = await latestHead(sandbox.request);
  const { transfers } = await readBlockTransfers(sandbox.request, block, { tokens: [usdc] });
  assert.equal(transfers.length, 6);
  return { hash: block.hash, transfers };
}

/** A node without some methods, that counts what it is asked. */
function counting(without: readonly string[] = []) {
  const asked: string[] = [];
  const request: RpcRequest = async (call) => {
    asked.push(call.method);
    if (without.includes(call.method)) throw new RpcAnswerError(-32_601, 'no such method', undefined);
    return sandbox.request(call);
  };
  return { request, asked };
}

/** The tags of transactions, each read by itself. */
async function tagsOfEach(transfers: readonly TokenTransfer[]) {
  const contracts = new Set([usdc]);
  const each = [...Map.groupBy(transfers, ({ txHash }) => txHash)].map(
    async ([txHash, made]) => [txHash, await readTags(sandbox.request, made, contracts)] as const,
  );
  return new Map(await Promise.all(each));
}

test('the transactions of one block are read together as they are read one by one', async () => {
  const { transfers } = await crowdedBlock();
  const { request, asked } = counting();
  const found = await readBlockTags(request, transfers, new Set([usdc]));
  assert.deepEqual(found, await tagsOfEach(transfers));
  assert.deepEqual(asked, ['eth_getBlockByHash', 'eth_getBlockReceipts', 'debug_traceBlockByHash']);
  assert.equal(found.size, 4);
});

test('where logs are counted anew in each transaction, a block has the same tags', async () => {
  const { transfers } = await crowdedBlock();
  const together = await readBlockTags(sandbox.request, transfers, new Set([usdc]));
  const anew = [...Map.groupBy(transfers, ({ txHash }) => txHash).values()].flatMap((made) =>
    made.map((each) => ({ ...each, logIndex: each.logIndex - (made[0]?.logIndex ?? 0) })),
  );
  const found = await readBlockTags(sandbox.request, anew, new Set([usdc]));
  const inOrder = (readings: typeof found) =>
    [...readings].map(([hash, tags]) => [hash, tags === 'UNTRACED' ? tags : [...tags.values()]]);
  assert.deepEqual(inOrder(found), inOrder(together));
  const second = anew[1];
  assert.ok(second);
  const tags = found.get(second.txHash);
  assert.ok(tags !== undefined && tags !== 'UNTRACED');
  assert.deepEqual([...tags.keys()], [0, 2]);
});

test('what nodes do not tell of a whole block is absent, but for calls to the token', async () => {
  const { transfers } = await crowdedBlock();
  const direct = [transfers[0]?.txHash, transfers[4]?.txHash];
  for (const method of ['eth_getBlockReceipts', 'debug_traceBlockByHash']) {
    const found = await readBlockTags(counting([method]).request, transfers, new Set([usdc]));
    assert.deepEqual([...found.keys()], direct);
  }
  const onlyDirect = transfers.filter(({ txHash }) => direct.includes(txHash));
  const { request, asked } = counting();
  assert.equal((await readBlockTags(request, onlyDirect, new Set([usdc]))).size, 2);
  assert.deepEqual(asked, ['eth_getBlockByHash']);
});

test('the tags of a block that is gone are not read', async () => {
  const { transfers } = await crowdedBlock();
  const gone = transfers.map((each) => ({ ...each, blockHash: `0x${'ab'.repeat(32)}` as const }));
  await assert.rejects(readBlockTags(sandbox.request, gone, new Set([usdc])), BlockGoneError);
});
