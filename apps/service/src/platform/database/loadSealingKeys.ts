import { type Key, type KeyRefusal, type KeySource, readKey } from '@fairway/keys';

/** The keys in the order of their sources, or why there is one less. */
export type LoadedKeys = { readonly ok: true; readonly keys: readonly Key[] } | KeyRefusal;

/** Reads every sealing key once; from then on they are in memory. */
export async function loadSealingKeys(sources: readonly KeySource[]): Promise<LoadedKeys> {
  const keys: Key[] = [];
  for (const source of sources) {
    const read = await readKey(source);
    if (!read.ok) return read;
    keys.push(read.key);
  }
  return { ok: true, keys };
}
