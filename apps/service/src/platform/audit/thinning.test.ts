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

test('reveals are all written', () => {
  const { kept, add } = thinned();
  for (let sent = 0; sent < 200; sent += 1)
    add({ event: 'REVEAL_GRANTED', planId: 'plan_1', credentialId: 'cred_1' });
  assert.equal(kept.length, 200);
});

test('refused reveals of one credential are six lines and one count in a window', () => {
  const { kept, add, endWindow } = thinned();
  const refused = (credentialId: string) =>
    add({ event: 'REVEAL_REFUSED', reason: 'not-found', credentialId, address: '10.0.0.1' });
  for (let sent = 0; sent < 1000; sent += 1) refused('cred_1');
  assert.equal(kept.length, 6);
  refused('cred_2');
  assert.equal(kept.length, 7, 'those of another credential are written');
  endWindow();
  assert.deepEqual(kept.slice(7), [{ event: 'REPEATED', of: 'REVEAL_REFUSED', count: 994 }]);
});

/** Adds a sign-in of cred_1. */
const signInOf = (address: string, credentialId = 'cred_1') =>
  ({ event: 'SIGN_IN_GRANTED', credentialId, address }) as const;

test('sign-ins are written once an hour for each credential and network', () => {
  const { kept, add, later } = thinned();
  for (let sent = 0; sent < 250; sent += 1) add(signInOf(`192.0.2.${sent}`));
  for (let sent = 0; sent < 250; sent += 1) add(signInOf(`2001:db8:7:${sent}::1`));
  assert.equal(kept.length, 2);
  add(signInOf('192.0.3.1'));
  add(signInOf('192.0.2.1', 'cred_2'));
  assert.equal(kept.length, 4);
  later(3_600_000);
  add(signInOf('192.0.2.9'));
  assert.deepEqual(
    kept.map((each) => each.event === 'SIGN_IN_GRANTED' && each.signIns),
    [1, 250, 250, 1, 1],
    'a line counts those of its credential since the line before',
  );
});

test('sign-ins of one credential from very many networks are at most twenty lines an hour', () => {
  const { kept, add, later } = thinned();
  for (let sent = 0; sent < 100_000; sent += 1) add(signInOf(`10.${sent % 256}.${(sent >> 8) % 256}.1`));
  assert.equal(kept.length, 20);
  add(signInOf('192.0.2.1', 'cred_2'));
  assert.equal(kept.length, 21, 'those of another credential are written');
  later(3_600_000);
  add(signInOf('10.0.0.1'));
  const last = kept.at(-1);
  assert.deepEqual(last?.event === 'SIGN_IN_GRANTED' && last.signIns, 99_981, 'none is left uncounted');
});
