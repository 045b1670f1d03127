// Re-seals in a process of its own, which kills itself in the middle.
import { openStore, type ResealProgress, type StoreOptions } from '../src/index.ts';

/** What the process is told: where the database is, the keys, and when it dies. */
export type ResealOrder = {
  readonly connection: StoreOptions['connection'];
  readonly keys: readonly { readonly id: string; readonly hex: string }[];
  /** It dies after the first batch of these. */
  readonly diesAfter: ResealProgress['what'];
};

process.once('message', (order: ResealOrder) => void resealAll(order));

async function resealAll({ connection, keys, diesAfter }: ResealOrder): Promise<void> {
  const sealingKeys = keys.map(({ id, hex }) => ({ id, key: Buffer.from(hex, 'hex') }));
  const opened = await openStore({ connection, sealingKeys });
  if (!opened.ok) throw new Error(opened.detail);
  await opened.store.payments.reseal(({ what }) => {
    if (what === diesAfter) process.kill(process.pid, 'SIGKILL');
  });
}
