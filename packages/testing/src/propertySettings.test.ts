import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPropertySettings } from './propertySettings.ts';

const NOW_MS = 2 ** 31 + 7;

test('without variables a run takes a seed of the clock and the everyday number of cases', () => {
  assert.deepEqual(readPropertySettings({}, NOW_MS), {
    seed: 7,
    isSeedGiven: false,
    scale: 1,
    mostRuns: undefined,
  });
});

test('a run is repeated, made longer and bounded by its variables', () => {
  const environment = { FC_SEED: '-1841', FC_SCALE: '50', FC_RUNS: '10' };
  assert.deepEqual(readPropertySettings(environment, NOW_MS), {
    seed: -1841,
    isSeedGiven: true,
    scale: 50,
    mostRuns: 10,
  });
});

test('a variable that is no such number ends the run and says what it must be', () => {
  for (const [name, texts] of Object.entries({
    FC_SEED: ['abc', '', ' 7', '1.5', '1e3', '2147483648', '-2147483649', 'NaN'],
    FC_SCALE: ['abc', '', '0', '-1', '0.5', 'Infinity', '1000001'],
    FC_RUNS: ['abc', '', '0', '-1', '2.5'],
  }))
    for (const text of texts)
      assert.throws(
        () => readPropertySettings({ [name]: text }, NOW_MS),
        new RegExp(`^Error: ${name} must be a whole number from -?\\d+ to \\d+, and is "${text}"$`),
      );
});
