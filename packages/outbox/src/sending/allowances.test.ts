import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DueEndpoint } from '../endpoints/claim.ts';
import { createAllowances, MOST_UNDER_WAY } from './allowances.ts';

const of = (endpointId: string, organisationId = endpointId, isFailing = false): DueEndpoint => ({
  ...{ endpointId, isFailing },
  scope: { organisationId, environment: 'production' },
});

/** Allowances, and a way to begin all that an endpoint may; it answers how many are under way in all. */
function start() {
  const allowances = createAllowances();
  let all = 0;
  const take = (endpoint: DueEndpoint) => {
    for (let more = allowances.more(endpoint); more > 0; more -= 1, all += 1) allowances.begin(endpoint);
    return all;
  };
  return { allowances, take };
}

test('an endpoint gets 16 at most, one that fails 2, and what has ended is free again', () => {
  const allowances = createAllowances();
  const a = of('a');
  assert.deepEqual([allowances.more(a), allowances.more(of('b', 'b', true))], [16, 2]);
  const ends = Array.from({ length: 16 }, () => allowances.begin(a));
  assert.deepEqual([allowances.more(a), allowances.of(a), allowances.ofOrganisation(a)], [0, 16, 16]);
  for (const end of ends) end();
  assert.deepEqual([allowances.more(a), allowances.of(a), allowances.ofOrganisation(a)], [16, 0, 0]);
});

test('however many endpoints hang, some attempts are left for others; failing ones get few', () => {
  const { allowances, take } = start();
  for (let count = 0; count < 200; count += 1) take(of(`failing ${count}`, 'a', true));
  assert.equal(take(of('one more', 'b', true)), 32);
  let all = 0;
  for (let count = 0; count < 12; count += 1) all = take(of(`hung ${count}`));
  assert.ok(all < MOST_UNDER_WAY, `${all}`);
  assert.ok(allowances.more(of('another')) > 0);
});

test('an organisation with all the endpoints that it may have leaves half to others', () => {
  const { allowances, take } = start();
  let all = 0;
  for (let count = 0; count < 20; count += 1) all = take(of(`slow ${count}`, 'a'));
  assert.ok(all <= MOST_UNDER_WAY / 2 + 1, `${all}`);
  assert.equal(allowances.more(of('another', 'b')), 15);
});
