import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { RpcCall } from './lie.ts';
import { liesAbout } from './lies.ts';
import { startLyingNode } from './lyingNode.ts';
import { createMiningGate } from './miningGate.ts';

const HASH = `0x${'1'.repeat(64)}`;
const HEADER = {
  ...{ hash: HASH, parentHash: HASH, sha3Uncles: HASH, miner: `0x${'2'.repeat(40)}`, stateRoot: HASH },
  ...{ transactionsRoot: HASH, receiptsRoot: HASH, logsBloom: `0x${'00'.repeat(256)}`, difficulty: '0x0' },
  ...{ number: '0x7', gasLimit: '0x1', gasUsed: '0x0', timestamp: '0x64', extraData: '0x', mixHash: HASH },
  ...{ nonce: '0x0000000000000000', baseFeePerGas: '0x7' },
};

/** A node of a chain of one block, with true balances. */
async function startHonestNode(t: TestContext, balance: string): Promise<string> {
  const answers: Record<string, unknown> = {
    eth_getBlockByNumber: HEADER,
    eth_blockNumber: HEADER.number,
    eth_getBalance: balance,
    eth_chainId: '0x5',
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method } = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall;
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answers[method] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('answers that are the truth are not counted as lies, however a lie asks for them', async (t) => {
  const urls = [await startHonestNode(t, '0x1'), await startHonestNode(t, '0x2')] as const;
  const liar = await startLyingNode(...urls, createMiningGate());
  t.after(() => liar.close());
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    await (await fetch(liar.url, { method: 'POST', body })).text();
  };
  const lies = liesAbout({ address: '', reserves: [] });
  const told = async (name: string, method: string, ...params: readonly unknown[]) => {
    await liar.tell(lies[name]);
    await ask(method, ...params);
    return liar.told();
  };
  assert.equal(await told('sealed block', 'eth_chainId'), 0);
  assert.equal(await told('sealed block', 'eth_getBalance', '0x1', { blockHash: HASH }), 0);
  assert.equal(await told('sealed block', 'eth_blockNumber'), 1);
  assert.equal(await told('sealed block', 'eth_getBlockByNumber', 'latest', false), 1);
  assert.equal(await told('other fork', 'eth_chainId'), 0);
  assert.equal(await told('other fork', 'eth_getBalance', '0x1', 'latest'), 1);
  assert.equal(await told('broken server', 'eth_chainId'), 1);
});
