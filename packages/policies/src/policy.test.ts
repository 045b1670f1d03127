import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitRefusals, limitsOf, readPolicy } from './index.ts';

const TOKEN = `0x${'a'.repeat(40)}`;
const CORRIDOR = { corridorId: 'a', tokenIn: TOKEN, tokenOut: TOKEN, settlementAddress: TOKEN };
const chain = {
  chainId: 1,
  routers: [`0x${'3'.repeat(40)}`],
  tokens: [
    { address: TOKEN, spend: { most: '100', limits: [{ each: 'ALL', window: 'PT36H', mostCount: 2 }] } },
  ],
  recipients: ['RELAYER'],
  ...{ maxLifeSec: 1200, simulation: 'DEMANDED', mostGas: '500000', keepWei: '0' },
};

const OTHER = `0x${'b'.repeat(40)}`;
const TOP_UP = { from: TOKEN, to: OTHER, belowWei: '1', amountWei: '2', window: 'P1D', mostCount: 1 };
const ASKED = { tokenIn: TOKEN, tokenOut: OTHER, sender: OTHER, recipient: OTHER };

/** What is wrong with a policy of one chain, in which something is changed. */
function faultsOf(changed: object, around: object = {}): readonly string[] {
  const read = readPolicy({ chains: [{ ...chain, ...changed }], ...around });
  return read.ok ? [] : read.faults;
}

test('a policy is read with its amounts and windows', () => {
  const read = readPolicy({ chains: [chain] });
  assert.ok(read.ok);
  assert.equal(read.policy.areMessagesAllowed, false);
  assert.deepEqual(read.policy.chains[0]?.tokens, [
    {
      address: TOKEN,
      spend: { most: 100n, limits: [{ each: 'ALL', windowSeconds: 36 * 3600, mostCount: 2 }] },
    },
  ]);
});

test('each mistake of a policy names its field and says what to give', () => {
  const address = 'Give an address of 40 hex digits in lower case, with 0x in front.';
  const amount = 'Give an amount in smallest units as a text of decimal digits, such as "1000000".';
  const cases: readonly (readonly [readonly string[], string])[] = [
    [faultsOf({ routers: ['0xA'] }), `chains[0].routers[0] is not as it must be. ${address}`],
    [faultsOf({ mostGas: 500_000 }), `chains[0].mostGas is not as it must be. ${amount}`],
    [faultsOf({ keepWei: undefined }), `chains[0].keepWei is not as it must be. ${amount}`],
    [faultsOf({ maxGas: '1' }), 'chains[0]: maxGas is not a key here. Remove it.'],
    [
      faultsOf({ simulation: 'YES' }),
      'chains[0].simulation is not as it must be. Give "DEMANDED", or "NOT_DEMANDED" to sign what was not simulated, too.',
    ],
    [
      faultsOf({ recipients: ['SOMEBODY'] }),
      'chains[0].recipients is not as it must be. Give a list of addresses and "RELAYER" for who pays, or "ANY" in place of the list.',
    ],
    [
      faultsOf({ tokens: [{ address: TOKEN, spend: {} }] }),
      `chains[0].tokens[0].spend: most is missing. ${amount}`,
    ],
    [
      faultsOf({ tokens: [{ address: TOKEN }, { address: TOKEN }] }),
      'chains[0].tokens[1].address is there twice. Merge the two entries.',
    ],
    [
      faultsOf({
        tokens: [{ address: TOKEN, spend: { most: '1', limits: [{ each: 'ALL', window: 'P1D' }] } }],
      }),
      'chains[0].tokens[0].spend.limits[0] limits nothing. Give most or mostCount.',
    ],
    [
      faultsOf({ corridors: [CORRIDOR, CORRIDOR] }),
      'chains[0].corridors[1].corridorId is there twice. Merge the two entries.',
    ],
    [
      faultsOf({ corridors: [{ ...CORRIDOR, settlementAddress: undefined }] }),
      `chains[0].corridors[0].settlementAddress is not as it must be. ${address}`,
    ],
    [faultsOf({ topUps: [TOP_UP, TOP_UP] }), 'chains[0].topUps[1].to is there twice. Merge the two entries.'],
    [
      faultsOf({ topUps: [{ ...TOP_UP, from: OTHER }] }),
      'chains[0].topUps[0].from is filled up itself. Give a relayer that is not.',
    ],
    [
      faultsOf({ topUps: [TOP_UP, { ...TOP_UP, from: TOP_UP.to, to: `0x${'7e'.repeat(20)}` }] }),
      'chains[0].topUps[1].from is filled up itself. Give a relayer that is not.',
    ],
    [
      faultsOf({ topUps: [{ ...TOP_UP, amountWei: '0' }] }),
      'chains[0].topUps[0].amountWei sends nothing. Give more.',
    ],
    [
      faultsOf({ topUps: [{ ...TOP_UP, mostCount: 0 }] }),
      'chains[0].topUps[0].mostCount is not as it must be. Give how many top-ups the window may have, such as 4.',
    ],
    [
      faultsOf({}, { messages: 'SOMETIMES' }),
      'messages is not as it must be. Give "ALLOWED" to sign messages of text, or "REFUSED".',
    ],
    [faultsOf({}, { chains: [chain, chain] }), 'chains[1].chainId is there twice. Merge the two entries.'],
  ];
  for (const [faults, expected] of cases) assert.deepEqual(faults, [expected]);
  const nothing = readPolicy('deny');
  assert.ok(!nothing.ok);
  assert.deepEqual(nothing.faults, ['the policy is not as it must be. Give an object with chains.']);
});

test('windows are between an hour and thirty days', () => {
  const windowed = (window: string) =>
    faultsOf({
      tokens: [{ address: TOKEN, spend: { most: '1', limits: [{ each: 'ALL', window, mostCount: 1 }] } }],
    });
  for (const window of ['PT1H', 'PT24H', 'PT720H', 'P1D', 'P30D']) assert.deepEqual(windowed(window), []);
  for (const window of ['PT0H', 'PT721H', 'P0D', 'P31D', 'PT30M', 'P1W', '1D', 'P1DT1H'])
    assert.equal(windowed(window).length, 1, window);
});

test('a limit allows exactly what it says, and another token has none', () => {
  const read = readPolicy({ chains: [chain] });
  assert.ok(read.ok);
  const limits = limitsOf(read.policy, { ...ASKED, chainId: 1 });
  assert.deepEqual(limitRefusals(limits, [{ spent: 10n ** 30n, count: 1 }], 1n), []);
  assert.deepEqual(limitRefusals(limits, [{ spent: 0n, count: 2 }], 1n), [
    {
      code: 'WINDOW_COUNT',
      rule: `chains.1.tokens.${TOKEN}.spend.limits.0`,
      detail: 'The window has 2 spendings, and at most 2 are allowed.',
    },
  ]);
  assert.deepEqual(limitsOf(read.policy, { ...ASKED, chainId: 2 }), []);
});
