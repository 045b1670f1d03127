import { defined } from '@fairway/values';
import type { EndpointNotice } from '@fairway/outbox';
import type { Logger } from 'pino';
import type { WebhookContact } from '../../platform/config/organisations.ts';
import { errorCode, type MailOffice } from '../../platform/mail/mailer.ts';
import { writeEndpointMail } from '../../platform/mail/writeEndpointMail.ts';

/** After so long, five days, an e-mail that could not be sent tells nothing that anybody still has to know. */
const MOST_LATE_MS = 432_000_000;

/** What e-mails about webhook endpoints need. */
export type EndpointMailParts = {
  organisationOf(
    organisationId: string,
  ): Promise<{ readonly name: string; readonly webhookContact?: WebhookContact }>;
  publicUrl(): string;
  nowMs(): number;
};

const TEXTS = { FAILING: 'failing', RECOVERED: 'recovered', GONE: 'gone', DISABLED: 'disabled' } as const;

/**
 * E-mails a notice to the address that the organisation's configuration names, if any. Throws when it must be tried again: the
 * e-mail has the same Message-ID then, so that mail programs show it once.
 */
export async function sendEndpointMail(
  { organisationOf, publicUrl, nowMs }: EndpointMailParts,
  office: MailOffice | undefined,
  notice: EndpointNotice,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const { scope, kind, endpointId, host, atMs } = notice;
  const organisation = await organisationOf(scope.organisationId);
  const { webhookContact: contact, name: organisationName } = organisation;
  if (office === undefined || contact === undefined || nowMs() - atMs > MOST_LATE_MS) return;
  const { environment } = scope;
  const facts = { organisationName, environment, endpointId, host, atMs, publicUrl: publicUrl() };
  const sinceMs = kind === 'FAILING' ? notice.sinceMs : undefined;
  const mail = writeEndpointMail(
    { ...facts, kind: TEXTS[kind], ...defined({ sinceMs }) },
    contact.locale ?? 'en',
  );
  const messageId = `${endpointId}.${kind}.${atMs}`;
  const sent = await office.mailer.send({
    ...{ ...mail, to: contact.email, from: office.from, messageId },
    organisationId: scope.organisationId,
  });
  if (sent === 'ACCEPTED') return;
  const code = errorCode(sent.detail);
  if (sent.rejected === 'TEMPORARY') throw new Error(code);
  log.warn(
    { endpointId, code },
    'The mail server refuses an e-mail about a webhook endpoint: see webhookContact',
  );
}
