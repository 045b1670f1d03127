import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { makingOfChains } from './anvil.ts';
import type { SetupTransaction } from './deploy.ts';
import type { Rpc } from './rpc.ts';

/** A chain that is set up, as a file that anvil loads: loading takes a quarter of what the set-up takes. */
export type SeededState = {
  /** The file, or undefined while there is none. */
  path(): string | undefined;
  /** Keeps the chain as it is now. A chain that cannot be kept is logged, and set up again by the next start. */
  keep(rpc: Rpc): Promise<void>;
  /** Removes a file that a node cannot load, if that is allowed, and logs why. */
  remove(reason: string): void;
};

/**
 * Where the chain that these transactions make is kept. The file's name is a digest of them and of the making of chains, so that
 * no other chain is loaded.
 */
export function openSeededState(
  cacheDirectory: string,
  transactions: readonly SetupTransaction[],
  log: (message: string) => void,
): SeededState {
  const hash = createHash('sha256').update(`${makingOfChains()}\n`);
  for (const { from, to, data, value } of transactions) hash.update(`${from} ${to} ${data} ${value ?? 0n}\n`);
  const file = join(cacheDirectory, `chain-${hash.digest('hex').slice(0, 16)}.json`);
  return {
    path: () => (existsSync(file) ? file : undefined),
    async keep(rpc) {
      // With the states of its first blocks, which anvil leaves out unless asked: callers read at any block.
      const dump = await rpc.request<string>('anvil_dumpState', [true]);
      try {
        mkdirSync(cacheDirectory, { recursive: true });
        writeWhole(file, gunzipSync(Buffer.from(dump.slice(2), 'hex')));
      } catch (error) {
        log(`The chain that is set up is not kept in ${cacheDirectory}: ${(error as Error).message}`);
      }
    },
    remove(reason) {
      log(`The chain is set up anew, because the one in ${file} cannot be loaded: ${reason}`);
      try {
        rmSync(file, { force: true });
      } catch (error) {
        log(`That file cannot be removed: ${(error as Error).message}`);
      }
    },
  };
}

/** Several processes may write it at the same time, and none may load a part of it. */
function writeWhole(file: string, bytes: Buffer): void {
  const draft = `${file}.${process.pid}.${randomUUID()}`;
  try {
    writeFileSync(draft, bytes);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
