import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startHarness } from '../../../test/httpHarness.ts';
import { createErasureKeeper } from '../../platform/erasures/erasureKeeper.ts';

const erasures = createErasureKeeper(undefined, 'production', () => {});
const harness = await startHarness({ erasures });
after(() => harness.close());

test('production without a file of erasures erases nobody, and says who can mend that', async () => {
  const url = `/v1/recipients/rcp_${'0'.repeat(32)}/erase`;
  const { status, json } = await harness.call({ url, method: 'POST' });
  assert.deepEqual([status, json.code], [409, 'recipient-not-erasable']);
  assert.match(String(json.detail), /tell the operator, who sets FAIRWAY_ERASURE_LOG/);
});
