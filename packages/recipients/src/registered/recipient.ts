import type { MaskedRecipient } from '../recipient.ts';

declare const recipientIdBrand: unique symbol;

/** The id of a registered recipient: `rcp_` and 32 hexadecimal digits. */
export type RecipientId = string & { readonly [recipientIdBrand]: true };

/**
 * ACTIVE: new plans can name it. PENDING_APPROVAL: none can until somebody else has approved the present details. REJECTED: none can,
 * because its only details were rejected; new ones may follow. DEACTIVATED: none can, and that is for ever. ERASED: none can, and the
 * full details are destroyed.
 */
export type RegisteredStatus = 'ACTIVE' | 'PENDING_APPROVAL' | 'REJECTED' | 'DEACTIVATED' | 'ERASED';

/** What a second person decided about details, and who it was. */
export type Approval = {
  readonly result: 'APPROVED' | 'REJECTED';
  readonly by: string;
  readonly atMs: number;
};

/** Which version of a registered recipient something was made of. */
export type RegisteredVersion = { readonly recipientId: RecipientId; readonly version: number };

/**
 * What a check of the payee's name came to, which somebody else made. `by`: the credential that recorded it; absent where that was
 * not kept yet.
 */
export type PayeeCheck = {
  readonly provider: string;
  readonly result: 'MATCH' | 'PARTIAL' | 'NO_MATCH' | 'NOT_POSSIBLE';
  readonly checkedAtMs: number;
  readonly reference: string;
  readonly by?: string;
};

/** A version of the details, masked. `detailsBy`: the credential that set them. `detailsAtMs`: when. */
export type VersionDetails = {
  readonly version: number;
  readonly recipient: MaskedRecipient;
  /** The check of this version. */
  readonly verification?: PayeeCheck;
  /** What was decided about this version; absent where nobody was asked, or nobody has answered yet. */
  readonly approval?: Approval;
  readonly detailsBy: string;
  readonly detailsAtMs: number;
};

/**
 * A recipient that an organisation keeps under an id. It is a value: every change makes a new one. `revision` rises with each
 * change. New details have a `version` that was never used before; when they are rejected, the version before them is back.
 */
export type RegisteredRecipient = VersionDetails & {
  readonly recipientId: RecipientId;
  readonly clientReference?: string;
  readonly label?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: RegisteredStatus;
  readonly revision: number;
  /**
   * While the present version waits for approval: the version that was in force before it. It is in force again if
   * the present one is rejected.
   */
  readonly standing?: VersionDetails;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When a plan was last made of it. */
  readonly lastUsedAtMs?: number;
};

/** What a new registered recipient is made of. */
export type RegisteredMaking = Pick<
  RegisteredRecipient,
  'recipientId' | 'clientReference' | 'label' | 'metadata' | 'recipient'
>;

/** Who sets details. `needsApproval`: whether somebody else has to approve them before plans can be made of them. */
export type DetailsSetting = { readonly by: string; readonly needsApproval: boolean };

/**
 * Something that is done to a registered recipient. Absent members of EDITED stay as they are; a label that is null is taken away.
 * `isSame`: whether the details are, to the letter, those of the present version. `version`: the number of new ones. A decision names
 * the version that it is about, and who decides. `cause` of ERASED: REQUESTED, or LOST where it was erased before and a database from
 * before that was put back.
 */
export type RegisteredChange =
  | {
      readonly type: 'EDITED';
      readonly label?: string | null;
      readonly metadata?: Readonly<Record<string, string>>;
      readonly details?: DetailsSetting & {
        readonly recipient: MaskedRecipient;
        readonly isSame: boolean;
        readonly version: number;
      };
    }
  | { readonly type: 'APPROVED' | 'REJECTED'; readonly version: number; readonly by: string }
  | { readonly type: 'VERIFIED'; readonly verification: PayeeCheck }
  | { readonly type: 'DEACTIVATED' }
  | { readonly type: 'ERASED'; readonly cause: 'REQUESTED' | 'LOST' };

/**
 * What comes of a change. UNCHANGED: it is as the change wants it already. NOT_WAITING: this version does not wait for a decision.
 * OWN_DETAILS: who has set the details cannot decide about them. NOT_DEACTIVATED: only a recipient that is taken from use is erased.
 */
