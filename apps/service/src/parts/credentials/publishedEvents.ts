import type { PublishedEventsOfCredential } from '@fairway/credentials';
import { credentialBody } from './credentialBody.ts';

/** The published events of a credential. They show it as the API does, without its password. */
export const publishedEventsOfCredential: PublishedEventsOfCredential = (type, credential) => [
  {
    type,
    subject: { type: 'credential', id: credential.username },
    data: { data: { object: credentialBody(credential) } },
  },
];
