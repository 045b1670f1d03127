import assert from 'node:assert/strict';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { createPlanTag } from './planTags.ts';

const SERVER_KEY = Buffer.alloc(32, 7);
const PLAN = 'plan_01a1ee565e007abc8def0123456789ab';

test('a tag names its plan and shows with an HMAC of plan and attempt who made it', () => {
  const key = Buffer.from(hkdfSync('sha256', SERVER_KEY, Buffer.alloc(0), 'fairway plan tags v1', 32));
  const name = createHash('sha256').update(`fairway plan ${PLAN}`).digest('hex').slice(0, 12);
  const proof = createHmac('sha256', key).update(`${PLAN}\x003`).digest('hex').slice(0, 20);
  assert.equal(createPlanTag(SERVER_KEY)(PLAN, 3), `0x${name}${proof}`);
});

test('each attempt, each plan and each key has other tags, and the same ones every time', () => {
  const planTag = createPlanTag(SERVER_KEY);
  const tags = [0, 1, 2, 10, 11].flatMap((position) => [
    planTag(PLAN, position),
    planTag(`${PLAN.slice(0, -1)}c`, position),
    createPlanTag(Buffer.alloc(32, 8))(PLAN, position),
  ]);
  assert.equal(new Set(tags).size, tags.length);
  assert.equal(createPlanTag(SERVER_KEY)(PLAN, 1), planTag(PLAN, 1));
  assert.ok(tags.every((tag) => /^0x[0-9a-f]{32}$/.test(tag)));
});
