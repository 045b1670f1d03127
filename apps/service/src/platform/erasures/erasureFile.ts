import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RecipientId } from '@fairway/recipients';
import type { Erasure } from '@fairway/store';

/** What the file of erasures says. `unreadable`: how many lines are no erasures, such as one that a full disk cut off. */
export type ReadErasures = { readonly erasures: readonly Erasure[]; readonly unreadable: number };

/** Makes the file for this user alone where there is none. Throws the errors of the file system. */
export async function prepareErasureFile(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  await file.close();
  // A new file is only surely there once its folder is on the disk.
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Appends an erasure and makes sure that it is on the disk. A file that is gone is not made again: the earlier erasures
 * are in the file that was taken away. Throws the errors of the file system.
 */
export async function appendErasure(path: string, erasure: Erasure): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    // A line of another process may have been cut off: this one begins on a line of its own.
    const bytes = Buffer.from(`\n${lineOf(erasure)}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error('the disk is full');
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Reads a file of erasures. Throws the errors of the file system. */
export async function readErasures(path: string): Promise<ReadErasures> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const erasures = lines.flatMap((line) => erasureIn(line) ?? []);
  return { erasures, unreadable: lines.length - erasures.length };
}

function lineOf({ scope, recipientId, atMs }: Erasure): string {
  return JSON.stringify({ erased: recipientId, ...scope, at: new Date(atMs).toISOString() });
}

function erasureIn(line: string): Erasure | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof read !== 'object' || read === null) return undefined;
  const { erased, organisationId, environment, at } = read as Readonly<Record<string, unknown>>;
  const atMs = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (typeof erased !== 'string' || !/^rcp_[0-9a-f]{32}$/.test(erased)) return undefined;
  if (typeof organisationId !== 'string' || Number.isNaN(atMs)) return undefined;
  if (environment !== 'sandbox' && environment !== 'production') return undefined;
  return { scope: { organisationId, environment }, recipientId: erased as RecipientId, atMs };
}
