// What nodes and providers really say, with who says it. The texts are from their sources, manuals and issue threads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedPauseMs, type Refusal, refusalOf } from './refusal.ts';
import { RpcAnswerError } from './errors.ts';

type Said = readonly [who: string, code: number, message: string, data?: unknown];

const SAID: Readonly<Record<Refusal, readonly Said[]>> = {
  BUSY: [
    ['Infura', -32_005, 'daily request count exceeded, request rate limited'],
    [
      'Infura',
      -32_005,
      'project ID request rate exceeded',
      { rate: { allowed_rps: 10, backoff_seconds: 30 } },
    ],
    ['Infura', 429, 'Too Many Requests'],
    [
      'Alchemy',
      429,
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput',
    ],
    [
      'Alchemy WebSocket',
      -32_000,
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    ],
    ['Alchemy', 429, 'Your app has exceeded its concurrent requests capacity.'],
    [
      'Alchemy',
      429,
      'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service.',
    ],
    [
      'QuickNode',
      -32_007,
      '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
    ],
    ['QuickNode', -32_003, 'daily request limit reached - upgrade your account at quicknode.com'],
    [
      'Chainstack',
      -32_005,
      "You've exceeded the RPS limit available on the current plan. Learn more at https://docs.chainstack.com/docs/limits",
    ],
    ['Ankr', -32_090, 'Too many requests, rate limited. call rate limit exhausted, retry in 10s'],
    ['Base', -32_016, 'over rate limit'],
    ['Tenderly', -32_005, 'rate limit exceeded'],
    ['Blast', -32_097, 'Rate limit reached (40/s)'],
    ['dRPC', 15, 'Too many request, try again later'],
    ['dRPC', 19, 'Temporary internal error. Please retry, trace-id: 2f3a'],
    ['publicnode', -32_005, 'Too many requests'],
    ['Cloudflare', -32_000, 'rate limited'],
    ['LlamaNodes', -32_000, 'You have been rate limited. Please try again in 3s'],
    ['BlockPI', -32_005, 'compute unit per second limit exceeded'],
    ['Nethermind', -32_005, 'Unable to rent an instance of IEthRpcModule'],
    ['Arbitrum', 429, 'Public RPC Rate Limit Hit, limit will reset in 60 seconds'],
    ['EIP-1474', -32_005, 'Limit exceeded'],
  ],
  BLOCK_UNKNOWN: [
    ['geth', -32_000, 'header not found'],
    ['geth', -32_000, 'header for hash not found'],
    ['geth', -32_000, 'unknown block'],
    [
      'geth',
      -32_000,
      'missing trie node 288259a570829264e76b2c58d4369b5a94f086018dc4409d1d0131405c5d1975 (path ) state 0x2882 is not available',
    ],
    ['geth', -32_000, 'historical state 0x288259a5 is not available'],
    ['geth', -32_000, 'required historical state unavailable (reexec=128)'],
    ['geth', 4444, 'pruned history unavailable'],
    ['reth', -32_001, 'block not found: hash 0x15c0'],
    ['reth', -32_001, 'resource not found'],
    ['reth', -32_000, 'state at block #19000000 is pruned'],
    ['reth', -32_000, 'distance to target block exceeds maximum proof window'],
    ['Nethermind', -32_002, 'No state available for block 45615500 (0x3f9e...117e)'],
    ['Nethermind', -32_001, 'Block 0x15c0 could not be found'],
    ['Nethermind', -32_001, "header for hash 0x15c0 hasn't been found"],
    ['Besu', -32_000, 'Block not found'],
    ['Besu', -32_000, 'World state unavailable'],
    ['Erigon', -32_000, 'block not found: 19000000'],
    ['Erigon', -32_000, 'history has been pruned for this block'],
    ['Erigon', -32_000, 'old data not available due to pruning'],
    ['QuickNode', -32_000, 'Archive requests are not available on this endpoint'],
    ['anvil', -32_602, 'BlockOutOfRangeError: block height is 7 but requested was 9'],
  ],
  FORM_UNKNOWN: [
    ['geth', -32_601, 'the method eth_getBlockReceipts does not exist/is not available'],
    ['reth', -32_601, 'Method not found'],
    ['Nethermind', -32_601, "The method 'eth_simulateV1' is not supported."],
    ['Besu', -32_604, 'Method not enabled'],
    ['Erigon', -32_601, 'the method debug_traceTransaction does not exist/is not available'],
    ['Infura', -32_601, 'The method debug_traceTransaction does not exist/is not available'],
    [
      'Alchemy',
      -32_600,
      'debug_traceTransaction is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access.',
    ],
    ['dRPC', 35, 'method is not available on freetier, please upgrade to paid tier'],
    ['Ankr', -32_000, 'the method is not included in your current plan'],
    ['Chainstack', -32_004, 'method is not supported'],
    ['geth', -32_602, 'too many arguments, want at most 2'],
    ['Nethermind', -32_602, 'Invalid params', 'Incorrect parameters count, expected: 2, actual: 3'],
    ['Besu', -32_602, 'Invalid params'],
    ['Oasis', -32_602, 'invalid argument 1: hex number > 64 bits'],
    [
      'publicnode',
      -32_701,
      'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://www.allnodes.com/eth/host',
    ],
  ],
  TOO_LARGE: [
    ['Infura', -32_005, 'query returned more than 10000 results. Try with this block range [0x1, 0x2].'],
    ['Infura', -32_005, 'query timeout exceeded'],
    [
      'Alchemy',
      -32_602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size. Based on your parameters, this block range should work: [0x0, 0x1]',
    ],
    [
      'Alchemy',
      -32_600,
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
    ],
    ['QuickNode', -32_614, 'eth_getLogs is limited to a 10,000 range'],
    ['QuickNode', -32_602, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range'],
    ['Ankr', -32_600, 'block range is too wide'],
    [
      'Cloudflare',
      -32_047,
      "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    ],
    [
      'Chainstack',
      -32_000,
      'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits',
    ],
    [
      'BlockPI',
      -32_602,
      'eth_getLogs is limited to 1024 block range. Please check the parameter requirements at https://docs.blockpi.io',
    ],
    ['publicnode', -32_701, 'exceed maximum block range: 50000'],
    ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier'],
    ['dRPC', 30, 'Request timeout on the free tier, please upgrade your tier to the paid one'],
    ['geth', -32_003, 'response too large'],
    ['geth', -32_002, 'request timed out'],
    ['geth', -32_602, 'exceed max addresses or topics per search position'],
    ['geth', -32_000, 'execution aborted (timeout = 5s)'],
    ['geth', -32_000, 'out of gas'],
    ['reth', -32_602, 'query exceeds max results 20000, retry with the range 24383075-24383096'],
    ['reth', -32_602, 'query exceeds max block range 100000'],
    ['Besu', -32_005, 'Requested range exceeds maximum RPC range limit'],
    ['BSC', -32_000, 'exceed maximum block range: 5000'],
    ['Polygon', -32_005, 'Log response size exceeded'],
  ],
  FINAL: [
    ['geth', 3, 'execution reverted: Too little received', '0x08c379a0'],
    ['geth', -32_000, 'execution reverted'],
    ['geth', -32_000, 'insufficient funds for gas * price + value: address 0xab have 0 want 1'],
    ['geth', -32_000, 'nonce too low: next nonce 9, tx nonce 8'],
    ['geth', -32_000, 'replacement transaction underpriced'],
    ['geth', -32_000, 'already known'],
    ['geth', -32_000, 'intrinsic gas too low: have 1, want 21000'],
    ['geth', -32_000, 'invalid opcode: INVALID'],
    ['geth', -32_000, 'gas required exceeds allowance (30000000)'],
    ['geth', -32_000, 'max fee per gas less than block base fee: address 0xab, maxFeePerGas: 1, baseFee: 2'],
    ['a contract', 3, 'execution reverted: rate limit exceeded, try again later', '0x08c379a0'],
    ['reth', 3, 'execution reverted', '0x'],
    ['Nethermind', -32_015, 'VM execution error.', 'Reverted 0x08c379a0'],
    ['Nethermind', -32_000, 'execution reverted', '0x08c379a0'],
    ['Besu', -32_000, 'Execution reverted', '0x08c379a0'],
    ['Erigon', 3, 'execution reverted'],
    [
      'Hardhat',
      -32_603,
      'VM Exception while processing transaction: reverted with an unrecognized custom error',
    ],
  ],
  OTHER: [
    ['Infura', -32_603, 'Internal error'],
    ['Cloudflare', -32_046, 'Cannot fulfill request'],
    ['QuickNode', -32_600, 'Invalid Request'],
  ],
};

for (const [refusal, all] of Object.entries(SAID))
  for (const [who, code, message, data] of all)
    test(`${who}: ${code} "${message.slice(0, 60)}" is ${refusal}`, () => {
      assert.equal(refusalOf(new RpcAnswerError(code, message, data), { method: 'eth_call' }), refusal);
    });

test('a limit without a reason is of the range where one was asked for, else of requests', () => {
  const error = new RpcAnswerError(-32_005, 'limit exceeded', undefined);
  const meaning = (filter: object) => refusalOf(error, { method: 'eth_getLogs', params: [filter] });
  assert.equal(meaning({ fromBlock: '0x1', toBlock: '0x9' }), 'TOO_LARGE');
  assert.equal(meaning({ blockHash: '0xab' }), 'BUSY');
});

test('the pause that a node asks for is read where it says it, and has a bound', () => {
  const nowMs = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  const pause = (message: string, data: unknown, header: string | null) =>
    askedPauseMs({ message, data }, header, nowMs);
  assert.equal(pause('', undefined, '7'), 7000);
  assert.equal(pause('', undefined, 'Wed, 21 Oct 2026 07:28:09 GMT'), 9000);
  assert.equal(pause('', undefined, 'Wed, 21 Oct 2026 07:00:00 GMT'), 0);
  assert.equal(pause('', { rate: { backoff_seconds: 30 } }, null), 30_000);
  assert.equal(pause('rate limited. call rate limit exhausted, retry in 10s', undefined, null), 10_000);
  assert.equal(pause('try again in 250.5 ms', undefined, null), 250.5);
  assert.equal(pause('Too Many Requests', undefined, null), undefined);
  assert.equal(pause('', undefined, 'soon'), undefined);
  assert.equal(pause('', undefined, '-3'), undefined);
  assert.equal(pause('', { rate: { backoff_seconds: '1e9' } }, '99999999999'), 300_000);
});

test('a hostile text of a node is judged at once, however long it is', () => {
  const startedMs = performance.now();
  for (const word of ['block ', 'method ', 'reached the '])
    refusalOf(new RpcAnswerError(-32_000, word.repeat(1_000_000), undefined));
  assert.ok(performance.now() - startedMs < 1_000);
});
