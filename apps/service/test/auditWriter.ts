// A process of its own that writes to an audit log: FILE KEY HOW_MANY. Without a number it writes until it is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { auditKeyOf } from '../src/platform/audit/key.ts';
import { openAuditLog } from '../src/platform/audit/log.ts';

const [file = '', key = '', howMany = 'Infinity'] = process.argv.slice(2);
const opened = await openAuditLog({
  ...{ file, key: auditKeyOf(Buffer.from(key, 'hex')), command: 'test', flushAfterMs: 1 },
  onFault: (detail) => process.stdout.write(`fault: ${detail}\n`),
});
if (!opened.ok) throw new Error(opened.detail);
process.stdout.write('opened\n');
for (let count = 0; count < Number(howMany); count += 1) {
  opened.log.record({ event: 'CREDENTIALS_LISTED', count });
  if (count % 10 === 0) await sleep(1);
}
await opened.log.close();
process.stdout.write(`waiting: ${opened.log.status().waiting}\n`);
