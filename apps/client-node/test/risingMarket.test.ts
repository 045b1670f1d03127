// Blocks become three times as dear within ten blocks: what is stuck offers more, by a tenth or not at all, up to the cap.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTransaction } from 'viem';
import { ask, type Ground, mine, outcomes, paid, startKindGround, until, untilOver } from './ground.ts';

const GWEI = 10n ** 9n;
const CAP_WEI = 20n * GWEI;

test('what is stuck in a rising market is mined, and nothing offers more than the cap', async () => {
  await using ground = await startKindGround();
  const { node } = ground;
  await mineAt(ground, GWEI);
  const rules = { maxFeePerGasCapWei: String(CAP_WEI), bumpAfterBlocks: 2, mostPending: 8 };
  ground.another('journal', { rules }).start();
  // The node takes them, and no block maker sees them before the market has risen.
  node.behave(({ method }) => (method === 'eth_sendRawTransaction' ? 'SILENT_BEFORE' : undefined));
  const asked = [...(await ask(ground, ['a', 'b', 'c', 'd']))];
  await until(async () => new Set(offers(ground).map(({ nonce }) => nonce)).size === 4, 'all are offered');
  let baseWei = GWEI;
  for (let block = 0; block < 10; block += 1) await mineAt(ground, (baseWei = (baseWei * 9n) / 8n));
  assert.ok(baseWei > 3n * GWEI);
  node.behave(() => undefined);
  const firstFees = offers(ground).filter(({ nonce }) => nonce === 3);
  assert.ok(
    firstFees.every(({ maxFeePerGas }) => maxFeePerGas < baseWei),
    'the last one is too cheap by now',
  );
  await untilOver(ground, () => mineAt(ground, baseWei));
  assert.deepEqual(
    await outcomes(ground),
    asked.map(() => 'CONFIRMED'),
  );
  assert.deepEqual(await paid(ground, asked), [1, 1, 1, 1]);
  assert.equal(node.counts.underpriced, 0, 'each replacement is a tenth dearer');
  for (const nonce of [0, 1, 2, 3]) assert.ok(feesAt(ground, nonce).size > 1, `${nonce} was replaced`);

  // A market above the cap is waited for.
  asked.push(...(await ask(ground, ['e'])));
  for (let block = 0; block < 12; block += 1) await mineAt(ground, 2n * CAP_WEI);
  assert.deepEqual(await paid(ground, asked.slice(-1)), [0]);
  assert.ok(feesAt(ground, 4).size >= 1, 'it was offered all the same');
  await untilOver(ground, () => mineAt(ground, GWEI));
  assert.deepEqual(await paid(ground, asked.slice(-1)), [1]);
  const most = offers(ground).map(({ maxFeePerGas }) => maxFeePerGas);
  assert.ok(
    most.every((each) => each <= CAP_WEI && each * 9n <= CAP_WEI * 8n),
    'a cancellation has room',
  );
});

function offers({ node }: Ground): { readonly nonce: number; readonly maxFeePerGas: bigint }[] {
  return node.sent
    .map((raw) => parseTransaction(raw))
    .map(({ nonce = 0, maxFeePerGas = 0n }) => ({ nonce, maxFeePerGas }));
}

function feesAt(ground: Ground, nonce: number): ReadonlySet<bigint> {
  const own = offers(ground).filter((each) => each.nonce === nonce);
  return new Set(own.map(({ maxFeePerGas }) => maxFeePerGas));
}

/** A block of this base fee, and time to look at it. */
async function mineAt(ground: Ground, baseFeeWei: bigint): Promise<void> {
  await ground.chain.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${baseFeeWei.toString(16)}`]);
  await mine(ground);
}
