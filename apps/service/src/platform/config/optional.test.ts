// Optional members of the configuration: how long events are kept, and who has to approve payments. Also where
// transactions can be looked up, and which eMoney providers are paid.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../../test/exampleNodes.ts';
import { parseConfigFile } from './file.ts';

const path = join(import.meta.dirname, '../../../../../examples/config/fairway.json');
const DAY_MS = 86_400_000;

type Example = { chains: object[]; payments: { corridors: object[] } };

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

test('a corridor can ask for a check of the payee, but not one whose recipients are e-mailed', () => {
  const acceptedOf = (payeeCheck: object, type?: 'EMAIL') =>
    configWith(({ payments }) => {
      const [first, ...others] = payments.corridors;
      const target = { ...(first as { target: object }).target, ...(type && { type }) };
      return { payments: { ...payments, corridors: [{ ...first, target, payeeCheck }, ...others] } };
    }).payments?.corridors[0]?.payeeCheck?.accepted;
  assert.deepEqual(acceptedOf({ accepted: ['MATCH', 'NOT_POSSIBLE'] }), ['MATCH', 'NOT_POSSIBLE']);
  for (const accepted of [[], ['NO_MATCH'], ['MATCH', 'MATCH']])
    assert.throws(() => acceptedOf({ accepted }), /payeeCheck\.accepted/);
  assert.throws(() => acceptedOf({ accepted: ['MATCH'] }, 'EMAIL'), /payeeCheck: who is e-mailed gives/);
});

test('a block explorer is the address that transactions come below', () => {
  const read = (explorerUrl?: string) =>
    configWith(({ chains }) => ({ chains: chains.map((chain) => ({ ...chain, explorerUrl })) })).chains[0]
      ?.explorerUrl;
  assert.equal(read(), undefined);
  assert.equal(read('https://basescan.org'), 'https://basescan.org');
  assert.equal(read('https://explorer.example/base/'), 'https://explorer.example/base');
  for (const url of ['http://basescan.org', 'basescan.org', 'javascript:alert(1)'])
    assert.throws(
      () => read(url),
      /chain 1: explorerUrl must be an address that begins with https:\/\//,
      url,
    );
  assert.throws(() => read('https://user@explorer.example'), /explorerUrl must not hold a user name/);
  for (const url of ['https://basescan.org/?q=', 'https://basescan.org/#/tx'])
    assert.throws(() => read(url), /explorerUrl must be the address that \/tx\/HASH comes below/, url);
});

test('a corridor that pays eMoney wallets may name their providers, each of them once', () => {
  const read = (emoneyProviders: readonly unknown[], type = 'EMONEY') =>
    configWith(({ payments }) => {
      const corridors = payments.corridors.map((corridor) => {
        const { target, ...rest } = corridor as { target: { payoutAddresses?: unknown } };
        const { payoutAddresses: _none, ...others } = target;
        return { ...rest, target: { ...others, type, country: 'PH', emoneyProviders } };
      });
      return { payments: { ...payments, corridors } };
    }).payments?.corridors[0]?.target.emoneyProviders;
  assert.deepEqual(read(['GCash', 'Maya Bank']), ['GCash', 'Maya Bank']);
  for (const names of [[], ['GCash', 'GCash'], [' GCash'], ['a\u202eb'], [''], [5]])
    assert.throws(() => read(names), /target\.emoneyProviders/, JSON.stringify(names));
  assert.throws(() => read(['GCash'], 'BANK'), /this corridor pays no eMoney wallets/);
});
