import { randomUUIDv7 } from 'node:crypto';
import type { Recipient, TimeMs } from '@fairway/plan';
import type { Database } from '../database/database.ts';
import { addMailJob } from './job.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { mailPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '@fairway/keys';

type Addressee = { readonly to: string; readonly name?: string; readonly locale: string };

/** What an e-mail with a link is made of. `message`: the organisation's to the recipient. */
export type LinkOrder = Addressee & {
  readonly kind: 'LINK_FIRST' | 'LINK_REPLACED' | 'LINK_REISSUED' | 'LINK_REOPENED';
  readonly token: string;
  readonly message?: string;
};

/** `destination`: what the code confirms, masked, in the language of the e-mail; `paidTo`: its type. */
type CodeOrder = Addressee & {
  readonly kind: 'CODE';
  readonly code: string;
  readonly destination: string;
  readonly paidTo: Recipient['type'];
};

/** What an e-mail is made of: personal data, a token or a code. Sealed until the e-mail was accepted, then erased. */
export type MailOrder = LinkOrder | CodeOrder;

/** An e-mail about a link that is to be sent before `expiresAtMs`. */
export type NewMail = {
  readonly scope: PlanScope;
  readonly planId: string;
  readonly tokenHash: Buffer;
  readonly expiresAtMs: TimeMs;
  readonly order: MailOrder;
};

/** A new id of an e-mail; ids sort by age. */
export function newMailId(): string {
  return `mail_${randomUUIDv7().replaceAll('-', '')}`;
}

/**
 * A new Message-ID without its domain, which is that of whoever sends. An e-mail keeps it when it is sent again, so that
 * mail programs show the e-mail once.
 */
export function newMessageId(): string {
  return randomUUIDv7();
}

/** Keeps a sealed e-mail with the job that sends it. */
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
