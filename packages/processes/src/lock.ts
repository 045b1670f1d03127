import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from './processes.ts';

/** A folder's lock, held until it is released or this process ends. */
export type DirectoryLock = { release(): void };

/**
 * The lock, or why it is refused. The refusal is a sentence that names the folder, the process that holds it, and the
 * role for which that process holds it.
 */
export type LockResult =
  | { readonly ok: true; readonly lock: DirectoryLock }
  | { readonly ok: false; readonly detail: string; readonly role?: string };

type Holder = { readonly pid: number; readonly identity: string; readonly role?: string };

const ATTEMPTS = 5;

/**
 * Locks a folder for this process through a file `owner.json` in it. The lock of a process that no longer runs is
 * taken over. The folder must exist. `role` says what this process holds the folder for; a process that is refused
 * gets it.
 *
 * @example
 * ```ts
 * import { lockDirectory } from '@fairway/processes';
 *
 * const locked = lockDirectory('/var/lib/fairway', 'sandbox');
 * if (!locked.ok) throw new Error(locked.detail);
 * locked.lock.release();
 * ```
 */
export function lockDirectory(directory: string, role?: string): LockResult {
  const path = join(directory, 'owner.json');
  const identity = processIdentity(process.pid);
  const text = JSON.stringify({ pid: process.pid, identity, id: randomUUID(), role });
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  writeFileSync(draft, text);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (linked(draft, path)) return { ok: true, lock: { release: () => release(path, text) } };
      const holder = liveHolder(path) ?? liveHolderAfterRemoval(path, `${draft}.stale`);
      if (holder !== undefined) return refused(directory, holder);
    }
    return { ok: false, detail: `${directory} is being taken by other processes at this moment. Try again.` };
  } finally {
    unlinkSync(draft);
  }
}

function refused(directory: string, holder: Holder): LockResult {
  return {
    ok: false,
    ...(holder.role === undefined ? {} : { role: holder.role }),
    detail:
      `${directory} is in use by the running process ${holder.pid}. ` +
      'Stop that one first, or choose another data folder.',
  };
}

/** Tries to take the lock by a hard link, which is atomic and never replaces a file: only one process can succeed. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function liveHolder(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Holder;
    return processIdentity(holder.pid) === holder.identity ? holder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Moves a stale lock away. If another process has taken the lock meanwhile, restores that lock and returns its
 * holder.
 */
function liveHolderAfterRemoval(path: string, aside: string): Holder | undefined {
  try {
    renameSync(path, aside);
  } catch {
    return undefined;
  }
  const holder = liveHolder(aside);
  if (holder !== undefined) linked(aside, path);
  unlinkSync(aside);
  return holder;
}

function release(path: string, text: string): void {
  try {
    if (readFileSync(path, 'utf8') === text) unlinkSync(path);
  } catch {
    // The folder may have been removed, and its lock with it.
  }
}
