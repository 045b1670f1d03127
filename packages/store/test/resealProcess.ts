// Re-seals in a process of its own, which kills itself in the middle.
import { openStore, type StoreOptions } from '../src/index.ts';

/** What the process is told: where the database is, the keys, and how much is left when it dies. */
export type ResealOrder = {
  readonly connection: StoreOptions['connection'];
  readonly keys: readonly { readonly id: string; readonly hex: string }[];
  readonly diesWithLeft: number;
};

process.once('message', (order: ResealOrder) => void resealAll(order));

async function resealAll({ connection, keys, diesWithLeft }: ResealOrder): Promise<void> {
  const sealingKeys = keys.map(({ id, hex }) => ({ id, key: Buffer.from(hex, 'hex') }));
  const opened = await openStore({ connection, sealingKeys });
  if (!opened.ok) throw new Error(opened.detail);
  await opened.store.payments.reseal(({ done, total }) => {
    if (total - done <= diesWithLeft) process.kill(process.pid, 'SIGKILL');
  });
}
