import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priorityFeeOf, readGasTerms } from '../rpc/feeHistory.ts';
import { NodeNonsenseError, RpcAnswerError, TooFewNodesError } from '../rpc/errors.ts';
import { agreedFeeHistory } from './agreedFeeHistory.ts';

const GWEI = 10n ** 9n;

/** A history of blocks, each with its median priority fee and what part of it is full. */
function historyOf(...blocks: readonly (readonly [fee: bigint, full: number])[]) {
  return {
    oldestBlock: '0x1',
    baseFeePerGas: blocks.map(() => '0x0'),
    gasUsedRatio: blocks.map(([, full]) => full),
    reward: blocks.map(([fee]) => [`0x${fee.toString(16)}`]),
  };
}

function nodesSaying(...said: readonly unknown[]) {
  return said.map((history, index) => ({
    name: `node${index}`,
    async request() {
      if (history instanceof Error) throw history;
      return history;
    },
  }));
}

const CALL = { method: 'eth_feeHistory', params: ['0x14', 'latest', [50]] };
const lacksIt = new RpcAnswerError(-32_601, 'the method does not exist', undefined);

async function agreed(agreement: number, ...said: readonly unknown[]): Promise<bigint> {
  return priorityFeeOf(await agreedFeeHistory(nodesSaying(...said), agreement, CALL));
}

test('the priority fee is the median of blocks that are not empty', () => {
  const busy = [3n, 1n, 9n].map((fee) => [fee * GWEI, 0.5] as const);
  assert.equal(priorityFeeOf(historyOf(...busy, [0n, 0], [0n, 0], [0n, 0])), 3n * GWEI);
  assert.equal(priorityFeeOf(historyOf([5n, 0], [7n, 0])), 0n);
  assert.equal(priorityFeeOf(historyOf()), 0n);
});

test('what is no fee history is refused', () => {
  const odd = [null, 'x', {}, { reward: [['0x1']] }, { reward: [[1]], gasUsedRatio: [1] }];
  for (const history of [
    ...odd,
    { reward: [[]], gasUsedRatio: [1] },
    { reward: [['-1']], gasUsedRatio: [1] },
  ])
    assert.throws(() => priorityFeeOf(history), NodeNonsenseError);
});

test('one liar of three nodes does not choose the priority fee, whatever it says', async () => {
  const honest = [historyOf([GWEI, 1]), historyOf([GWEI + 5n, 1])];
  for (const lie of [historyOf([10n ** 40n, 1]), historyOf([0n, 1]), 'nonsense', lacksIt]) {
    const fee = await agreed(2, lie, ...honest);
    assert.ok(fee >= GWEI && fee <= GWEI + 5n, `${fee}`);
  }
});

test('where only enough nodes answer, a liar among them cannot raise the fee', async () => {
  assert.equal(await agreed(2, historyOf([10n ** 40n, 1]), historyOf([GWEI, 1]), lacksIt), GWEI);
  const [lie, other] = [historyOf([10n ** 40n, 1]), historyOf([10n ** 39n, 1])];
  assert.equal(await agreed(3, lie, other, historyOf([GWEI, 1]), lacksIt, lacksIt), GWEI);
});

test('fewer readable histories than must agree are none', async () => {
  await assert.rejects(agreed(2, historyOf([GWEI, 1]), lacksIt, 'nonsense'), TooFewNodesError);
});

test('a node that lacks fee histories leaves the fee out and tells of the data fee still', async () => {
  const terms = await readGasTerms(async ({ method, params: [address] = [] }) => {
    if (method === 'eth_feeHistory') throw lacksIt;
    return String(address).startsWith('0x42') ? '0x60' : '0x';
  });
  assert.deepEqual(terms, { hasDataFee: true });
  const plain = await readGasTerms(async ({ method }) =>
    method === 'eth_feeHistory' ? historyOf([GWEI, 1]) : '0x',
  );
  assert.deepEqual(plain, { priorityFeePerGas: GWEI, hasDataFee: false });
});
