import type { Recipient } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { PayeeCheck, RegisteredStatus, RegisteredVersion } from '@fairway/recipients';
import type { PlanScope } from '@fairway/store';
import { RECIPIENT_ID_PATTERN } from '@fairway/wire';
import { KEY_AWAY, done, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { needsApproval, notApproved } from './approvalRules.ts';
import type { OrganisationRules, PaymentParts } from './paymentParts.ts';
import type { GivenRecipient } from './paymentRequest.ts';

/** The details that a request means. `registered`: the version of the registered recipient that they belong to. */
export type MeantRecipient = { readonly given: GivenRecipient; readonly registered?: MeantVersion };

/** A version of a registered recipient. `checked`: what the check of its payee came to, as of this revision. */
export type MeantVersion = {
  readonly registeredAs: RegisteredVersion;
  readonly revision: number;
  readonly checked?: PayeeCheck['result'];
};

/**
 * The id of the registered recipient that a request names; undefined where it gives details of its own. `meantRecipient` judges the
 * members that are given beside the id.
 */
export function registeredIdOf({ type, plain }: GivenRecipient): string | undefined {
  if (type !== 'saved') return undefined;
  const { recipientId } = plain as { readonly recipientId?: unknown };
  return typeof recipientId === 'string' ? recipientId : '';
}

/**
 * A text that is equal for requests that mean the same recipient: the id of a registered one, whatever version it has by now.
 */
export function canonicalRegistered(recipientId: string): string {
  return JSON.stringify(['registered', recipientId]);
}

/** Finds the details that a request means. Details of a registered recipient are opened, and then read like given ones. */
export async function meantRecipient(
  { store }: PaymentParts,
  scope: PlanScope,
  given: GivenRecipient,
  rules: OrganisationRules,
): Promise<Outcome<MeantRecipient>> {
  const recipientId = registeredIdOf(given);
  if (recipientId === undefined)
    return needsApproval(rules, given.type) ? refuse(REGISTERED_ALONE) : done({ given });
  const more = Object.keys(given.plain as object).filter((name) => name !== 'type' && name !== 'recipientId');
  if (more.length > 0) return refuse(invalid('/recipient', NO_MORE));
  if (!ID.test(recipientId)) return refuse(NO_SUCH_REGISTERED);
  const read = await store.recipients.readRegistered(scope, recipientId);
  if (!read.ok) {
    if (read.reason === 'RECIPIENT_UNKNOWN') return refuse(NO_SUCH_REGISTERED);
    if (read.reason === 'DETAILS_ERASED') return refuse(NOT_USABLE.ERASED);
    return refuse(KEY_AWAY);
  }
  const { registered, recipient } = read;
  if (registered.status !== 'ACTIVE') return refuse(NOT_USABLE[registered.status]);
  const { revision, version, verification } = registered;
  const registeredAs = { recipientId: registered.recipientId, version };
  return done({
    given: { type: recipient.type, plain: recipient satisfies Recipient },
    registered: { registeredAs, revision, ...defined({ checked: verification?.result }) },
  });
}

const ID = new RegExp(RECIPIENT_ID_PATTERN);
const POINTER = '/recipient/recipientId';
const NO_MORE = 'A registered recipient is named by its recipientId alone; leave the other members out.';

function invalid(pointer: string, detail: string): ProblemFacts {
  return { code: 'recipient-invalid', detail, errors: [{ pointer, detail }] };
}

/** An id that nobody has, and one of another organisation, get the same answer, which reveals nothing. */
const NO_SUCH_REGISTERED = invalid(
  POINTER,
  'recipientId must be that of a registered recipient; GET /v1/recipients lists those of your organisation.',
);
const NOT_USABLE: Readonly<Record<Exclude<RegisteredStatus, 'ACTIVE'>, ProblemFacts>> = {
  PENDING_APPROVAL: notApproved(
    POINTER,
    'The details of the registered recipient wait for approval and take no new payments yet; have another credential look at them and send POST /v1/recipients/{recipientId}/approve.',
  ),
  REJECTED: notApproved(
    POINTER,
    'The details of the registered recipient were rejected; give another recipientId, or correct the details and have them approved.',
  ),
  DEACTIVATED: invalid(
    POINTER,
    'The registered recipient is deactivated and takes no new payments; give another recipientId, or make a new recipient of the details.',
  ),
  ERASED: invalid(
    POINTER,
    'The registered recipient was erased and takes no new payments; give another recipientId, or make a new recipient of the details.',
  ),
};
const REGISTERED_ALONE = notApproved(
  '/recipient',
  'Your organisation pays registered recipients alone, whose details a second person has approved; keep the details with POST /v1/recipients, have them approved, and give the recipientId.',
);

/**
 * The members that decide of which kind a recipient is. Among many mistakes, a mistake in one of them explains the
 * others.
 */
const DECISIVE = ['type', 'country', 'chainId', 'currency'].map((name) => `/recipient/${name}`);

/** A problem of given details as one of the registered recipient that they are of. */
export function asOfRegistered(problem: ProblemFacts, { registered }: MeantRecipient): ProblemFacts {
  if (registered === undefined || problem.code !== 'recipient-invalid') return problem;
  const { errors = [] } = problem;
  const reason = errors.find(({ pointer }) => DECISIVE.includes(pointer)) ?? errors[0];
  return invalid(
    POINTER,
    `The registered recipient does not fit this payment: ${reason?.detail ?? problem.detail} Change the recipient, or give another one or another corridor.`,
  );
}
