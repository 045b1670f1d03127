import { pathOf, shown, bytesOf } from './request.ts';
import type { Census } from './census.ts';
import type { Wire } from './connection.ts';
import { type Bench, judge, judgeOdd } from './judge.ts';
import type { Ask, FuzzCase } from './requests.ts';

/** Sends requests, judges the answers and counts them. */
export type Trial = { readonly wire: Wire; readonly bench: Bench; readonly census: Census };

/** Sends a case. Rejects with what is wrong with the answers. */
export async function tryCase(trial: Trial, given: FuzzCase): Promise<void> {
  const { wire, bench } = trial;
  if (given.kind === 'USUAL') {
    await tryAsks(trial, given.asks);
    return;
  }
  const bytes = given.fault(bytesOf(given.ask.request));
  const heard = await wire.sendOdd(bytes);
  for (const { status, tookMs } of heard.answers) trial.census.count('(odd bytes)', status, tookMs);
  refuse(judgeOdd(bench, given.ask, heard), [bytes]);
}

/** Sends requests on one connection and judges their answers. Rejects with what is wrong. */
export async function tryAsks({ wire, bench, census }: Trial, asks: readonly Ask[]) {
  const bytes = asks.map(({ request }) => bytesOf(request));
  const heard = await wire.send(
    Buffer.concat(bytes),
    asks.map(({ request }) => request.method),
  );
  for (const [index, { status, tookMs }] of heard.answers.entries()) {
    const { method = '', target = '' } = asks[index]?.request ?? {};
    const operation = bench.description.find(method, pathOf(target))?.id ?? '(other)';
    census.count(operation, status, tookMs);
  }
  refuse(judge(bench, asks, heard), bytes);
  return heard.answers;
}

function refuse(faults: readonly string[], requests: readonly Buffer[]): void {
  if (faults.length === 0) return;
  throw new Error(`${faults.join('\n')}\nThe bytes sent: ${requests.map(shown).join('\n')}`);
}
