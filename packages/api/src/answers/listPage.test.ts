import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@fairway/wire';
import { done, refuse } from './problemFacts.ts';
import { pageAnswer } from './listPage.ts';

type Page = { readonly data: readonly { readonly n: number }[]; readonly nextCursor?: string };

/** A list of `count` numbered items of about `bytes` bytes each. `reads`: how many items each read asked for. */
function listOf(count: number, bytes: number) {
  const reads: number[] = [];
  return {
    reads,
    seal: 'seal',
    read: async ({ limit, after }: { readonly limit: number; readonly after: string | undefined }) => {
      reads.push(limit);
      const from = after === undefined ? 0 : Number(after) + 1;
      const items = Array.from({ length: Math.min(limit, count - from) }, (_, index) => from + index);
      return done({ items, next: from + limit < count ? String(from + limit - 1) : undefined });
    },
    bodyOf: (n: number) => ({ n, text: 'ä'.repeat(bytes / 2) }),
    placeOf: String,
  };
}

async function pageAt(list: ReturnType<typeof listOf>, limit: number, after: string | undefined) {
  const answer = await pageAnswer({ limit, after }, list);
  assert.ok(answer.ok && 'json' in answer);
  const page = JSON.parse(answer.json) as Page;
  const { nextCursor } = page;
  const next = nextCursor && Buffer.from(nextCursor, 'base64url').toString().split('.')[1];
  return { bytes: Buffer.byteLength(answer.json), numbers: page.data.map(({ n }) => n), next };
}

test('a page ends before it has more bytes than the limit, and its cursor continues behind it', async () => {
  const list = listOf(100, 20_000);
  const seen: number[] = [];
  let after: string | undefined;
  do {
    const page = await pageAt(list, 100, after);
    assert.ok(page.bytes <= LIMITS.pageBytes + 1_000, `${page.bytes} bytes`);
    assert.ok(page.bytes > LIMITS.pageBytes - 25_000 || page.next === undefined);
    seen.push(...page.numbers);
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test('a page has one item at least, however long it is', async () => {
  const { numbers, next } = await pageAt(listOf(2, 2 * LIMITS.pageBytes), 100, undefined);
  assert.deepEqual([numbers, next], [[0], '0']);
});

test('a long page is read in parts, so that other requests are served in between', async () => {
  const list = listOf(1_000, 10);
  const { numbers, next } = await pageAt(list, 50, undefined);
  assert.deepEqual([numbers.length, next], [50, '49']);
  assert.deepEqual(list.reads, [20, 20, 10]);
});

test('the last page and an empty page have no cursor', async () => {
  assert.deepEqual((await pageAt(listOf(0, 10), 20, undefined)).next, undefined);
  const { numbers, next } = await pageAt(listOf(20, 10), 20, undefined);
  assert.deepEqual([numbers.length, next], [20, undefined]);
});

test('a page whose read fails is refused', async () => {
  const problem = { code: 'upstream-unavailable', detail: 'away' } as const;
  const list = { ...listOf(1, 1), read: async () => refuse(problem) };
  assert.deepEqual(await pageAnswer({ limit: 1, after: undefined }, list), { ok: false, problem });
});
