import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Line, lineOf, readLines } from './lines.ts';

/** Writes the journal anew with the marks and its newest lines, and puts it in the place of the old one at once. */
export function keepNewest(
  path: string,
  { firstKept, marks }: { readonly firstKept: number; readonly marks: readonly Line[] },
): number {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  let length = 0;
  try {
    const write = (text: string) => {
      length += writeSync(file, `${text}\n`);
    };
    for (const each of marks) write(lineOf(each));
    let index = 0;
    readLines(path, (_, text) => {
      if (index >= firstKept) write(text);
      index += 1;
    });
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
  return length;
}

/** Writes to the disk which files a folder has. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
