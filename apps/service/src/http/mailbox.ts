import type { Mailbox } from '@fairway/wire';
import type { FastifyInstance } from 'fastify';
import { MAILBOX_POLICY, mailboxPage } from '../sandbox/mailboxPage.ts';
import type { SandboxDeps } from './deps.ts';
import type { Answer } from './problem.ts';
import type { ReadQuery } from '../fields/query.ts';

/** GET /v1/sandbox/mailbox: e-mails that the sandbox caught instead of sending. */
export function getMailbox({ mailbox }: SandboxDeps): Answer<Mailbox> {
  const data = mailbox().map(({ id: _id, links, ...mail }) => ({ ...mail, links: [...links] }));
  return { ok: true, body: { data } };
}

/** Registers the same as a page. Open: the sandbox listens on this machine only, and a browser has no credential. */
export function registerMailbox(server: FastifyInstance, { mailbox }: SandboxDeps): void {
  server.get('/sandbox/mailbox', { config: { access: { kind: 'OPEN' } } }, (request, reply) => {
    const chosenId = (request.query as ReadQuery).values.get('mail');
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', MAILBOX_POLICY)
      .send(mailboxPage(mailbox(), chosenId));
  });
}
