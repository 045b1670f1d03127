// A builder that makes wrong calldata is caught before the service answers. The whole service runs; only its builder
// is replaced by one mutant after the other. The caller gets a 500 without instructions.
// Own process: the builder is replaced for all that is loaded here.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { after, before, test } from 'node:test';
import { createRandom } from '@fairway/testing';
import type { Sandbox, SwapPlan } from '@fairway/wire';
import pino from 'pino';
import type { RunningService } from '../src/run.ts';

type Call = { to: string; data: string; value: bigint };
type Built = { ok: true; instruction: Call } | { ok: false };
type Order = { slippageBps: number; deadlineSeconds: bigint; recipient?: string; sender?: string };
type Build = (deployment: object, order: Order) => Built;
type BuildApprovals = (request: unknown, approval: Approval) => Promise<Call[]>;
type Approval = { token: string; spender: string; required: bigint };

/** The functions that replace the builders in a test. Where one is absent, the real builder runs. */
const mutant: {
  buildSwap?: (build: Build, deployment: object, order: Order) => Built;
  buildApprovals?: (build: BuildApprovals, request: unknown, approval: Approval) => Promise<Call[]>;
} = {};
Object.assign(globalThis, { builderMutant: mutant });

/**
 * The modules that planSwap builds with; in each, the builder is replaced by one that uses the mutant if there is
 * one.
 */
const MUTATED: Record<string, string> = {
  './buildSwap.ts': `
    import { buildSwap as build } from './buildSwap.ts';
    export const buildSwap = (...given) =>
      globalThis.builderMutant.buildSwap?.(build, ...given) ?? build(...given);`,
  './approvals.ts': `
    import { buildApprovals as build } from './approvals.ts';
    export { verifyApprovals } from './approvals.ts';
    export const buildApprovals = (...given) =>
      globalThis.builderMutant.buildApprovals?.(build, ...given) ?? build(...given);`,
};
const replaced: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (!context.parentURL?.endsWith('/planSwap.ts') || MUTATED[specifier] === undefined) return resolved;
    replaced.push(specifier);
    return { ...resolved, format: 'module', url: `${resolved.url}?mutated=${encodeURIComponent(specifier)}` };
  },
  load(url, context, next) {
    const specifier = new URL(url).searchParams.get('mutated');
    if (specifier === null) return next(url, context);
    return { format: 'module', source: MUTATED[specifier] ?? '', shortCircuit: true };
  },
});

const random = createRandom();
const logged: string[] = [];
let running: RunningService;
let sandbox: Sandbox;

before(async () => {
  // Loaded here, because modules loaded before the hooks would keep their own builders.
  const [{ run }, { readConfig }] = await Promise.all([
    import('../src/run.ts'),
    import('../src/platform/config/config.ts'),
  ]);
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  running = await run(readConfig(['--port', '0'], {}), log, new AbortController().signal);
  sandbox = (await ask('/v1/sandbox')).body as Sandbox;
});
after(() => running?.close());

type Answer = { status: number; body: unknown };

