// All transfers of a token to an address, no others, and of one chain only, whatever limits a node has.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Address, toAddress } from '@fairway/engine';
import { type DepositReading, readDeposits, touchedAddresses } from '../src/evidence/readDeposits.ts';
import { addressToTopic, TRANSFER_TOPIC } from '../src/evidence/tokenTransfer.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { BlockGoneError, RpcAnswerError, RpcUnreachableError } from '../src/rpc/rpcErrors.ts';
import { logWriterCode, startTokenSandbox, type TokenSandbox } from './tokenSandbox.ts';

type Filter = {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address: readonly string[];
  readonly topics: readonly [string, null, readonly string[]];
};

let sandbox: TokenSandbox;
let usdc: Address;
let fromBlock: bigint;
let address: Address;
let addressCount = 0;

before(async () => {
  sandbox = await startTokenSandbox();
  usdc = sandbox.token('USDC');
});
after(() => sandbox?.close());

/** A deposit address that nothing was ever sent to. */
function freshAddress(): Address {
  addressCount += 1;
  return toAddress(`0xde9051${addressCount.toString(16).padStart(34, '0')}`);
}

beforeEach(async () => {
  address = freshAddress();
  fromBlock = (await latestHead(sandbox.request)).number + 1n;
});

const mine = (blocks: number): Promise<unknown> =>
  sandbox.chain.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);

const read = (request: RpcRequest = sandbox.request, token = usdc): Promise<DepositReading> =>
  readDeposits(request, { token, address, fromBlock });

async function amounts(request?: RpcRequest, token?: Address): Promise<bigint[]> {
  return (await read(request, token)).transfers.map(({ amount }) => amount);
}

/** Sees each request for logs before the node does. */
function watchingLogs(see: (filter: Filter) => unknown): RpcRequest {
  return async (call) => {
    if (call.method === 'eth_getLogs') await see(call.params?.[0] as Filter);
    return sandbox.request(call);
  };
}

const widthOf = (filter: Filter): number => Number(filter.toBlock) - Number(filter.fromBlock) + 1;

/** A node that refuses ranges of more blocks, and records each range that it was asked for. */
function refusingOver(blocks: number, ranges: number[] = []): RpcRequest {
  return watchingLogs((filter) => {
    ranges.push(widthOf(filter));
    if (widthOf(filter) > blocks) throw new RpcAnswerError(-32_600, 'range is too large', undefined);
  });
}

test('a deposit and its top-up are both read, each with its block, up to the head', async () => {
  assert.deepEqual(await amounts(), []);
  const first = await sandbox.transfer(usdc, address, 60n);
  await mine(2);
  const second = await sandbox.transfer(usdc, address, 40n);
  await mine(1);
  const { head, transfers } = await read();
  const latest = await latestHead(sandbox.request);
  assert.deepEqual(head, { number: latest.number, hash: latest.hash });
  assert.deepEqual(
    transfers.map(({ txHash, amount, blockNumber }) => ({ txHash, amount, blockNumber })),
    [
      { txHash: first, amount: 60n, blockNumber: fromBlock },
      { txHash: second, amount: 40n, blockNumber: fromBlock + 3n },
    ],
  );
  for (const { token, from, to } of transfers)
    assert.deepEqual({ token, from, to }, { token: usdc, from: sandbox.accounts[0], to: address });
});

test('deposits count from the first block on, not before it, and up to the head', async () => {
  await sandbox.transfer(usdc, address, 1n);
  await sandbox.transfer(usdc, address, 2n);
  fromBlock += 1n;
  assert.deepEqual(await amounts(), [2n]);
  fromBlock += 1n;
  assert.deepEqual(await amounts(), []);
  fromBlock += 100n;
  assert.deepEqual(await amounts(), []);
});

test('a transfer to another address or of another token is not a deposit', async () => {
  await sandbox.transfer(usdc, freshAddress(), 5n);
  await sandbox.transfer(sandbox.token('USDT'), address, 6n);
  assert.deepEqual(await amounts(), []);
  assert.deepEqual(await amounts(sandbox.request, sandbox.token('USDT')), [6n]);
});

const word = (number: bigint): string => number.toString(16).padStart(64, '0');

