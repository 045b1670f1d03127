import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../../test/exampleNodes.ts';
import type { Config } from './config.ts';
import { ConfigError } from './error.ts';
import { type FileConfig, parseConfigFile } from './file.ts';
import { MALFORMED_LOGIN } from './malformedLogin.ts';
import { clearTextWarnings } from './reachWarnings.ts';

const examplePath = join(import.meta.dirname, '../../../../../examples/config/fairway.json');

type Target = { conversion?: string; currency?: string; type?: string; rate?: unknown };

/** The example's configuration without rates, after a change of the targets of its corridors. */
function configured(change: (target: Target) => void, environment: object = {}): FileConfig {
  const file = JSON.parse(readFileSync(examplePath, 'utf8')) as {
    payments: { corridors: { target: Target }[] };
  };
  for (const { target } of file.payments.corridors) {
    delete target.rate;
    change(target);
  }
  const readText = (path: string) =>
    path === examplePath ? JSON.stringify(file) : readFileSync(path, 'utf8');
  return parseConfigFile(examplePath, readText, { ...EXAMPLE_NODES, ...environment });
}

function conversionsOf(change: (target: Target) => void): readonly unknown[] {
  const { corridors = [] } = configured(change).payments ?? {};
  return [...new Set(corridors.map(({ target }) => target.conversion))];
}

test('a custodian converts the token of a corridor unless the corridor says that it is pegged', () => {
  assert.deepEqual(
    conversionsOf((target) => delete target.conversion),
    ['CUSTODIAN'],
  );
  assert.deepEqual(
    conversionsOf((target) => {
      target.conversion = 'PEGGED';
    }),
    ['PEGGED'],
  );
});

const RATE = { url: 'https://rates.example/latest?key=secret', pointer: '/rates/PHP', maxAgeSeconds: 300 };

/** The faults of a rate of the corridor to Australian banks, without the place of the file. */
function faultsOf(changes: object, target: Target = {}, environment: object = {}): readonly string[] {
  try {
    configured((each) => {
      if (each.currency === 'AUD') Object.assign(each, { rate: { ...RATE, ...changes } }, target);
    }, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.replace(examplePath, 'FILE'));
  }
}

// Plans keep corridors, and the URL of a rate may hold a credential.
test('the rate of a corridor is no part of the corridor', () => {
  const { payments } = configured(
    (target) => {
      if (target.currency === 'AUD') target.rate = { ...RATE, url: 'env:RATES' };
    },
    { RATES: RATE.url },
  );
  assert.deepEqual(payments?.rates, [
    {
      corridorId: 'usdt-aud-bank',
      chainId: 1,
      token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      currency: 'AUD',
      url: RATE.url,
      pointer: '/rates/PHP',
      maxAgeMs: 300_000,
    },
  ]);
  assert.doesNotMatch(JSON.stringify(payments?.corridors.map(({ target }) => target)), /rate|secret/);
});

const PLACE = 'FILE: corridor usdt-aud-bank: target.rate';
const SCHEMA = 'FILE: payments.corridors[0].target.rate';
const MISTAKES: [what: string, changes: object, target: Target, faults: readonly string[]][] = [
  [
    'for a pegged token',
    {},
    { conversion: 'PEGGED' },
    [`${PLACE}: a token that is PEGGED is not converted. Leave rate out, or make it CUSTODIAN.`],
  ],
  [
    'to a currency without minor units',
    {},
    { currency: 'XAU' },
    [`${PLACE}: XAU is no currency of ISO 4217, so amounts in it cannot be estimated.`],
  ],
  [
    'to a word that looks like a currency',
    {},
    { currency: 'QQQ' },
    [`${PLACE}: QQQ is no currency of ISO 4217, so amounts in it cannot be estimated.`],
  ],
  [
    'with a wrong host',
    { url: 'https://:1' },
    {},
    [`${PLACE}.url must hold an http or https URL that answers JSON.`],
  ],
  [
    'whose variable is not set',
    { url: 'env:RATES' },
    {},
    ['RATES: this environment variable must hold an http or https URL that answers JSON.'],
  ],
  [
    'with a password in clear text',
    { url: 'http://user:secret@rates.example/' },
    {},
    [`${PLACE}.url would send its password in clear text. Use https.`],
  ],
  [
    'with a password that is not encoded',
    { url: 'https://user:50%@rates.example/' },
    {},
    [`${PLACE}.url: ${MALFORMED_LOGIN}`],
  ],
  [
    'with a pointer that is none',
    { pointer: 'rates/PHP' },
    {},
    [
      `${SCHEMA}.pointer is not as it must be. The JSON pointer (RFC 6901) of the rate in its answer, such as /data/PHP. The rate says how many units of the currency one unit of the token is worth, as a decimal number or a text.`,
    ],
  ],
  [
    'without an age',
    { maxAgeSeconds: 0 },
    {},
    [`${SCHEMA}.maxAgeSeconds must be a whole number from 1 to 86400.`],
  ],
];
for (const [what, changes, target, faults] of MISTAKES)
  test(`a rate is refused ${what}`, () => assert.deepEqual(faultsOf(changes, target), faults));

test('a rate is refused for wallets, which are paid the token itself', () => {
  const lines = faultsOf({}, { type: 'WALLET' });
  const fault = `${PLACE}: a wallet is paid the token itself, so nothing is converted. Leave rate out.`;
  assert.deepEqual(
    lines.filter((line) => line.includes('target.rate')),
    [fault],
  );
});

test('a password on this machine may be sent in clear text', () => {
  for (const host of ['localhost', '127.0.0.1:8080', '[::1]'])
    assert.deepEqual(faultsOf({ url: `http://user:secret@${host}/` }), [], host);
});

test('a start warns of a rate that crosses the network in clear text', () => {
  const { payments } = configured((target) => {
    if (target.currency === 'AUD') target.rate = { ...RATE, url: 'http://rates.example/latest' };
  });
  assert.ok(payments);
  const warnings = clearTextWarnings({ payments, database: { kind: 'EMBEDDED' } } as unknown as Config);
  assert.deepEqual(warnings, [
    'Corridor usdt-aud-bank, target.rate: the rate crosses the network in clear text, where it can be changed. Use https.',
  ]);
});
