import type { Store } from '@fairway/store';
import type { AuditFact } from '../platform/audit/facts.ts';
import { readStoreConfig } from '../platform/config/storeConfig.ts';
import { audited } from './auditedCommand.ts';
import { openCommandStore } from './openCommandStore.ts';
import type { Terminal } from './terminal.ts';

/** What a command prints, a text for people or one JSON object for scripts, and what the audit log keeps of it. */
export type Output = { readonly text: string; readonly json: object; readonly fact: AuditFact };

/** The options of each command that is on the store. */
type StoreValues = { readonly data?: string; readonly 'audit-log'?: string; readonly json?: boolean };

/**
 * Runs a command on the store, with the audit log open. `isChange`: the command changes something, and warns where
 * there is no audit log. `mayMake`: it may make a database in the data folder. Returns what to print.
 */
export async function runOnStore(
  values: StoreValues,
  terminal: Terminal,
  command: { readonly name: string; readonly isChange: boolean; readonly mayMake: boolean },
  run: (store: Store) => Promise<Output>,
): Promise<string> {
  const { audit } = readStoreConfig(values.data, terminal.environment, values['audit-log']);
  if (audit === undefined && command.isChange)
    terminal.notes.write(
      "No audit log has what this command does. Give the service's with --audit-log FILE, or set FAIRWAY_AUDIT_LOG.\n",
    );
  const { store, close } = await openCommandStore(values.data, terminal, command.mayMake);
  try {
    const output = await audited(audit, terminal, command.name, async (port) => {
      const { fact, ...printed } = await run(store);
      port.record(fact);
      return printed;
    });
    return values.json ? JSON.stringify(output.json) : output.text;
  } finally {
    await close();
  }
}
