// The guardian's process: see guardian.ts. It reads registrations until the pipe closes, then cleans up.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { GuardianMessage } from './guardian.ts';
import { endProcess } from './processes.ts';

const GRACE_MS = 1_000;

// A terminal's Ctrl-C or hang-up must not end the guardian before the process that it guards.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

const watched = new Map<number, { identity: string; signal: NodeJS.Signals }>();
const removals = new Set<string>();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as GuardianMessage;
  if ('watch' in message) watched.set(message.watch, { identity: message.identity, signal: message.signal });
  else if ('unwatch' in message) watched.delete(message.unwatch);
  else removals.add(message.remove);
}

await Promise.allSettled(
  [...watched].map(([pid, { identity, signal }]) => endProcess(pid, identity, signal, GRACE_MS)),
);
await Promise.allSettled(
  [...removals].map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })),
);
