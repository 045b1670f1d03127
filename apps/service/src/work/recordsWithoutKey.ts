import type { Operator } from '@fairway/store';
import type { Logger } from 'pino';

/** Names each sealing key that is not configured although it seals records, as after it was taken out too early. */
export async function logRecordsWithoutKey(
  operator: Pick<Operator, 'recordsWithoutKey'>,
  keyIds: readonly string[],
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  // Without any key the service offers no payments, and opens nothing.
  if (keyIds.length === 0) return;
  const counted = await operator.recordsWithoutKey(keyIds);
  for (const [keyId, records] of counted.counts) {
    const [are, them] = records === 1 ? ['1 record is', 'it'] : [`${records} records are`, 'them'];
    log.warn(
      { keyId, records },
      `FAIRWAY_SEALING_KEYS lacks ${keyId}, and ${are} sealed with it: nobody can read ${them}, and links of such plans ` +
        `cannot be sent. Give ${keyId} again, behind the first key, run "fairway reseal" to its end, and then take it out. ` +
        'If it is lost: docs/operating.md, "A sealing key is lost".',
    );
  }
}
