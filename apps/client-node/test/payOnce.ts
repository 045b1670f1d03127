// Payments by a whole node that is killed again and again, beside a whole service. Sends and reports are lost. The chain
// judges: exactly one transaction that succeeded carries a tag of each plan.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeAt, type Random } from '@fairway/testing';
import type { RelayerView } from '@fairway/wire';
import { ask } from './asking.ts';
import { startLyingService } from './lyingService.ts';
import { AMOUNT, give, type Kind, KINDS, pay, paymentOf, paymentsOnChain } from './plans.ts';
import { createProcesses } from './processes.ts';
import { startUnkindNode } from './unkindNode.ts';

/** How much happens in a life. */
export type PayingLife = { readonly payments: number; readonly kills: number };

const UNKIND = { sendsLost: 10, repliesLost: 15, receiptsHidden: 10 };
const PATIENCE_MS = 60_000;

/** Lives it, and asserts that each payment happened exactly once. Says what came up. */
export async function payOnce(life: PayingLife, random: Random): Promise<string> {
  await using ending = new AsyncDisposableStack();
  const processes = await createProcesses();
  ending.defer(processes.close);
  const service = (await processes.service()).ready;
  const rpc = nodeAt(service.rpcUrl);
  const unkind = await startUnkindNode(service.rpcUrl, random, UNKIND);
  ending.defer(unkind.close);
  const between = await startLyingService(service.url, '/v1/sandbox');
  ending.defer(between.close);
  between.tell((text) => text.replaceAll(service.rpcUrl, unkind.url));
  const losses = { REQUEST: 0, ANSWER: 0 };
  between.lose((path) => {
    if (!path.endsWith('/reports') || random.integer(1, 100) > 25) return undefined;
    const loss = random.pick(['REQUEST', 'ANSWER'] as const);
    losses[loss] += 1;
    return loss;
  });
  const start = () => processes.node({ ...service, url: between.url }, 'killed');
  let node = await start();
  const { address } = node.ready.relayers[0] ?? assert.fail();
  // Enough for each of them twice: who pays twice is seen by that.
  await give(service, address, 2n * BigInt(life.payments) * AMOUNT);
  const kinds = Object.keys(KINDS) as Kind[];
  const bodies = Array.from({ length: life.payments }, (_, index) =>
    paymentOf(kinds[index % kinds.length] ?? 'sent', `ONCE-${index}`, service.chainId),
  );
  let kills = 0;
  const untilMs = performance.now() + PATIENCE_MS + life.payments * 10_000 + life.kills * 30_000;
  for (;;) {
    // Clients ask for all of it again and again, as they do when they get no answer.
    const answers = [];
    const asked = kills < life.kills ? random.integer(1, bodies.length) : bodies.length;
    for (const body of bodies.slice(0, asked))
      answers.push(await pay(node.ready, body, 0).catch(() => undefined));
    const isOver = answers.every((answer) => answer?.body.execution?.status === 'SUCCEEDED');
    if (isOver && asked === bodies.length && kills >= life.kills) break;
    assert.ok(
      performance.now() < untilMs,
      JSON.stringify(answers.map((answer) => answer?.body.execution ?? answer)),
    );
    await sleep(random.integer(0, 400));
    if (kills >= life.kills) continue;
    await node.kill('SIGKILL');
    kills += 1;
    node = await start();
  }
  const planIds: string[] = [];
  for (const body of bodies) planIds.push((await pay(node.ready, body, 0)).body.planId);
  assert.equal(new Set(planIds).size, life.payments);
  for (const planId of planIds)
    assert.equal((await paymentsOnChain(rpc, node.ready, planId)).length, 1, `${planId} is paid once`);
  const [relayer] = (await ask<RelayerView[]>(node.ready, '/relay/relayers')).body;
  assert.equal(relayer?.nextNonce, relayer?.nonceLatest, 'as many transactions as nonces were bound');
  return JSON.stringify({ ...life, ...losses, ...unkind.counts, transactions: relayer?.nonceLatest });
}
