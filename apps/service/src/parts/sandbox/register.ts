import type { Door } from '@fairway/api';
import type { CollectParts } from '../collect/index.ts';
import { registerMailbox, registerMailboxPage } from './mailbox.ts';
import { registerOperations } from './operations.ts';
import type { SandboxDeps } from './deps.ts';

/** Registers what the built-in sandbox alone has. */
export function registerSandbox(
  { registrar, server }: Door,
  sandbox: SandboxDeps,
  parts: CollectParts,
  nowMs: () => number,
): void {
  registerOperations(registrar, sandbox, parts, nowMs);
  registerMailbox(registrar, sandbox);
  registerMailboxPage(server, sandbox);
}
