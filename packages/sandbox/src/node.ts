import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guardian } from '@fairway/processes';
import { type Anvil, startAnvil } from './anvil.ts';
import type { SavedChain } from './savedChain.ts';
import type { SeededState } from './seededState.ts';

/** Where a node runs, and what it starts from. */
export type NodeSite = {
  /** A temporary folder for this node only. */
  readonly folder: string;
  readonly ipcPath: string | undefined;
  /** The address of this machine that the node listens on. */
  readonly host: string;
  readonly guardian: Guardian;
  readonly saved: SavedChain | undefined;
  readonly seeded: SeededState | undefined;
};

/** A node that listens: with a chain that was saved, one that is set up, or an empty one. */
export type StartedNode = {
  readonly anvil: Anvil;
  readonly chain: 'SAVED' | 'SEEDED' | 'EMPTY';
  readonly offsetMs: number;
};

/**
 * Starts a node from the saved chain; when nothing is saved, from the chain that is set up, or an empty one. Port 0 takes any
 * free port.
 */
export async function startNode(site: NodeSite, port: number): Promise<StartedNode> {
  const { folder, saved } = site;
  const save = saved?.read();
  if (save === undefined) return startUnsaved(site, port);
  const statePath = join(folder, 'state.json');
  await writeFile(statePath, save.dump);
  try {
    return { anvil: await spawnNode(site, port, statePath), chain: 'SAVED', offsetMs: save.offsetMs };
  } catch (error) {
    // With a fixed port, the port may be the cause and not the saved chain.
    if (saved === undefined || port !== 0) throw error;
    throw saved.unreadable((error as Error).message);
  } finally {
    rmSync(statePath, { force: true });
  }
}

async function startUnsaved(site: NodeSite, port: number): Promise<StartedNode> {
  const { seeded } = site;
  const statePath = seeded?.path();
  if (statePath !== undefined) {
    try {
      return { anvil: await spawnNode(site, port, statePath), chain: 'SEEDED', offsetMs: 0 };
    } catch (error) {
      seeded?.remove((error as Error).message);
    }
  }
  return { anvil: await spawnNode(site, port, undefined), chain: 'EMPTY', offsetMs: 0 };
}

function spawnNode(site: NodeSite, port: number, statePath: string | undefined): Promise<Anvil> {
  const { folder, ipcPath, host, guardian, saved } = site;
  // A node that was killed leaves its socket file behind, and the next node could not bind it.
  if (ipcPath !== undefined) rmSync(ipcPath, { force: true });
  const onSpawn = (pid: number) => {
    guardian.watch(pid);
    saved?.recordNode(pid, folder);
  };
  return startAnvil({ host, port, folder, ipcPath, statePath, onSpawn });
}

/** A node that is started again whenever it dies. */
export type SupervisedNode = {
  /** Ends the node for good; resolves when it is gone. */
  stop(): Promise<void>;
};

/** How to bring a node back. */
export type Supervision = {
  readonly site: NodeSite;
  readonly log: (message: string) => void;
  /** Makes a started node usable; called for every restarted one. */
  prepare(node: StartedNode): Promise<void>;
};

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
/** A node that ran this long was healthy: the next restart begins with the shortest delay again. */
const HEALTHY_MS = 30_000;

/** Watches a node that is already prepared, and starts it again on the same port when it ends by itself. */
export function superviseNode(first: StartedNode, supervision: Supervision): SupervisedNode {
  const { site, log } = supervision;
  const port = first.anvil.port;
  const stopping = new AbortController();
  let current: Anvil | undefined = first.anvil;

  const restarted = async (): Promise<void> => {
    const node = await startNode(site, port);
    current = node.anvil;
    try {
      await supervision.prepare(node);
    } catch (error) {
      await node.anvil.stop();
      throw error;
    }
  };

  const keepRunning = async (): Promise<void> => {
    let delayMs = FIRST_DELAY_MS;
    while (!stopping.signal.aborted) {
      if (current !== undefined) {
        const startedAt = performance.now();
        const reason = await current.ended;
        site.guardian.unwatch(current.pid);
        current = undefined;
        if (stopping.signal.aborted) return;
        log(`The sandbox chain ended unexpectedly (${reason}); starting it again on port ${port}`);
        if (performance.now() - startedAt > HEALTHY_MS) delayMs = FIRST_DELAY_MS;
      }
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      if (stopping.signal.aborted) return;
      try {
        await restarted();
        log('The sandbox chain runs again');
      } catch (error) {
        log(`The sandbox chain could not be started again: ${(error as Error).message}`);
      }
    }
  };
  const kept = keepRunning();
  return {
    async stop() {
      stopping.abort();
      await current?.stop();
      await kept;
      // A restart that was under way when stop was called may have put a node here since.
      const late: Anvil | undefined = current;
      await late?.stop();
      if (late !== undefined) site.guardian.unwatch(late.pid);
    },
  };
}
