import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { commandLine, endProcess, processIdentity } from '@fairway/processes';
import type { Rpc } from './rpc.ts';

/** What a data folder keeps of a chain between runs. */
export type SavedChain = {
  /** The chain as anvil's dump in JSON, and how far the clock is ahead; undefined when nothing was saved yet. */
  read(): { readonly dump: Buffer; readonly offsetMs: number } | undefined;
  /**
   * Saves the chain and how far the clock is ahead. A crash at any moment leaves the previous save or this one
   * complete.
   */
  save(rpc: Rpc, offsetMs: number): Promise<void>;
  saveClock(offsetMs: number): Promise<void>;
  /** Records the node that serves this folder, so that the next run can end it if this one dies. */
  recordNode(pid: number, folder: string): void;
  /** Ends the recorded node if it still runs, and removes its temporary folder. */
  endOrphan(): Promise<void>;
  /** The error for a saved chain that the node refuses. */
  unreadable(reason: string): SavedChainUnreadable;
};

/** The saved chain cannot be used. The message names the file and what to do. */
export class SavedChainUnreadable extends Error {
  override readonly name = 'SavedChainUnreadable';
}

/** How the name of every temporary folder of a sandbox chain begins. */
export const FOLDER_PREFIX = 'fw-chain-';

const ORPHAN_GRACE_MS = 500;

type NodeRecord = { readonly pid: number; readonly identity: string; readonly folder: string };

/** Opens the saved chain of a data folder, making the folder when there is none. */
export function openSavedChain(directory: string): SavedChain {
  mkdirSync(directory, { recursive: true });
  const statePath = join(directory, 'chain-state.json.gz');
  const clockPath = join(directory, 'clock.json');
  const nodePath = join(directory, 'node.json');
  let lastClock: Promise<void> = Promise.resolve();
  // One after the other: an advance and a save of the chain write the same draft file.
  const saveClock = (offsetMs: number) => {
    const saved = lastClock.then(() => writeAtomically(clockPath, JSON.stringify({ offsetMs })));
    lastClock = saved.catch(() => undefined);
    return saved;
  };
  return {
    read() {
      const compressed = readIfPresent(statePath);
      if (compressed === undefined) return undefined;
      try {
        return { dump: gunzipSync(compressed), offsetMs: readClock(clockPath) };
      } catch (cause) {
        throw unreadable(statePath, (cause as Error).message);
      }
    },
    async save(rpc, offsetMs) {
      const dump = await rpc.request<string>('anvil_dumpState');
      await writeAtomically(statePath, Buffer.from(dump.slice(2), 'hex'));
      await saveClock(offsetMs);
    },
    saveClock,
    recordNode(pid, folder) {
      const record: NodeRecord = { pid, identity: processIdentity(pid) ?? '', folder };
      // Synchronously, so that a crash cannot come between the node's start and its record.
      writeFileSync(`${nodePath}.draft`, JSON.stringify(record));
      renameSync(`${nodePath}.draft`, nodePath);
    },
    async endOrphan() {
      await endRecordedNode(readIfPresent(nodePath)?.toString('utf8'));
      rmSync(nodePath, { force: true });
    },
    unreadable: (reason) => unreadable(statePath, reason),
  };
}

function unreadable(path: string, reason: string): SavedChainUnreadable {
  return new SavedChainUnreadable(
    `The sandbox's saved chain ${path} cannot be read (${reason}). ` +
      'Move that file away to begin with a fresh chain, or choose another data folder.',
  );
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, (error as Error).message);
  }
}

/**
 * How far the saved clock is ahead; 0 when the file is lost, because the chain's latest block moves the clock up
 * anyway.
 */
function readClock(path: string): number {
  try {
    const { offsetMs } = JSON.parse(readFileSync(path, 'utf8')) as { offsetMs: unknown };
    return typeof offsetMs === 'number' && Number.isFinite(offsetMs) ? offsetMs : 0;
  } catch {
    return 0;
  }
}

/**
 * Ends the recorded node if its start time and its command line are still the same: another process may have its id
 * by now.
 */
async function endRecordedNode(text: string | undefined): Promise<void> {
  if (text === undefined) return;
  let record: NodeRecord;
  try {
    record = JSON.parse(text) as NodeRecord;
  } catch {
    return;
  }
  const { pid, identity, folder } = record;
  const ours = basename(folder).startsWith(FOLDER_PREFIX);
  if (!ours) return;
  if (processIdentity(pid) === identity && commandLine(pid).includes(folder)) {
    await endProcess(pid, identity, 'SIGTERM', ORPHAN_GRACE_MS);
  }
  if ([tmpdir(), '/tmp'].includes(dirname(folder))) rmSync(folder, { recursive: true, force: true });
}

/** Writes a draft beside the file, flushes it, then renames it to the file's name. */
async function writeAtomically(path: string, content: string | Buffer): Promise<void> {
  const draft = `${path}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
