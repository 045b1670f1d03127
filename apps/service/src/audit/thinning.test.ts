import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThinning, type Kept } from './thinning.ts';

function thinned() {
  const kept: Kept[] = [];
  let nowMs = 0;
  const thinning = createThinning(
    (each) => kept.push(each),
    () => nowMs,
  );
  const later = (ms: number) => {
    nowMs += ms;
  };
  return { kept, later, ...thinning };
}

const wrong = (address: string) =>
  ({ event: 'SIGN_IN_REFUSED', status: 401, reason: 'WRONG', route: 'GET /health', address }) as const;

test('a flood of refused sign-ins becomes at most sixty lines and one count in a window', () => {
  const { kept, add, endWindow } = thinned();
  for (let sent = 0; sent < 100_000; sent += 1) add(wrong(`10.0.${sent % 200}.${sent % 250}`));
  assert.equal(kept.length, 60);
  endWindow();
  assert.deepEqual(kept.slice(60), [{ event: 'REPEATED', of: 'SIGN_IN_REFUSED 401', count: 99_940 }]);
  add(wrong('10.0.0.1'));
  assert.equal(kept.length, 62, 'the next window writes lines again');
});

test('a flood from one address does not hide refused sign-ins from others, nor other refusals', () => {
  const { kept, add } = thinned();
  for (let sent = 0; sent < 1000; sent += 1) add(wrong('10.0.0.1'));
  assert.equal(kept.length, 6);
  add(wrong('10.0.0.2'));
  add({ event: 'REQUEST_REFUSED', status: 403, route: 'GET /health', address: '10.0.0.1' });
  assert.equal(kept.length, 8);
});

test('reveals and commands are all written, and sign-ins once an hour for each address', () => {
  const { kept, add, later } = thinned();
  for (let sent = 0; sent < 200; sent += 1)
    add({ event: 'REVEAL_GRANTED', planId: 'plan_1', credentialId: 'cred_1' });
  assert.equal(kept.length, 200);
  const signIn = (address: string) => add({ event: 'SIGN_IN_GRANTED', credentialId: 'cred_1', address });
  for (let sent = 0; sent < 10; sent += 1) signIn('10.0.0.1');
  signIn('10.0.0.2');
  assert.equal(kept.length, 202);
  later(3_600_000);
  signIn('10.0.0.1');
  const last = kept.at(-1);
  assert.ok(last?.event === 'SIGN_IN_GRANTED');
  assert.equal(last.signIns, 10, 'the line counts those since the line before');
});
