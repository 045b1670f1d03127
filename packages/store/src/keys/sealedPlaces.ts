import type { Row } from '../database/schema.ts';
import type { SealedPlace } from '@fairway/keys';

/** The place of the details of a plan's recipient, or of the destination that a recipient chose. */
export function detailsPlace(
  organisationId: string,
  planId: string,
  field: Row<'recipients'>['field'],
): SealedPlace {
  return { organisationId, ownerId: planId, field };
}

/** The place of what a recipient submitted through the link of this token. */
export function submissionPlace(organisationId: string, planId: string, tokenHash: Buffer): SealedPlace {
  return { organisationId, ownerId: planId, field: `submission:${tokenHash.toString('hex')}` };
}

/** The place of an e-mail. */
export function mailPlace(organisationId: string, planId: string, mailId: string): SealedPlace {
  return { organisationId, ownerId: planId, field: `mail:${mailId}` };
}

/** The place of the details of a version of a registered recipient. */
export function versionPlace(
  organisationId: string,
  recipientId: string,
  version: number | string,
): SealedPlace {
  return { organisationId, ownerId: recipientId, field: `version:${version}` };
}

/** The place of what names the other side of an entry of a statement. */
export function entryPlace(organisationId: string, entryId: string): SealedPlace {
  return { organisationId, ownerId: entryId, field: 'entry' };
}
