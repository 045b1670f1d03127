import { type AuditKey, addressName } from './key.ts';
import { type AuditStatus, type ChainOptions, createChainWriter, type LineContent } from './chainWriter.ts';
import type { AuditPort } from './facts.ts';
import { createThinning, type Kept } from './thinning.ts';

/** An open audit log: a chain of lines of this process in a file that other processes append to as well. */
export type AuditLog = AuditPort & {
  status(): AuditStatus;
  /** Writes everything that waits. Resolves to whether that succeeded. */
  flush(): Promise<boolean>;
  /** Ends the chain with a line that says so. */
  close(): Promise<void>;
};

/**
 * What an audit log is opened with. `flushAfterMs`: how long facts wait until they are written together.
 * `lookEveryMs`: how often the file is looked at when no fact is to be written. Meanwhile other processes may have
 * written lines. The file may be another one, or writable again.
 */
export type AuditLogOptions = ChainOptions & {
  readonly flushAfterMs?: number;
  readonly lookEveryMs?: number;
};

/** An open log, or why the file cannot be written. */
export type AuditLogOutcome =
  | { readonly ok: true; readonly log: AuditLog }
  | { readonly ok: false; readonly detail: string };

const FLUSH_AFTER_MS = 250;
const LOOK_EVERY_MS = 1_000;
/** How often facts that were only counted are written as a count. */
const WINDOW_MS = 60_000;

/** Opens the log and writes its first line. */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLogOutcome> {
  const writer = createChainWriter(options);
  try {
    await writer.open();
  } catch (error) {
    return { ok: false, detail: (error as Error).message };
  }
  let timer: NodeJS.Timeout | undefined;
  const writeSoon = () => {
    timer = undefined;
    void writer.write();
  };
  const keep = (kept: Kept) => {
    writer.add(withAddressName(options.key, kept));
    timer ??= setTimeout(writeSoon, options.flushAfterMs ?? FLUSH_AFTER_MS).unref();
  };
  const thinning = createThinning(keep, () => performance.now());
  const look = setInterval(() => void writer.write(), options.lookEveryMs ?? LOOK_EVERY_MS).unref();
  const window = setInterval(thinning.endWindow, WINDOW_MS).unref();
  return {
    ok: true,
    log: {
      record: thinning.add,
      status: writer.status,
      flush: writer.write,
      async close() {
        clearInterval(look);
        clearInterval(window);
        thinning.endWindow();
        clearTimeout(timer);
        writer.add({ event: 'CLOSED' });
        await writer.write();
        await writer.close();
      },
    },
  };
}

function withAddressName(key: AuditKey, kept: Kept): LineContent {
  if (!('address' in kept) || kept.address === undefined) return kept;
  const { address, ...rest } = kept;
  return { ...rest, from: addressName(key, address) };
}
