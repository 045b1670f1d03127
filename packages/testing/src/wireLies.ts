import { setTimeout as sleep } from 'node:timers/promises';
import { always, type Lie, when } from './lie.ts';

/** How long a slow node takes: less than the service waits for one answer. */
const SLOW_MS = 3000;

/** The truth, seconds late. */
export const slow: Lie = async (call, scene) => {
  const truth = await scene.ask(call);
  await sleep(SLOW_MS);
  return { ...truth, isLate: true };
};

/** Any lie, seconds late. */
export function slowly(lie: Lie): Lie {
  return async (call, scene) => {
    const reply = await lie(call, scene);
    await sleep(SLOW_MS);
    return reply;
  };
}

/** No answer ever comes. */
export const silence: Lie = always({ fault: 'HANG' });

/** Answers begin and never end. */
export const endless: Lie = always({ fault: 'ENDLESS' });

/** Connections are cut. */
export const cut: Lie = always({ fault: 'CUT' });

/** Answers are no JSON. */
export const noJson: Lie = always({ body: '<html>Everything is fine</html>' });

/** Answers are JSON without sense, each of another type. */
export const nonsense: Lie = (_, { count }) => NONSENSE[count % NONSENSE.length] ?? { result: null };

const NONSENSE = [
  { result: 42 },
  { result: 'maybe' },
  { result: [null, 7, { logs: 'none' }] },
  { result: { number: '0xzz', hash: 12, logs: {}, calls: 'many', accessList: 3 } },
  { result: `0x${'f'.repeat(65)}` },
  { body: 'null' },
  { body: '[]' },
  { body: '{"jsonrpc":"2.0","id":"other"}' },
  { body: '{"error":"yes"}' },
  { body: '{"error":{"code":"3","message":7,"data":{"a":1}}}' },
] as const;

/** Answers are as large as they can be. */
export const huge: Lie = (_, scene) => {
  // Made once: a node that has nothing to compute can send such answers one after the other.
  const known = scene.memory.get('huge') ?? `{"result":["0x${'ab'.repeat(4_000_000)}"]}`;
  scene.memory.set('huge', known);
  return { body: known as string };
};

/** Every request is refused. */
export const errors: Lie = always({ error: { code: -32_000, message: 'header not found' } });

/** Every answer is null: the node knows nothing. */
export const nulls: Lie = always({ result: null });

/** Every answer has the status of a broken server. */
export const brokenServer: Lie = always({ body: 'Internal Server Error', status: 500 });

/** The chain id is another one, and all else is true. */
export const otherChainId: Lie = when(({ method }) => method === 'eth_chainId', always({ result: '0x1' }));

/** Another node's chain, consistent in itself, with the same contracts and another history. */
export const otherFork: Lie = (call, scene) => scene.askOther(call);
