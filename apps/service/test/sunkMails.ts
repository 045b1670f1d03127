import { defined } from '@fairway/values';
import type { SandboxDeps } from '../src/parts/sandbox/index.ts';

/** E-mails of two organisations in a mailbox, and one of nobody's. */
export const SUNK_MAILS: ReturnType<SandboxDeps['mailbox']> = ['acme', 'other', undefined].map(
  (organisationId, index) => ({
    ...{ id: String(index), to: 'jo@example.org', subject: `Mail ${index}`, text: '', html: '', links: [] },
    ...{ at: '2026-11-21T00:00:00.000Z', ...defined({ organisationId }) },
  }),
);
