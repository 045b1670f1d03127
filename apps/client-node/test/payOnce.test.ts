import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { payOnce } from './payOnce.ts';

test('payments happen exactly once, whenever the node is killed', { timeout: 600_000 }, async (context) => {
  const random = createRandom();
  console.log(`FC_SEED=${random.seed}`);
  context.diagnostic(await payOnce({ payments: 6, kills: 10, reorganisations: 4 }, random));
});
