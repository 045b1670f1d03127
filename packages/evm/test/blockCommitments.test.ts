import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom, createTraffic, startTestChain, type TestChain } from '@fairway/testing';
import { readBloom } from '../src/rpc/bloom.ts';
import { headerHash } from '../src/rpc/headerHash.ts';
import { type BlockReceipt, receiptsRoot } from '../src/rpc/receiptsRoot.ts';

// Hashes, blooms and roots are compared with those of a real node.

type Hex = `0x${string}`;
type Header = Readonly<Record<string, unknown>> & {
  readonly hash: Hex;
  readonly logsBloom: Hex;
  readonly receiptsRoot: Hex;
};
type Block = { readonly header: Header; readonly receipts: readonly BlockReceipt[] };

let chain: TestChain;
let blocks: readonly Block[];

before(async () => {
  chain = await startTestChain();
  const traffic = await createTraffic(chain, createRandom());
  for (let count = 0; count < 30; count++) await traffic.trade();
  await mineManyTransfers(300);
  const last = Number(await chain.rpc<Hex>('eth_blockNumber'));
  const numbers = Array.from({ length: last + 1 }, (_, number): Hex => `0x${number.toString(16)}`);
  blocks = await Promise.all(numbers.map(readBlock));
});
after(() => chain?.close());

async function readBlock(number: Hex): Promise<Block> {
  const header = await chain.rpc<Header>('eth_getBlockByNumber', [number, false]);
  return { header, receipts: await chain.rpc<BlockReceipt[]>('eth_getBlockReceipts', [header.hash]) };
}

/** One block with many transactions, so that its trie of receipts has several levels. */
async function mineManyTransfers(count: number): Promise<void> {
  const [from, to] = chain.accounts.map(({ address }) => address);
  await chain.rpc('evm_setAutomine', [false]);
  for (let sent = 0; sent < count; sent++)
    await chain.rpc('eth_sendTransaction', [{ from, to, value: '0x1', gas: '0x5208' }]);
  await chain.rpc('anvil_mine', ['0x1']);
  await chain.rpc('evm_setAutomine', [true]);
}

test("a header's hash is computed as the node computes it", () => {
  for (const { header } of blocks) assert.equal(headerHash(header), header.hash);
  const [{ header } = assert.fail('there are blocks')] = blocks.slice(-1);
  assert.notEqual(headerHash({ ...header, baseFeePerGas: '0x1' }), header.hash);
  const { stateRoot, ...incomplete } = header;
  assert.equal(headerHash(incomplete), undefined, String(stateRoot));
});

test("the root of a block's receipts is computed as the node computes it", () => {
  for (const { header, receipts } of blocks) assert.equal(receiptsRoot(receipts), header.receiptsRoot);
  assert.ok(blocks.some(({ receipts }) => receipts.length > 128 && receipts.length <= 301));
  const full = blocks.filter(({ receipts }) => receipts.length > 1);
  for (const { header, receipts } of full) {
    assert.notEqual(receiptsRoot(receipts.slice(1)), header.receiptsRoot);
    assert.notEqual(receiptsRoot(receipts.toReversed()), header.receiptsRoot);
  }
});

test("a block's bloom contains its logs, and hardly anything else", () => {
  let checked = 0;
  let wrong = 0;
  for (const { header, receipts } of blocks) {
    const mayContain = readBloom(header.logsBloom);
    for (const { address, topics } of receipts.flatMap(({ logs }) => logs))
      for (const item of [address, ...topics]) {
        assert.ok(mayContain(item));
        checked++;
      }
    if (mayContain(`0x${'ab'.repeat(20)}`)) wrong++;
  }
  assert.ok(checked > 100);
  assert.ok(wrong < blocks.length / 10);
});
