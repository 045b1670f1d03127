// Re-seals in a process of its own, which kills itself in the middle.
import { openStore, type StoreOptions } from '../src/index.ts';

/** What the process is told: where the database is, and the keys. It dies after the first batch of records. */
export type ResealOrder = {
  readonly connection: StoreOptions['connection'];
  readonly keys: readonly { readonly id: string; readonly hex: string }[];
};

process.once('message', (order: ResealOrder) => void resealAll(order));

async function resealAll({ connection, keys }: ResealOrder): Promise<void> {
  const sealingKeys = keys.map(({ id, hex }) => ({ id, key: Buffer.from(hex, 'hex') }));
  const opened = await openStore({ connection, sealingKeys });
  if (!opened.ok) throw new Error(opened.detail);
  await opened.store.payments.reseal(() => process.kill(process.pid, 'SIGKILL'));
}