/** Lets a contract with this code write a Transfer log of 1000 to the deposit address. */
async function writeLog(contract: Address, topicCount: 3 | 4, data: string): Promise<void> {
  await sandbox.chain.rpc('anvil_setCode', [contract, logWriterCode(topicCount)]);
  const from = sandbox.accounts[0] as Address;
  const topics = [TRANSFER_TOPIC, addressToTopic(from), addressToTopic(address)].map((topic) =>
    topic.slice(2),
  );
  assert.ok(await sandbox.chain.send(from, contract, `0x${topics.join('')}${data}`));
}

test('a Transfer log of a hostile contract is not a deposit of the token', async () => {
  const hostile = freshAddress();
  await writeLog(hostile, 3, word(1000n));
  assert.deepEqual(await amounts(), []);
  assert.deepEqual(await amounts(sandbox.request, hostile), [1000n]);
});

test('a Transfer log of an NFT or of another layout is not a deposit', async () => {
  const pieces = freshAddress();
  await writeLog(pieces, 4, word(1000n));
  assert.deepEqual(await amounts(sandbox.request, pieces), []);
  for (const data of ['', word(1000n).slice(2), word(1000n) + word(1n)]) {
    const odd = freshAddress();
    await writeLog(odd, 3, data);
    assert.deepEqual(await amounts(sandbox.request, odd), []);
  }
});

test('a node that ignores the filter does not turn other transfers into deposits', async () => {
  await sandbox.transfer(usdc, address, 7n);
  await sandbox.transfer(usdc, freshAddress(), 8n);
  await sandbox.transfer(sandbox.token('USDT'), address, 9n);
  fromBlock += 1n;
  await sandbox.transfer(usdc, address, 10n);
  const unfiltered: RpcRequest = async (call) => {
    if (call.method !== 'eth_getLogs') return sandbox.request(call);
    await sandbox.transfer(usdc, address, 11n);
    return sandbox.request({ ...call, params: [{ fromBlock: '0x1', toBlock: 'latest' }] });
  };
  assert.deepEqual(await amounts(unfiltered), [10n]);
});

for (const blocks of [1, 3, 64]) {
  test(`a node limited to ${blocks} blocks is asked in parts, and each deposit is found once`, async () => {
    for (const amount of [1n, 2n, 3n, 4n]) {
      await sandbox.transfer(usdc, address, amount);
      await mine(17);
    }
    const ranges: number[] = [];
    assert.deepEqual(await amounts(refusingOver(blocks, ranges)), [1n, 2n, 3n, 4n]);
    const given = ranges.filter((width) => width <= blocks);
    assert.equal(
      given.reduce((sum, width) => sum + width, 0),
      72,
    );
    assert.ok(ranges.length < 2 * given.length);
  });
}

test('a node limited to two logs is asked in parts only where there are more', async () => {
  for (const amount of [1n, 2n, 3n, 4n]) await sandbox.transfer(usdc, address, amount);
  await mine(60);
  let asked = 0;
  const request: RpcRequest = async (call) => {
    const answer = await sandbox.request(call);
    if (call.method !== 'eth_getLogs') return answer;
    asked += 1;
    if ((answer as unknown[]).length > 2) throw new RpcAnswerError(-32_005, 'too many results', undefined);
    return answer;
  };
  assert.deepEqual(await amounts(request), [1n, 2n, 3n, 4n]);
  assert.equal(asked, 11);
});

test('the error of a node that gives no logs at all is passed on after a few requests', async () => {
  await mine(200);
  const ranges: number[] = [];
  await assert.rejects(read(refusingOver(0, ranges)), {
    name: 'RpcAnswerError',
    message: 'range is too large',
  });
  assert.ok(ranges.length <= 9, `${ranges.length} requests`);
});

test('an unreachable node is an error, and it is not asked again for fewer blocks', async () => {
  let asked = 0;
  const request = watchingLogs(() => {
    asked += 1;
    throw new RpcUnreachableError('timed out');
  });
  await mine(10);
  await assert.rejects(read(request), RpcUnreachableError);
  assert.equal(asked, 1);
});

