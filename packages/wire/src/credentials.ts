import { type Static, Type } from 'typebox';
import { Timestamp, wordOf } from './fields.ts';

/** A credential, without its password and everything that is kept of it. */
export const Credential = Type.Object(
  {
    credentialId: Type.String({
      description: 'The user name.',
      examples: [`cred_${'0'.repeat(32)}`],
    }),
    environment: wordOf(['sandbox', 'production'], { description: 'Where it is valid.' }),
    permissions: Type.Array(Type.String(), { description: 'What it may do.' }),
    createdAt: Timestamp,
    expiresAt: Type.Optional({ ...Timestamp, description: 'When it ends. Absent: never.' }),
    revokedAt: Type.Optional({ ...Timestamp, description: 'Since when it is revoked.' }),
    previousValidUntil: Type.Optional({
      ...Timestamp,
      description: 'Until when the password before the present one is taken, too.',
    }),
  },
  { description: 'A credential, without its password.' },
);
export type Credential = Static<typeof Credential>;