async function ask(path: string, body?: object): Promise<Answer> {
  const { username, password } = running.demo ?? assert.fail();
  const response = await fetch(`${running.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const swap = (order: object) => ask('/v1/swap', order);

const ATTACKER = '0xbadbadbadbadbadbadbadbadbadbadbadbadbad0';
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const addressOf = (symbol: string) => sandbox.tokens.find((token) => token.symbol === symbol)?.address ?? '';

/** Swaps of every shape of calldata. */
function orders() {
  const [weth, usdc] = [addressOf('WETH'), addressOf('USDC')];
  const recipient = '0x1234567890123456789012345678901234567890';
  const sender = sandbox.accounts[0]?.address;
  const ether = String(10n ** 18n);
  const trades = [
    { tokenIn: usdc, tokenOut: weth, sender, amounts: ['5000000000', ether] },
    { tokenIn: usdc, tokenOut: NATIVE, recipient, amounts: ['5000000000', ether] },
    { tokenIn: usdc, tokenOut: weth, excludeSources: ['uniswap-v3'], amounts: ['5000000000', ether] },
    { tokenIn: addressOf('LINK'), tokenOut: addressOf('tAUD'), recipient, amounts: [ether, '70000000'] },
    { tokenIn: NATIVE, tokenOut: addressOf('DAI'), recipient, amounts: [ether, ether] },
    { tokenIn: NATIVE, tokenOut: weth, recipient, amounts: [ether, ether] },
    { tokenIn: weth, tokenOut: NATIVE, sender, amounts: [ether, ether] },
  ];
  return trades.flatMap(({ amounts, ...trade }) =>
    ['EXACT_IN', 'EXACT_OUT'].map((tradeType, index) => {
      return { ...trade, tradeType, amount: amounts[index], chainId: sandbox.chainId, slippageBps: 100 };
    }),
  );
}

function assertCaught({ status, body }: Answer, what: string): void {
  assert.equal(status, 500, `${what}: ${JSON.stringify(body)}`);
  assert.partialDeepStrictEqual(body, { code: 'internal', status: 500 });
  assert.doesNotMatch(
    JSON.stringify(body),
    /instructions|0x[0-9a-f]{8}|order|Built/,
    'the answer shows nothing of the swap',
  );
}

/** A mutant that changes the instruction after it was built. */
const changed =
  (change: (call: Call) => Partial<Call>) => (build: Build, deployment: object, order: Order) => {
    const built = build(deployment, order);
    return built.ok
      ? { ...built, instruction: { ...built.instruction, ...change(built.instruction) } }
      : built;
  };
/** A mutant that builds for a changed order. */
const misread =
  (misreading: (order: Order) => Partial<Order>) => (build: Build, deployment: object, order: Order) =>
    build(deployment, { ...order, ...misreading(order) });

const mutants: Record<string, NonNullable<typeof mutant.buildSwap>> = {
  'another target': changed(() => ({ to: ATTACKER })),
  'a little more value': changed(({ value }) => ({ value: value + 1n })),
  'something at the end': changed(({ data }) => ({ data: `${data}00` })),
  'the last byte missing': changed(({ data }) => ({ data: data.slice(0, -2) })),
  'no calldata': changed(() => ({ data: '0x' })),
  'another recipient': misread(() => ({ recipient: ATTACKER })),
};
/** Mutants that a 1:1 exchange cannot show: it has no slippage, and without a route it has no deadline. */
const routedMutants: typeof mutants = {
  'a unit of slippage more': misread(({ slippageBps }) => ({ slippageBps: slippageBps + 1 })),
  'no slippage': misread(() => ({ slippageBps: 0 })),
  'a second more': misread(({ deadlineSeconds }) => ({ deadlineSeconds: deadlineSeconds + 1n })),
};

const isRouted = ({ tokenIn, tokenOut }: { tokenIn: string; tokenOut: string }) =>
  ![addressOf('WETH'), NATIVE].includes(tokenIn) || ![addressOf('WETH'), NATIVE].includes(tokenOut);

test('the builders are replaced, and without a mutant every swap is planned', async () => {
  assert.deepEqual(replaced.toSorted(), Object.keys(MUTATED).toSorted());
  for (const order of orders()) assert.equal((await swap(order)).status, 200, JSON.stringify(order));
});

for (const [name, mutation] of Object.entries({ ...mutants, ...routedMutants })) {
  test(`a builder with ${name} is caught for every shape of swap`, async () => {
    const shapes = name in mutants ? orders() : orders().filter(isRouted);
    mutant.buildSwap = mutation;
    try {
      for (const order of shapes) assertCaught(await swap(order), `${name} in ${JSON.stringify(order)}`);
    } finally {
      delete mutant.buildSwap;
    }
  });
}

test(`any single byte changed in any calldata is caught (FC_SEED=${random.seed})`, async () => {
  try {
    for (const order of orders()) {
      for (let tries = 0; tries < 12; tries++) {
        let what = '';
        mutant.buildSwap = changed(({ data }) => {
          const at = 2 + 2 * random.integer(0, data.length / 2 - 2);
          const byte = Number.parseInt(data.slice(at, at + 2), 16) ^ random.integer(1, 255);
          what = `byte ${at / 2 - 1} of ${data}`;
          return { data: data.slice(0, at) + byte.toString(16).padStart(2, '0') + data.slice(at + 2) };
        });
        assertCaught(await swap(order), what);
      }
    }
  } finally {
    delete mutant.buildSwap;
  }
});

test('approvals of another amount, spender or token, and superfluous approvals, are caught', async () => {
  const order = orders()[0] ?? assert.fail();
  const wrong: Record<string, (call: Call, approval: Approval) => Call[]> = {
    unlimited: ({ data, ...call }) => [{ ...call, data: data.slice(0, -64) + 'f'.repeat(64) }],
    'another spender': ({ data, ...call }, { spender }) => [
      { ...call, data: data.replace(spender.slice(2).toLowerCase(), ATTACKER.slice(2)) },
    ],
    'another token': (call) => [{ ...call, to: addressOf('DAI') }],
    'with value': (call) => [{ ...call, value: 1n }],
    'three times': (call) => [call, call, call],
    none: () => [],
  };
  try {
    for (const [name, change] of Object.entries(wrong)) {
      mutant.buildApprovals = async (build, request, approval) => {
        const [call = assert.fail()] = await build(request, approval);
        return change(call, approval);
      };
      assertCaught(await swap(order), name);
    }
  } finally {
    delete mutant.buildApprovals;
  }
  const { instructions = [] } = (await swap(order)).body as SwapPlan;
  assert.equal(instructions.length, 2, 'the right approval is returned');
});