test('a deposit that a reorg removes while it is read is not returned', async () => {
  await sandbox.transfer(usdc, address, 11n);
  await sandbox.transfer(usdc, address, 12n);
  let asked = 0;
  const request: RpcRequest = async (call) => {
    const answer = await sandbox.request(call);
    if (call.method === 'eth_getLogs' && ++asked === 1) await sandbox.replaceHead();
    return answer;
  };
  const { head, transfers } = await read(request);
  assert.deepEqual(
    transfers.map(({ amount }) => amount),
    [11n],
  );
  assert.equal(head.hash, (await latestHead(sandbox.request)).hash);
  assert.equal(asked, 2);
});

test('a chain that becomes shorter while it is read is read again', async () => {
  await sandbox.transfer(usdc, address, 13n);
  await mine(3);
  let asked = 0;
  const request = watchingLogs(async () => {
    if (++asked > 1) return;
    await sandbox.chain.rpc('anvil_rollback', [2]);
    throw new RpcAnswerError(-32_000, 'block range extends beyond the head', undefined);
  });
  const { head, transfers } = await read(request);
  assert.equal(head.number, fromBlock + 1n);
  assert.equal(transfers.length, 1);
});

test('a chain that is reorganised during every reading gives an error, not a mixture', async () => {
  await sandbox.transfer(usdc, address, 14n);
  await mine(1);
  let asked = 0;
  const request = watchingLogs(async () => {
    asked += 1;
    await sandbox.replaceHead();
  });
  await assert.rejects(read(request), BlockGoneError);
  assert.equal(asked, 4);
});

test('logs that make no sense are errors in a few words', async () => {
  await sandbox.transfer(usdc, address, 15n);
  const changed = (change: (logs: readonly unknown[]) => unknown): RpcRequest => {
    return async (call) => {
      const answer = await sandbox.request(call);
      return call.method === 'eth_getLogs' ? change(answer as readonly unknown[]) : answer;
    };
  };
  await assert.rejects(
    read(changed(() => null)),
    /^NodeNonsenseError: The node sent something that is no list of logs$/,
  );
  await assert.rejects(
    read(changed((logs) => [...logs, ...logs])),
    /^NodeNonsenseError: The node sent a log twice$/,
  );
  const removed = changed((logs) => logs.map((log) => ({ ...(log as object), removed: true })));
  assert.deepEqual(await amounts(removed), []);
});

test('of many addresses, those that got any of the tokens are found with few requests', async () => {
  const [usdt, dai] = [sandbox.token('USDT'), sandbox.token('DAI')];
  const addresses = Array.from({ length: 900 }, freshAddress);
  const [early, first, last, otherToken] = [addresses[1], addresses[0], addresses[899], addresses[500]];
  assert.ok(early && first && last && otherToken);
  await sandbox.transfer(usdc, early, 1n);
  await sandbox.transfer(usdc, first, 1n);
  await sandbox.transfer(usdt, last, 1n);
  await sandbox.transfer(usdt, last, 2n);
  await sandbox.transfer(dai, otherToken, 1n);
  await sandbox.transfer(usdc, freshAddress(), 1n);
  const toBlock = (await latestHead(sandbox.request)).number;
  await sandbox.transfer(usdc, otherToken, 1n);
  const filters: Filter[] = [];
  const wanted = { tokens: [usdc, usdt], addresses, fromBlock: fromBlock + 1n, toBlock };
  const touched = await touchedAddresses(
    watchingLogs((filter) => filters.push(filter)),
    wanted,
  );
  assert.deepEqual(touched, new Set([first, last]));
  assert.deepEqual(
    filters.map(({ address: emitters, topics }) => [emitters, topics[2].length]),
    [400, 400, 100].map((recipients) => [[usdc, usdt], recipients]),
  );
  assert.deepEqual(await touchedAddresses(refusingOver(2), wanted), touched);
});

test('without addresses, tokens or blocks no address is found, and no node is asked', async () => {
  const request = watchingLogs(() => assert.fail('logs were asked for'));
  const blocks = { fromBlock: 1n, toBlock: 2n };
  for (const wanted of [
    { tokens: [usdc], addresses: [], ...blocks },
    { tokens: [], addresses: [address], ...blocks },
    { tokens: [usdc], addresses: [address], fromBlock: 2n, toBlock: 1n },
  ])
    assert.deepEqual(await touchedAddresses(request, wanted), new Set());
});
