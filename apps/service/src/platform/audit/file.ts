import { type FileHandle, open, stat } from 'node:fs/promises';

/** A log file that several processes append to, as one of them sees it. */
export type AuditFile = {
  /** The whole lines that others appended since the last call, and whether the file ends within a line. */
  readNew(): Promise<{ readonly lines: readonly string[]; readonly endsTorn: boolean }>;
  /**
   * Appends a text and makes sure that it is on the disk. Returns how many bytes were written; fewer when it is full.
   */
  append(text: Buffer): Promise<number>;
  /** Whether another file has the path now, because this one was renamed or cut off. */
  isReplaced(): Promise<boolean>;
  close(): Promise<void>;
};

/** The end of a file that is read when it is opened. It holds the last lines of the processes that wrote before. */
const TAIL_BYTES = 262_144;
const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

/** Opens the file at a path, or makes it for this user alone. Throws the errors of the file system. */
export async function openAuditFile(path: string): Promise<AuditFile> {
  const handle = await open(path, 'a+', 0o600);
  const { size, ino } = await handle.stat();
  const startsAt = Math.max(0, size - TAIL_BYTES);
  // Everything before this offset was read.
  let offset = startsAt;
  let isFirstRead = true;

  return {
    async readNew() {
      const { size: end } = await handle.stat();
      const bytes = await readBetween(handle, offset, end);
      const lastNewline = bytes.lastIndexOf(NEWLINE);
      const lines = bytes
        .subarray(0, lastNewline + 1)
        .toString('utf8')
        .split('\n')
        .slice(0, -1);
      // A tail begins within a line, which is not read.
      if (isFirstRead && startsAt > 0) lines.shift();
      isFirstRead = false;
      offset += lastNewline + 1;
      return { lines, endsTorn: lastNewline + 1 < bytes.length };
    },
    async append(text) {
      const { bytesWritten } = await handle.write(text);
      await handle.datasync();
      return bytesWritten;
    },
    async isReplaced() {
      const now = await stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      return now === undefined || now.ino !== ino || now.size < offset;
    },
    close: () => handle.close(),
  };
}

async function readBetween(handle: FileHandle, from: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let at = from; at < end; ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.alloc(Math.min(CHUNK_BYTES, end - at)),
      0,
      undefined,
      at,
    );
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return Buffer.concat(chunks);
}
