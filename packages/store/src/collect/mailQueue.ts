import { randomUUIDv7 } from 'node:crypto';
import type { TimeMs } from '@fairway/plan';
import type { Database } from '../database.ts';
import { addMailJob } from '../jobs/mailJob.ts';
import type { PlanScope } from '../payments/planScope.ts';
import type { SealedPlace, Sealing } from '../sealing.ts';

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
  readonly messageId: string;
};

/** Where an e-mail is sealed for. */
export function mailPlace(organisationId: string, planId: string, mailId: string): SealedPlace {
  return { organisationId, planId, field: `mail:${mailId}` };
}

/** Keeps an e-mail sealed, and the job that sends it. */
export async function queueMail(
  transaction: Database,
  sealing: Sealing,
  now: Date,
  { scope, planId, tokenHash, expiresAtMs, order, messageId }: NewMail,
): Promise<void> {
  const mailId = `mail_${randomUUIDv7().replaceAll('-', '')}`;
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
      message_id: messageId,
      expires_at: new Date(expiresAtMs),
      key_id: keyId,
      sealed,
      state: 'QUEUED',
      attempts: 0,
      created_at: now,
    })
    .execute();
  await addMailJob(transaction, mailId);
}
