import { median } from './statistics.ts';

const WARM_UP_MS = 300;
const ROUND_MS = 60;
const ROUNDS = 11;

/** Results are written here, so that the optimiser cannot remove the calls as unused. */
const sink: { last: unknown } = { last: undefined };

/** How long one call takes in nanoseconds: the median of rounds after a warm-up. `call` gets the number of the call. */
export function nanosecondsPerCall(call: (turn: number) => unknown): number {
  let turn = 0;
  const repeat = (calls: number): number => {
    const startedAt = process.hrtime.bigint();
    for (let index = 0; index < calls; index += 1) {
      sink.last = call(turn);
      turn += 1;
    }
    return Number(process.hrtime.bigint() - startedAt);
  };
  const warmUntil = performance.now() + WARM_UP_MS;
  while (performance.now() < warmUntil) repeat(1);
  const probeCalls = Math.max(1, Math.round(turn / 20));
  const perCall = repeat(probeCalls) / probeCalls;
  const calls = Math.max(1, Math.round((ROUND_MS * 1e6) / perCall));
  collectGarbage();
  return median(Array.from({ length: ROUNDS }, () => repeat(calls) / calls));
}

/** Frees what earlier measurements allocated; needs `--expose-gc`, which `npm run bench` sets. */
export function collectGarbage(): void {
  globalThis.gc?.();
}
