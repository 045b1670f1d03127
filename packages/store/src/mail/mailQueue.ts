import { randomUUIDv7 } from 'node:crypto';
import type { TimeMs } from '@fairway/plan';
import type { Database } from '../database/database.ts';
import { addMailJob } from './mailJob.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { mailPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '../keys/sealing.ts';

/** What an e-mail is made of. Personal data, a token or a code: sealed until the e-mail was accepted, then erased. */
export type MailOrder = {
  readonly kind: 'LINK_FIRST' | 'LINK_REPLACED' | 'LINK_REISSUED' | 'LINK_REOPENED' | 'CODE';
  readonly to: string;
  readonly name?: string;
  readonly locale: string;
  readonly token?: string;
  readonly code?: string;
  readonly message?: string;
};

/** An e-mail of a link that is to be sent, and not after `expiresAtMs`. */
export type NewMail = {
  readonly scope: PlanScope;
  readonly planId: string;
  readonly tokenHash: Buffer;
  readonly expiresAtMs: TimeMs;
  readonly order: MailOrder;
};

/** An id of an e-mail; ids sort by age. */
export function newMailId(): string {
  return `mail_${randomUUIDv7().replaceAll('-', '')}`;
}

/** One for each e-mail, and the same whenever that is sent again: mail programs then show it once. */
export function newMessageId(): string {
  // The right side only has to be of this service's making: it need not be a host that exists.
  return `<${randomUUIDv7()}@collect.fairway>`;
}

/** Keeps an e-mail sealed, and the job that sends it. */
export async function queueMail(
  transaction: Database,
  sealing: Sealing,
  now: Date,
  { scope, planId, tokenHash, expiresAtMs, order }: NewMail,
): Promise<void> {
  const mailId = newMailId();
  const { keyId, sealed } = sealing.seal(
    mailPlace(scope.organisationId, planId, mailId),
    JSON.stringify(order),
  );
  await transaction
    .insertInto('mails')
    .values({
      mail_id: mailId,
      organisation_id: scope.organisationId,
      environment: scope.environment,
      plan_id: planId,
      token_hash: tokenHash,
      kind: order.kind,
      message_id: newMessageId(),
      expires_at: new Date(expiresAtMs),
      key_id: keyId,
      sealed,
      state: 'QUEUED',
      attempts: 0,
      created_at: now,
    })
    .execute();
  await addMailJob(transaction, mailId, order.kind === 'CODE' ? { urgency: 'URGENT' } : {});
}
