// An error in a list names the place of the first wrong member in a JSON Pointer. A sentence says what the member must be,
// or how many members there may be.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EVENT_TYPES, type Problem } from '@fairway/wire';
import { postOf } from '../harness.ts';
import { requestOf, startPaymentsTest, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

type Wrong = readonly [pointer: string, detail: string, suggestions?: readonly string[]];

const token = { chainId: 31337, address: `0x${'11'.repeat(20)}` };
const MONTH = {
  type: 'movements',
  format: 'csv',
  from: '2026-01-01T00:00:00Z',
  to: '2026-02-01T00:00:00Z',
};
const endpoint = (types: unknown) => ['/v1/webhook_endpoints', { url: 'https://a.example', types }] as const;
const paid = (deductions: unknown) =>
  ['CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference: 'P-1', deductions }] as const;
const destinations = (allowedDestinations: unknown) =>
  [
    '/v1/payments',
    requestOf({ options: { mode: 'DIGITAL_COLLECT', collect: { allowedDestinations } } }),
  ] as const;
const columns = (given: unknown) => ['/v1/reports', { ...MONTH, columns: given }] as const;
const allTypes = EVENT_TYPES.join(', ');

const LISTS: Readonly<Record<string, readonly [asked: readonly [string, object], wrong: readonly Wrong[]]>> =
  {
    'a type of events with a slip': [
      endpoint(['report.*', 'payment_plan.complete']),
      [
        [
          '/types/1',
          `types[1] must be a type of events, or a beginning such as payment_plan.*: *, ${allTypes}; given "payment_plan.complete"; did you mean payment_plan.completed?`,
          ['payment_plan.completed'],
        ],
      ],
    ],
    'no types of events': [
      endpoint([]),
      [['/types', 'types must be a list of 1 to 64 types of events; given an empty list.']],
    ],
    'a type of destination that there is not': [
      destinations(['bank', 'card']),
      [
        [
          '/options/collect/allowedDestinations/1',
          'allowedDestinations[1] must be wallet, bank or emoney; given "card".',
        ],
      ],
    ],
    'a type of destination twice': [
      destinations(['bank', 'bank']),
      [
        [
          '/options/collect/allowedDestinations/1',
          'allowedDestinations[1] must be in the list only once; given "bank".',
        ],
      ],
    ],
    'more types of destination than there are': [
      destinations(['bank', 'wallet', 'emoney', 'bank']),
      [
        [
          '/options/collect/allowedDestinations',
          'allowedDestinations must be a list of 1 to 3 types of destination; given a list of 4.',
        ],
      ],
    ],
    'a column that the report has not': [
      columns(['amount', 5]),
      [['/columns/1', /^columns\[1\] must be movementId, .* or \w+; given 5 \(a number\)\.$/.source]],
    ],
    'objects with wrong, missing and unknown members': [
      paid([
        { amount: 1, asset: token, reason: 'fee' },
        { amount: '1', asset: { chainId: 31337, address: '0x12' }, reason: 'fee', reasn: 'fee' },
        { asset: token, reason: 'fee', memo: '' },
        'all',
      ]),
      [
        ['/deductions/1/reasn', 'deductions[1].reasn is not a field of this request; did you mean reason?'],
        [
          '/deductions/2/memo',
          'deductions[2].memo is not a field of this request; the fields of deductions[2] are amount, asset and reason.',
        ],
        ['/deductions/3', 'deductions[3] must be an object with amount, asset and reason; given "all".'],
        [
          '/deductions/0/amount',
          'deductions[0].amount must be a string of decimal digits in smallest units, such as "1000000", without sign, point or leading zeros; given 1 (a number).',
        ],
        [
          '/deductions/1/asset/address',
          'deductions[1].asset.address must be an address: 0x and 40 hex digits; given "0x12".',
        ],
        [
          '/deductions/2/amount',
          'deductions[2].amount is missing; it must be a string of decimal digits in smallest units, such as "1000000", without sign, point or leading zeros.',
        ],
      ],
    ],
    'an object in place of a list': [
      paid({}),
      [
        [
          '/deductions',
          'deductions must be a list of at most 16 objects, each with amount, asset and reason; given an object.',
        ],
      ],
    ],
  };
/** Where the payout of a new plan is reported. */
async function reportsOfPayout(): Promise<string> {
  const plan = await payments.plan();
  return `/v1/payments/${plan.planId}/steps/${stepOf(plan, 'CUSTODIAN_PAYOUT').stepId}/reports`;
}

for (const [what, [[path, body], wrong]] of Object.entries(LISTS)) {
  test(`${what}: named with its place and its rule`, async () => {
    const at = path.startsWith('/') ? path : await reportsOfPayout();
    const { status, body: problem } = await payments.service.request(at, postOf(body));
    assert.equal(status, 400);
    const { errors = [] } = problem as Problem;
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      wrong.map(([pointer]) => pointer),
    );
    for (const [index, [, detail, suggestions]] of wrong.entries()) {
      const told = errors[index] ?? assert.fail();
      if (detail.startsWith('^')) assert.match(told.detail, new RegExp(detail));
      else assert.equal(told.detail, detail);
      assert.deepEqual(told.suggestions, suggestions);
    }
  });
}

test('a source that there is not is named by its place in a body, and by its name in a query', async () => {
  const fields = {
    chainId: 31337,
    tokenIn: payments.token('USDC'),
    tokenOut: payments.token('WETH'),
    tradeType: 'EXACT_IN',
    amount: '1000000',
  };
  const sources = ['uniswap-v2', 'unisawp-v3'];
  const swap = await payments.service.request(
    '/v1/swap',
    postOf({ ...fields, slippageBps: 50, excludeSources: sources }),
  );
  const query = new URLSearchParams({ ...fields, chainId: '31337', excludeSources: sources.join() });
  const quote = await payments.service.request(`/v1/quote?${query}`);
  const detail = 'names "unisawp-v3", which is no source here; the sources are uniswap-v2, uniswap-v3.';
  assert.deepEqual((swap.body as Problem).errors, [
    {
      pointer: '/excludeSources/1',
      detail: `excludeSources[1] ${detail}`,
      suggestions: ['uniswap-v3'],
    },
  ]);
  assert.deepEqual((quote.body as Problem).errors, [
    { pointer: '/query/excludeSources', detail: `excludeSources ${detail}`, suggestions: ['uniswap-v3'] },
  ]);
  const events = await payments.service.request('/v1/events?type=report.*,payment_plan.paid');
  const [wrong] = (events.body as Problem).errors ?? [];
  assert.equal(wrong?.pointer, '/query/type');
  assert.match(
    wrong?.detail ?? '',
    /^type must be a type of events.* credential\.created,.*; given "payment_plan\.paid"/,
  );
});
