import { defined } from '@fairway/values';
import type { PublishedCredential } from '@fairway/credentials';
import type { Credential } from '@fairway/wire';
import { timestampOf } from '@fairway/api';

/** A credential in the form of the API: what it may do and until when, and nothing of its password. */
export function credentialBody(credential: PublishedCredential): Credential {
  const { username, environment, permissions, createdAt } = credential;
  const { expiresAt, revokedAt, previousValidUntil } = credential;
  return {
    credentialId: username,
    environment,
    permissions: [...permissions],
    createdAt: timestampOf(createdAt.getTime()),
    ...defined({
      expiresAt: expiresAt && timestampOf(expiresAt.getTime()),
      revokedAt: revokedAt && timestampOf(revokedAt.getTime()),
      previousValidUntil: previousValidUntil && timestampOf(previousValidUntil.getTime()),
    }),
  };
}