export type RegisteredDecision =
  | { readonly ok: true; readonly outcome: 'CHANGED' | 'UNCHANGED'; readonly registered: RegisteredRecipient }
  | {
      readonly ok: false;
      readonly reason: 'NOT_ACTIVE' | 'NOT_DEACTIVATED';
      readonly status: RegisteredStatus;
    }
  | {
      readonly ok: false;
      readonly reason: 'NOT_WAITING';
      readonly status: RegisteredStatus;
      readonly version: number;
    }
  | { readonly ok: false; readonly reason: 'OWN_DETAILS' }
  | { readonly ok: false; readonly reason: 'OTHER_TYPE'; readonly type: MaskedRecipient['type'] };

/**
 * A new registered recipient.
 *
 * @example
 * ```ts
 * import { newRegistered, type RegisteredMaking } from '@fairway/recipients';
 *
 * declare const making: RegisteredMaking;
 * newRegistered(making, { by: 'cred_1', needsApproval: true }, Date.UTC(2026, 2, 1)).status; // 'PENDING_APPROVAL'
 * ```
 */
export function newRegistered(
  making: RegisteredMaking,
  setting: DetailsSetting,
  atMs: number,
): RegisteredRecipient {
  const times = { createdAtMs: atMs, updatedAtMs: atMs, detailsAtMs: atMs };
  return {
    ...making,
    ...{ status: statusOf(setting), revision: 1, version: 1, detailsBy: setting.by },
    ...times,
  };
}

function statusOf({ needsApproval }: DetailsSetting): RegisteredStatus {
  return needsApproval ? 'PENDING_APPROVAL' : 'ACTIVE';
}

/**
 * Decides what a change leads to.
 *
 * @example
 * ```ts
 * import { decideRegistered, type RegisteredRecipient } from '@fairway/recipients';
 *
 * declare const registered: RegisteredRecipient;
 * const decision = decideRegistered(registered, { type: 'DEACTIVATED' }, Date.UTC(2026, 2, 1));
 * if (decision.ok) decision.registered.status; // 'DEACTIVATED'
 * ```
 */
export function decideRegistered(
  registered: RegisteredRecipient,
  change: RegisteredChange,
  atMs: number,
): RegisteredDecision {
  const refusal =
    change.type === 'APPROVED' || change.type === 'REJECTED' ? refused(registered, change) : undefined;
  if (refusal !== undefined) return refusal;
  const next = changed(registered, change, atMs);
  if (next === undefined) return { ok: true, outcome: 'UNCHANGED', registered };
  if (change.type === 'ERASED') {
    if (registered.status !== 'DEACTIVATED' && change.cause === 'REQUESTED')
      return { ok: false, reason: 'NOT_DEACTIVATED', status: registered.status };
  } else if (isOutOfUse(registered)) return { ok: false, reason: 'NOT_ACTIVE', status: registered.status };
  if (next.recipient.type !== registered.recipient.type)
    return { ok: false, reason: 'OTHER_TYPE', type: registered.recipient.type };
  return {
    ok: true,
    outcome: 'CHANGED',
    registered: { ...next, revision: registered.revision + 1, updatedAtMs: atMs },
  };
}

function isOutOfUse({ status }: RegisteredRecipient): boolean {
  return status === 'DEACTIVATED' || status === 'ERASED';
}

type RegisteredJudgement = Extract<RegisteredChange, { type: 'APPROVED' | 'REJECTED' }>;

/**
 * Why a decision about details is not taken. A decision that was taken already is not refused: the request may be
 * repeated.
 */
function refused(
  registered: RegisteredRecipient,
  judgement: RegisteredJudgement,
): Extract<RegisteredDecision, { ok: false }> | undefined {
  const { status, version, detailsBy, approval } = registered;
  const isTaken =
    version === judgement.version && approval?.result === judgement.type && approval.by === judgement.by;
  if (!isOutOfUse(registered) && isTaken) return undefined;
  if (status !== 'PENDING_APPROVAL' || version !== judgement.version)
    return { ok: false, reason: 'NOT_WAITING', status, version };
  return detailsBy === judgement.by ? { ok: false, reason: 'OWN_DETAILS' } : undefined;
}

/** The recipient after a decision about its details; undefined where it was taken already. */
function judged(
  registered: RegisteredRecipient,
  { type: result, by }: RegisteredJudgement,
  atMs: number,
): RegisteredRecipient | undefined {
  if (registered.status !== 'PENDING_APPROVAL') return undefined;
  const { standing, ...rest } = registered;
  const approval = { result, by, atMs };
  if (result === 'APPROVED') return { ...rest, status: 'ACTIVE', approval };
  if (standing === undefined) return { ...rest, status: 'REJECTED', approval };
  const { verification: _check, approval: _former, ...whole } = rest;
  return { ...whole, ...standing, status: 'ACTIVE' };
}

