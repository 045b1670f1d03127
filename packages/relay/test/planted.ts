// Senders with a fault that is common. The lives must find each.
import type { Hex } from '../src/index.ts';
import { honest, Killed, portsOf, type Process, type World } from './lives.ts';
import type { Kept } from './database.ts';

const GAS_LIMIT = 21_000n;

/** Takes the nonce from a node each time, and sends again what it does not find. */
function asking(tag: 'latest' | 'pending'): () => Process {
  return () => {
    const hashes = new Map<string, Hex[]>();
    return async (world) => {
      const ports = portsOf(world);
      for (const row of openOf(world)) {
        const own = hashes.get(row.relayTransactionId) ?? [];
        const look = world.chain.look(own);
        const inclusion = own.map((hash) => look.inclusions.get(hash)).find(Boolean);
        if (inclusion !== undefined) {
          if (inclusion.blockNumber <= look.finalBlockNumber)
            await ports.store.conclude([{ about: row, outcome: { as: 'CONFIRMED', inclusion } }]);
          continue;
        }
        const about = { ...row, nonce: world.chain.nonceAt(tag), gasLimit: GAS_LIMIT };
        const { hash, raw } = await ports.sign({ about, purpose: 'EXECUTE', fees: look.marketFees });
        hashes.set(row.relayTransactionId, [...own, hash]);
        await world.chain.send(raw).catch((error: unknown) => {
          if (error instanceof Killed) throw error;
        });
      }
    };
  };
}

/** Sends before it writes down what it sent. */
const sendsFirst = (): Process => async (world) => {
  const ports = portsOf(world);
  for (const row of openOf(world)) {
    const relayer = world.database.relayer();
    if (row.nonce !== undefined) continue;
    const look = await ports.chain.look(relayer, []);
    const nonce = Math.max(relayer.nextNonce, look.nonceLatest);
    const about = { ...row, nonce, gasLimit: GAS_LIMIT };
    const { hash, raw } = await ports.sign({ about, purpose: 'EXECUTE', fees: look.marketFees });
    await world.chain.send(raw).catch((error: unknown) => {
      if (error instanceof Killed) throw error;
    });
    world.database.cancelNonces([], nonce);
    await ports.store.bind([{ about: row, gasLimit: GAS_LIMIT }]);
    const fees = { ...look.marketFees };
    const sentNow = { purpose: 'EXECUTE' as const, fees, signedAtBlock: look.head.number, wasSent: true };
    await ports.store.keepAttempts([{ about, attempt: { hash, raw, ...sentNow } }]);
  }
  await honest(world);
};

/** Plans anew whatever was under way when it was killed. */
const plansAgain = (): Process => async (world) => {
  try {
    await honest(world);
  } catch (error) {
    if (error instanceof Killed) openOf(world).forEach((row) => world.database.forgetBinding(row));
    throw error;
  }
};

/** Takes a nonce that is used, without a receipt, for a replacement, and sends the call with another nonce. */
const trustsSilence = (): Process => async (world) => {
  for (const row of openOf(world)) {
    const look = world.chain.look(row.attempts.map(({ hash }) => hash));
    const isSilent = row.nonce !== undefined && row.nonce < look.nonceLatest && look.inclusions.size === 0;
    if (isSilent) world.database.forgetBinding(row);
  }
  await honest(world);
};

function openOf(world: World): readonly Kept[] {
  return world.database.rows().filter(({ outcome }) => outcome === undefined);
}

export const PLANTED: Readonly<Record<string, () => Process>> = {
  'takes the nonce from the latest block, and sends again what it does not find': asking('latest'),
  'takes the nonce from what is pending': asking('pending'),
  'sends before it commits': sendsFirst,
  'plans anew after a crash': plansAgain,
  'takes a used nonce without a receipt for a replacement': trustsSilence,
};
