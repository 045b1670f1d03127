// What callers get wrong at first is refused with what to send instead.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FieldError, Quote } from '@fairway/wire';
import { NATIVE, quoteUrl, startHarness, swapBody, TOKENS } from '../../../test/httpHarness.ts';

const harness = await startHarness();
after(() => harness.close());

const quote = (changes: Record<string, string | undefined>) => harness.call({ url: quoteUrl(changes) });
const swap = (changes: object) =>
  harness.call({ url: '/v1/swap', method: 'POST', body: { ...swapBody(), ...changes } });

/** The only error of a refused request. */
async function errorOf(asked: ReturnType<typeof quote>): Promise<FieldError> {
  const { status, json } = await asked;
  assert.equal(status, 400, JSON.stringify(json));
  const errors = json['errors'] as readonly FieldError[];
  assert.equal(errors.length, 1);
  return errors[0] ?? assert.fail();
}

test('a symbol in place of an address is refused with the address of the token', async () => {
  for (const [symbol, address] of [
    ['USDC', TOKENS.usdc],
    ['usdc', TOKENS.usdc],
    ['ETH', NATIVE],
  ] as const)
    for (const asked of [quote({ tokenOut: symbol }), swap({ tokenOut: symbol })]) {
      const error = await errorOf(asked);
      assert.deepEqual(error.suggestions, [address]);
      assert.equal(
        error.detail,
        `tokenOut must be an address: 0x and 40 hex digits, not a symbol; given "${symbol}"; did you mean ${address}?`,
      );
    }
  assert.equal((await errorOf(quote({ tokenOut: 'NOPE' }))).suggestions, undefined);
});

test('a symbol among the tokens to keep away from is refused with the address of the token', async () => {
  for (const [asked, name] of [
    [quote({ excludeTokens: `${TOKENS.dai},USDC` }), 'excludeTokens'],
    [swap({ excludeTokens: [TOKENS.dai, 'USDC'] }), 'excludeTokens[1]'],
  ] as const) {
    const error = await errorOf(asked);
    assert.deepEqual(error.suggestions, [TOKENS.usdc]);
    assert.equal(
      error.detail,
      `${name} must be an address: 0x and 40 hex digits, not a symbol; given "USDC"; did you mean ${TOKENS.usdc}?`,
    );
  }
});

test('a quote says which end is native currency, whichever of its two addresses was sent', async () => {
  for (const tokenIn of [NATIVE, `0x${'00'.repeat(20)}`]) {
    const { route } = (await quote({ tokenIn })).json as unknown as Quote;
    const wrapped = { chainId: 31337, address: TOKENS.weth, symbol: 'WETH', decimals: 18 };
    assert.deepEqual(route?.native, { field: 'tokenIn', symbol: 'ETH', wrapped });
  }
  const { route } = (await quote({})).json as unknown as Quote;
  assert.equal(route?.native, undefined);
});

test('a slippage in percent is refused with its basis points', async () => {
  for (const [given, meant] of [
    ['0.5', '50'],
    ['0.50', '50'],
    ['0.5%', '50'],
    ['1.25', '125'],
    ['0.005', '50'],
  ] as const) {
    const error = await errorOf(quote({ slippageBps: given }));
    assert.deepEqual(error.suggestions, [meant], given);
    assert.match(error.detail, new RegExp(`basis points: 50 is 0\\.5 %.*did you mean ${meant}\\?$`));
  }
  assert.deepEqual((await errorOf(swap({ slippageBps: 0.5 }))).suggestions, ['50']);
  for (const given of ['51.5', '0.00005', '-0.5', '1e3'])
    assert.equal((await errorOf(quote({ slippageBps: given }))).suggestions, undefined, given);
});

test('the error of a field that others call otherwise names ours', async () => {
  assert.match((await errorOf(swap({ slippage: 50 }))).detail, /did you mean slippageBps\?$/);
});

test('a trade that is too large is told about the most that is possible now', async () => {
  for (const changes of [
    { amount: String(5_000n * 10n ** 18n) },
    { amount: String(40_000_000n * 10n ** 6n), tradeType: 'EXACT_OUT' },
    { amount: String(10n ** 60n) },
  ]) {
    const { detail } = await errorOf(quote(changes));
    const most = / The most now is about (\d+) \([\d,.]+ (WETH|USDC)\)\.$/.exec(detail)?.[1];
    assert.ok(most !== undefined, detail);
    assert.equal((await quote({ ...changes, amount: most })).status, 200);
    const more = String((BigInt(most) * 12n) / 10n);
    assert.equal((await quote({ ...changes, amount: more })).status, 400);
  }
});
