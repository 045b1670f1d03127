// A token may begin to take a fee between the quote and the transaction. Then an exact output is reverted, and never paid
// in part.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address, Quote } from '@fairway/engine';
import { HOSTILITIES, makeHostile } from '@fairway/testing';
import {
  freshAddress,
  type PathRequest,
  quoteAlong,
  startSwapSandbox,
  type SwapSandbox,
} from '../../test/sandboxSwaps.ts';
import type { Instruction, SwapOrder } from '../types.ts';
import { createSwapPlanner } from './planSwap.ts';

let sandbox: SwapSandbox;
const quotes = new Map<string, Quote>();
before(async () => {
  sandbox = await startSwapSandbox();
  // Before anything is executed and taken back, which the market would not follow.
  for (const [name, paths] of Object.entries(ROUTES))
    quotes.set(name, await quoteAlong(sandbox, 'EXACT_OUT', sandbox.token('USDC'), paths));
});
after(() => sandbox.close());

const ETHER = 10n ** 18n;
const AMOUNT = 10n * ETHER;
/** USDC, WETH and LINK: a first token, one in the middle, and a last one. */
const PAIRS: PathRequest = { pools: ['V2 WETH/USDC', 'V2 LINK/WETH'], amount: AMOUNT };
const BESIDE: PathRequest = { pools: ['V3 LINK/USDC 10000'], amount: ETHER };
const ROUTES = { 'over pairs': [PAIRS], 'over pairs and another pool': [PAIRS, BESIDE] };
const payerOf = ({ accounts }: SwapSandbox): Address => accounts[0] ?? assert.fail('there are no accounts');

/** Plans an exact output of LINK for USDC. */
async function planned(route: string, recipient: Address): Promise<readonly Instruction[]> {
  const { request, deployment } = sandbox;
  const quote = quotes.get(route) ?? assert.fail(route);
  const order: SwapOrder = {
    ...{ subject: { kind: 'ROUTE', quote }, nativeIn: false, nativeOut: false, slippageBps: 50 },
    ...{ recipient, sender: payerOf(sandbox), deadlineSeconds: 2n ** 40n },
  };
  const plan = createSwapPlanner({ ...deployment, request, allowUnsimulated: false, timeoutMs: 20_000 });
  const result = await plan(order, await sandbox.head());
  assert.ok(result.ok, result.ok ? '' : result.refusal.reason);
  return result.instructions;
}

/** Executes a plan and then takes back all that has happened to the chain. */
async function executed(instructions: readonly Instruction[], recipient: Address) {
  const link = sandbox.token('LINK');
  const snapshot = await sandbox.request({ method: 'evm_snapshot', params: [] });
  try {
    for (const instruction of instructions) await sandbox.execute(payerOf(sandbox), instruction);
    const kept = await sandbox.balance(link, sandbox.deployment.router);
    return { kept, received: await sandbox.balance(link, recipient) };
  } finally {
    await sandbox.request({ method: 'evm_revert', params: [snapshot] });
  }
}

const rpc = <Result>(method: string, params: readonly unknown[] = []) =>
  sandbox.request({ method, params }) as Promise<Result>;
const FEES = HOSTILITIES.filter((hostility) => hostility.startsWith('keeps'));

for (const [route, paths] of Object.entries(ROUTES)) {
  const asked = paths.reduce((sum, { amount }) => sum + amount, 0n);

  test(`an exact output ${route} is paid to the recipient, and the router keeps nothing`, async () => {
    const recipient = freshAddress(`exact output ${route}`);
    const { kept, received } = await executed(await planned(route, recipient), recipient);
    assert.equal(kept, 0n);
    assert.ok(received >= asked && received < asked + ETHER / 1000n, `${received}`);
  });

  for (const symbol of ['USDC', 'WETH', 'LINK'])
    test(`an exact output ${route} is reverted when ${symbol} begins to take a fee`, async () => {
      const recipient = freshAddress(`fee of ${symbol} ${route}`);
      const instructions = await planned(route, recipient);
      const reverted: string[] = [];
      for (const hostility of FEES) {
        const undo = await makeHostile(rpc, sandbox.token(symbol), hostility, 10);
        try {
          const { received } = await executed(instructions, recipient);
          assert.ok(received >= asked, `${received} were paid when ${symbol} ${hostility}`);
        } catch (error) {
          assert.match(String(error), /the transaction reverted/);
          reverted.push(hostility);
        } finally {
          await undo();
        }
      }
      assert.ok(reverted.includes('keeps a part of all transfers'));
    });
}
