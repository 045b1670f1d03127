import type { CredentialNewsOf } from '@fairway/store';
import { credentialBody } from '../http/credentialBody.ts';

/** What others are told of a credential: as the API shows it, without its password. */
export const credentialNews: CredentialNewsOf = (type, credential) => [
  {
    type,
    subject: { type: 'credential', id: credential.username },
    data: { data: { object: credentialBody(credential) } },
  },
];