/** The recipient with the change; undefined where it makes no difference. */
function changed(
  registered: RegisteredRecipient,
  change: RegisteredChange,
  atMs: number,
): RegisteredRecipient | undefined {
  switch (change.type) {
    case 'DEACTIVATED':
      return isOutOfUse(registered) ? undefined : withoutStanding(registered, 'DEACTIVATED');
    case 'ERASED':
      return registered.status === 'ERASED' ? undefined : withoutStanding(registered, 'ERASED');
    case 'VERIFIED': {
      const { verification } = change;
      return isSameCheck(registered.verification, verification) ? undefined : { ...registered, verification };
    }
    case 'APPROVED':
    case 'REJECTED':
      return judged(registered, change, atMs);
    case 'EDITED':
      return edited(registered, change, atMs);
  }
}

function withoutStanding(
  registered: RegisteredRecipient,
  status: 'DEACTIVATED' | 'ERASED',
): RegisteredRecipient {
  const { standing: _standing, ...rest } = registered;
  return { ...rest, status };
}

function edited(
  registered: RegisteredRecipient,
  { label, metadata, details }: Extract<RegisteredChange, { type: 'EDITED' }>,
  atMs: number,
): RegisteredRecipient | undefined {
  const isLabelled = label !== undefined && (label ?? undefined) !== registered.label;
  const isNoted = metadata !== undefined && !sameMembers(metadata, registered.metadata);
  const isDetailed = details?.isSame === false;
  if (!isLabelled && !isNoted && !isDetailed) return undefined;
  const { label: oldLabel, ...rest } = registered;
  const newLabel = label === undefined ? oldLabel : (label ?? undefined);
  return {
    ...(isDetailed ? detailed(rest, details, atMs) : rest),
    ...(newLabel === undefined ? {} : { label: newLabel }),
    ...(isNoted ? { metadata } : {}),
  };
}

/** The recipient with new details. A check and a decision are of the details that they were made of. */
function detailed(
  registered: RegisteredRecipient,
  details: NonNullable<Extract<RegisteredChange, { type: 'EDITED' }>['details']>,
  atMs: number,
): RegisteredRecipient {
  const { verification: _check, approval: _decision, standing: _standing, ...rest } = registered;
  const standing = details.needsApproval ? standingOf(registered) : undefined;
  return {
    ...rest,
    ...{ status: statusOf(details), version: details.version },
    ...{ recipient: details.recipient, detailsBy: details.by, detailsAtMs: atMs },
    ...(standing === undefined ? {} : { standing }),
  };
}

/** The details that plans can be made of if no others follow; undefined where there are none. */
function standingOf(registered: RegisteredRecipient): VersionDetails | undefined {
  if (registered.status !== 'ACTIVE') return registered.standing;
  const { version, recipient, verification, approval, detailsBy, detailsAtMs } = registered;
  return {
    ...{ version, recipient, detailsBy, detailsAtMs },
    ...(verification === undefined ? {} : { verification }),
    ...(approval === undefined ? {} : { approval }),
  };
}

/** Whether a check is known, no matter who recorded it. */
function isSameCheck(known: PayeeCheck | undefined, { by: _by, ...told }: PayeeCheck): boolean {
  if (known === undefined) return false;
  const { by: _recordedBy, ...check } = known;
  return sameMembers(check, told);
}

/** Whether two objects have the same members, in whatever order. */
function sameMembers(one: object | undefined, other: object): boolean {
  return one !== undefined && sorted(one) === sorted(other);
}

function sorted(members: object): string {
  return JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What others are told of a registered recipient. */
export type RecipientEventType =
  | 'recipient.created'
  | 'recipient.updated'
  | 'recipient.approved'
  | 'recipient.rejected'
  | 'recipient.deactivated'
  | 'recipient.erased';

const EVENT_TYPES = {
  EDITED: 'recipient.updated',
  VERIFIED: 'recipient.updated',
  APPROVED: 'recipient.approved',
  REJECTED: 'recipient.rejected',
  DEACTIVATED: 'recipient.deactivated',
  ERASED: 'recipient.erased',
} as const satisfies Record<RegisteredChange['type'], RecipientEventType>;

/**
 * What others are told of a change; `before` is undefined when the recipient is new.
 *
 * @example
 * ```ts
 * import { recipientEventType } from '@fairway/recipients';
 *
 * recipientEventType(undefined, 'EDITED'); // 'recipient.created'
 * ```
 */
export function recipientEventType(
  before: RegisteredRecipient | undefined,
  change: RegisteredChange['type'],
): RecipientEventType {
  if (before === undefined) return 'recipient.created';
  return EVENT_TYPES[change];
}
