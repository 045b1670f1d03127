import type { ErasedRecipient } from '@fairway/store';
import type { ProblemFacts } from '@fairway/api';

/** The problem of a recipient that does not exist or is not the caller's. Both get the same answer, which reveals nothing. */
export const NO_SUCH_RECIPIENT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such recipient; GET /v1/recipients lists those of your organisation.',
};

/** The problem of details that are destroyed. */
export const REGISTERED_ERASED: ProblemFacts = {
  code: 'details-erased',
  detail:
    'The recipient was erased: its full details are destroyed. Make a new recipient of details that you have.',
};

/** The problem of a change that was not made. `named`: the version that a decision was about. */
export function registeredRefused(
  refused: Exclude<ErasedRecipient, { ok: true }>,
  named?: number,
): ProblemFacts {
  switch (refused.reason) {
    case 'RECIPIENT_UNKNOWN':
      return NO_SUCH_RECIPIENT;
    case 'NOT_ACTIVE':
      return {
        code: 'recipient-not-active',
        detail: `The recipient is ${refused.status} and takes no changes; make a new recipient of the details.`,
      };
    case 'NOT_DEACTIVATED':
      return {
        code: 'recipient-not-erasable',
        detail: `The recipient is ${refused.status}; send DELETE first, so that no new plan needs its details.`,
      };
    case 'PLANS_OPEN': {
      const { planIds, count } = refused;
      const rest =
        count > planIds.length ? `, the first of which are ${planIds.join(', ')}` : `: ${planIds.join(', ')}`;
      return {
        code: 'recipient-not-erasable',
        detail: `The recipient has ${count} ${count === 1 ? 'plan that has' : 'plans that have'} not ended${rest}. Let ${count === 1 ? 'it come to its end, or end it' : 'them come to their end, or end them'}.`,
      };
    }
    case 'NOT_WAITING':
      if (refused.status === 'PENDING_APPROVAL')
        return {
          code: 'approval-not-due',
          detail: `You named version ${named}; version ${refused.version} waits for approval. Look at it, and send its number.`,
        };
      return {
        code: 'approval-not-due',
        detail: `Version ${refused.version} of the recipient is the present one, and it is ${refused.status}; only a version that waits for approval can be approved or rejected. Read the recipient.`,
      };
    case 'OWN_DETAILS':
      return {
        code: 'own-approval',
        detail:
          'Your credential has set these details; have another one look at them, and approve or reject them.',
      };
    case 'OTHER_TYPE': {
      const detail = `Type must be ${refused.type}, which never changes; make a new recipient of details of another type.`;
      return { code: 'recipient-invalid', detail, errors: [{ pointer: '/recipient/type', detail }] };
    }
    case 'REVISION_MISMATCH': {
      const { revision } = refused;
      const detail = `The recipient is at revision ${revision}, and If-Match does not name that one; the request was not carried out. Read the recipient, and send it with If-Match: "${revision}" if it still fits.`;
      return { code: 'revision-mismatch', detail, revision };
    }
  }
}
