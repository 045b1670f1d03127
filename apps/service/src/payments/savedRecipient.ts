import { defined, type Recipient } from '@fairway/plan';
import type { PayeeCheck, SavedStatus, SavedVersion } from '@fairway/recipients';
import type { PlanScope } from '@fairway/store';
import { RECIPIENT_ID_PATTERN } from '@fairway/wire';
import { done, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import { needsApproval, notApproved } from './approvalRules.ts';
import type { PaymentParts } from './paymentParts.ts';
import type { GivenRecipient } from './paymentRequest.ts';
import { KEY_AWAY } from './planProblems.ts';

/** The details that a request means. `saved`: the version of the saved recipient that they belong to. */
export type MeantRecipient = { readonly given: GivenRecipient; readonly saved?: MeantVersion };

/** A version of a saved recipient. `checked`: what the check of its payee came to, as of this revision. */
export type MeantVersion = {
  readonly savedAs: SavedVersion;
  readonly revision: number;
  readonly checked?: PayeeCheck['result'];
};

/**
 * The id of the saved recipient that a request names; undefined where it gives details of its own. `meantRecipient` judges the
 * members that are given beside the id.
 */
export function savedIdOf({ type, plain }: GivenRecipient): string | undefined {
  if (type !== 'saved') return undefined;
  const { recipientId } = plain as { readonly recipientId?: unknown };
  return typeof recipientId === 'string' ? recipientId : '';
}

/**
 * A text that is equal for requests that mean the same recipient: the id of a saved one, whatever version it has by now.
 */
export function canonicalSaved(recipientId: string): string {
  return JSON.stringify(['saved', recipientId]);
}

/** Finds the details that a request means. Details of a saved recipient are opened, and then read like given ones. */
export async function meantRecipient(
  parts: PaymentParts,
  scope: PlanScope,
  given: GivenRecipient,
): Promise<Outcome<MeantRecipient>> {
  const { store } = parts;
  const recipientId = savedIdOf(given);
  if (recipientId === undefined) {
    const needed = await needsApproval(parts, scope.organisationId, given.type);
    if (!needed.ok) return needed;
    return needed.value ? refuse(SAVED_ALONE) : done({ given });
  }
  const more = Object.keys(given.plain as object).filter((name) => name !== 'type' && name !== 'recipientId');
  if (more.length > 0) return refuse(invalid('/recipient', NO_MORE));
  if (!ID.test(recipientId)) return refuse(NO_SUCH_SAVED);
  const read = await store.recipients.readSaved(scope, recipientId);
  if (!read.ok) {
    if (read.reason === 'RECIPIENT_UNKNOWN') return refuse(NO_SUCH_SAVED);
    if (read.reason === 'DETAILS_ERASED') return refuse(NOT_USABLE.ERASED);
    return refuse(KEY_AWAY);
  }
  const { saved, recipient } = read;
  if (saved.status !== 'ACTIVE') return refuse(NOT_USABLE[saved.status]);
  const { revision, version, verification } = saved;
  const savedAs = { recipientId: saved.recipientId, version };
  return done({
    given: { type: recipient.type, plain: recipient satisfies Recipient },
    saved: { savedAs, revision, ...defined({ checked: verification?.result }) },
  });
}

const ID = new RegExp(RECIPIENT_ID_PATTERN);
const POINTER = '/recipient/recipientId';
const NO_MORE = 'A saved recipient is named by its recipientId alone; leave the other members out.';

function invalid(pointer: string, detail: string): ProblemFacts {
  return { code: 'recipient-invalid', detail, errors: [{ pointer, detail }] };
}

/** An id that nobody has, and one of another organisation, get the same answer, which reveals nothing. */
const NO_SUCH_SAVED = invalid(
  POINTER,
  'recipientId must be that of a saved recipient; GET /v1/recipients lists those of your organisation.',
);
const NOT_USABLE: Readonly<Record<Exclude<SavedStatus, 'ACTIVE'>, ProblemFacts>> = {
  PENDING_APPROVAL: notApproved(
    POINTER,
    'The details of the saved recipient wait for approval and take no new payments yet; have another credential look at them and send POST /v1/recipients/{recipientId}/approve.',
  ),
  REJECTED: notApproved(
    POINTER,
    'The details of the saved recipient were rejected; give another recipientId, or correct the details and have them approved.',
  ),
  DEACTIVATED: invalid(
    POINTER,
    'The saved recipient is deactivated and takes no new payments; give another recipientId, or make a new recipient of the details.',
  ),
  ERASED: invalid(
    POINTER,
    'The saved recipient was erased and takes no new payments; give another recipientId, or make a new recipient of the details.',
  ),
};
const SAVED_ALONE = notApproved(
  '/recipient',
  'Your organisation pays saved recipients alone, whose details a second person has approved; keep the details with POST /v1/recipients, have them approved, and give the recipientId.',
);

/**
 * The members that decide of which kind a recipient is. Among many mistakes, a mistake in one of them explains the
 * others.
 */
const DECISIVE = ['type', 'country', 'chainId', 'currency'].map((name) => `/recipient/${name}`);

/** A problem of given details as one of the saved recipient that they are of. */
export function asOfSaved(problem: ProblemFacts, { saved }: MeantRecipient): ProblemFacts {
  if (saved === undefined || problem.code !== 'recipient-invalid') return problem;
  const { errors = [] } = problem;
  const reason = errors.find(({ pointer }) => DECISIVE.includes(pointer)) ?? errors[0];
  return invalid(
    POINTER,
    `The saved recipient does not fit this payment: ${reason?.detail ?? problem.detail} Change the recipient, or give another one or another corridor.`,
  );
}
