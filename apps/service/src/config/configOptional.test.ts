// Members of the configuration that may be left out: how long events are kept, and who has to approve payments.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../test/exampleNodes.ts';
import { parseConfigFile } from './configFile.ts';

const path = join(import.meta.dirname, '../../../../examples/config/fairway.json');
const DAY_MS = 86_400_000;

type Example = { payments: { corridors: object[] } };

/** The example's configuration with these members. */
function configWith(more: (example: Example) => object) {
  const example = JSON.parse(readFileSync(path, 'utf8')) as Example;
  const text = JSON.stringify({ ...example, ...more(example) });
  return parseConfigFile(path, (each) => (each === path ? text : readFileSync(each, 'utf8')), EXAMPLE_NODES);
}

test('events are kept for thirty days, or for the days that the configuration says', () => {
  assert.equal(configWith(() => ({})).eventsKeptMs, 30 * DAY_MS);
  assert.equal(configWith(() => ({ events: { keepDays: 90 } })).eventsKeptMs, 90 * DAY_MS);
  assert.throws(() => configWith(() => ({ events: { keepDays: 0 } })), /events\.keepDays/);
});

test('a corridor may ask for a second person above an amount, and asks for none by itself', () => {
  const aboveOf = (more: object) =>
    configWith(({ payments }) => {
      const [first, ...others] = payments.corridors;
      return { payments: { ...payments, corridors: [{ ...first, ...more }, ...others] } };
    }).payments?.corridors[0]?.paymentApproval?.above;
  assert.equal(aboveOf({}), undefined);
  assert.equal(aboveOf({ paymentApproval: { above: '25000000' } }), '25000000');
  assert.equal(aboveOf({ paymentApproval: { above: '0' } }), '0');
  assert.throws(() => aboveOf({ paymentApproval: { above: '1.5' } }), /paymentApproval\.above/);
});
