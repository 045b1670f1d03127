import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gasOf } from './receiptGas.ts';

const RECEIPT = { status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x3b9aca00' };
const UNITS = 21_000n;

test('the cost of a transaction is its gas at its price, and what its chain takes for the data', () => {
  assert.deepEqual(gasOf(RECEIPT), { units: UNITS, costWei: 21_000_000_000_000n });
  assert.deepEqual(gasOf({ ...RECEIPT, l1Fee: '0x7' }), { units: UNITS, costWei: 21_000_000_000_007n });
  assert.deepEqual(gasOf({ ...RECEIPT, effectiveGasPrice: '0x0' }), { units: UNITS, costWei: 0n });
  const noOthers = { l1Fee: null, blobGasUsed: '0x0', operatorFeeConstant: '0x0' };
  assert.deepEqual(gasOf({ ...RECEIPT, ...noOthers }), gasOf(RECEIPT));
});

test('a receipt without gas, or with what is no gas, tells of none', () => {
  const huge = `0x${'f'.repeat(64)}`;
  for (const gasUsed of [undefined, null, '', '0x', '0x0', '21000', 21_000, {}, `${huge}f`, huge])
    assert.equal(gasOf({ ...RECEIPT, gasUsed }), undefined, JSON.stringify(gasUsed));
});

test('a cost of which a part is not known is not known', () => {
  const parts = ['effectiveGasPrice', 'l1Fee', 'blobGasUsed', 'operatorFeeScalar', 'operatorFeeConstant'];
  for (const part of parts)
    for (const said of ['nonsense', '-0x1', 7, [], `0x${'f'.repeat(64)}`])
      assert.deepEqual(
        gasOf({ ...RECEIPT, [part]: said }),
        { units: UNITS },
        `${part}: ${JSON.stringify(said)}`,
      );
  assert.deepEqual(gasOf({ ...RECEIPT, effectiveGasPrice: undefined }), { units: UNITS });
  assert.deepEqual(gasOf({ ...RECEIPT, blobGasUsed: '0x20000' }), { units: UNITS });
});
