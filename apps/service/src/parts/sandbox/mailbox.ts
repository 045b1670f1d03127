import { defined } from '@fairway/values';
import type { Mailbox } from '@fairway/wire';
import type { FastifyInstance } from 'fastify';
import { MAILBOX_POLICY, mailboxPage } from './mailboxPage.ts';
import type { SunkMail } from './mailSink.ts';
import type { SandboxDeps } from './deps.ts';
import { actingOf, pageHeaders, type ReadQuery, type Registrar } from '@fairway/api';

/** Registers the list of e-mails of an organisation that the sandbox caught instead of sending. */
export function registerMailbox(registrar: Registrar, { mailbox }: SandboxDeps): void {
  registrar.read('getMailbox', {
    answer(_input, call) {
      const { organisationId } = actingOf(call).scope;
      const own = mailbox().filter((mail) => mail.organisationId === organisationId);
      return { ok: true, body: { data: own.map(mailBody) } };
    },
  });
}

function mailBody({ id: _id, organisationId: _owner, links, ...mail }: SunkMail): Mailbox['data'][number] {
  // A code stands alone on its line.
  const code = /^ {4}(\d{6})$/m.exec(mail.text)?.[1];
  return { ...mail, links: [...links], ...defined({ code }) };
}

/**
 * Registers the list of e-mails as a page. It needs no credential, because a browser has none and the sandbox listens
 * on this machine only.
 */
export function registerMailboxPage(server: FastifyInstance, { mailbox }: SandboxDeps): void {
  server.get('/sandbox/mailbox', { config: { access: { kind: 'OPEN' } } }, (request, reply) => {
    const chosenId = (request.query as ReadQuery).values.get('mail');
    return reply.headers(pageHeaders(MAILBOX_POLICY)).send(mailboxPage(mailbox(), chosenId));
  });
}
