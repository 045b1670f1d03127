import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPublishing } from './publishing.ts';

test('a fault of publishing is logged once, stops nothing, and is over when it is mended', async () => {
  const logged: string[] = [];
  let publishedCount = 0;
  let isBroken = true;
  const events = {
    async publish() {
      if (isBroken) throw new Error('permission denied');
      publishedCount += 1;
      return { ok: true, published: 0 } as const;
    },
    prune: async () => ({ ok: true, pruned: 0 }) as const,
  };
  const ground = { environment: 'sandbox', events, keptMs: 1, nowMs: Date.now } as const;
  const log = { error: (_: object, message: string) => logged.push(message) };
  const publishing = startPublishing(ground, log as never);
  await sleep(1_200);
  isBroken = false;
  for (let tries = 0; tries < 100 && publishedCount === 0; tries += 1) await sleep(50);
  await publishing.close();
  assert.ok(publishedCount > 0);
  assert.equal(logged.length, 1);
});
