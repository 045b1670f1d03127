import type { MaskedRecipient } from '../recipient.ts';

declare const recipientIdBrand: unique symbol;

/** The id of a saved recipient: `rcp_` and 32 hexadecimal digits. */
export type RecipientId = string & { readonly [recipientIdBrand]: true };

/** ACTIVE: new plans can name it. DEACTIVATED: none can, and that is for ever. */
export type SavedStatus = 'ACTIVE' | 'DEACTIVATED';

/** Which version of a saved recipient something was made of. */
export type SavedVersion = { readonly recipientId: RecipientId; readonly version: number };

/** What a check of the payee's name came to, which somebody else made. */
export type PayeeCheck = {
  readonly provider: string;
  readonly result: 'MATCH' | 'PARTIAL' | 'NO_MATCH' | 'NOT_POSSIBLE';
  readonly checkedAtMs: number;
  readonly reference: string;
};

/**
 * A recipient that an organisation keeps under an id. It is a value: every change makes a new one. `revision` rises with each
 * change, `version` only with new details.
 */
export type SavedRecipient = {
  readonly recipientId: RecipientId;
  readonly clientReference?: string;
  readonly label?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: SavedStatus;
  readonly revision: number;
  readonly version: number;
  /** The details of the present version, masked. */
  readonly recipient: MaskedRecipient;
  /** The check of the present version. */
  readonly verification?: PayeeCheck;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the present version was made. */
  readonly detailsAtMs: number;
  /** When a plan was last made of it. */
  readonly lastUsedAtMs?: number;
};

/** What a new saved recipient is made of. */
export type SavedMaking = Pick<
  SavedRecipient,
  'recipientId' | 'clientReference' | 'label' | 'metadata' | 'recipient'
>;

/**
 * Something that is done to a saved recipient. Absent members of EDITED stay as they are; a label that is null is taken away.
 * `isSame`: whether the details are, to the letter, those of the present version.
 */
export type SavedChange =
  | {
      readonly type: 'EDITED';
      readonly label?: string | null;
      readonly metadata?: Readonly<Record<string, string>>;
      readonly details?: { readonly recipient: MaskedRecipient; readonly isSame: boolean };
    }
  | { readonly type: 'VERIFIED'; readonly verification: PayeeCheck }
  | { readonly type: 'DEACTIVATED' };

/** What comes of a change. UNCHANGED: it is as the change wants it already. */
export type SavedDecision =
  | { readonly ok: true; readonly outcome: 'CHANGED' | 'UNCHANGED'; readonly saved: SavedRecipient }
  | { readonly ok: false; readonly reason: 'NOT_ACTIVE'; readonly status: SavedStatus }
  | { readonly ok: false; readonly reason: 'OTHER_TYPE'; readonly type: MaskedRecipient['type'] };

/**
 * A new saved recipient.
 *
 * @example
 * ```ts
 * import { newSaved, type SavedMaking } from '@fairway/recipients';
 *
 * declare const making: SavedMaking;
 * newSaved(making, Date.UTC(2026, 2, 1)).status; // 'ACTIVE'
 * ```
 */
export function newSaved(making: SavedMaking, atMs: number): SavedRecipient {
  const times = { createdAtMs: atMs, updatedAtMs: atMs, detailsAtMs: atMs };
  return { ...making, status: 'ACTIVE', revision: 1, version: 1, ...times };
}

/**
 * Decides what a change leads to.
 *
 * @example
 * ```ts
 * import { decideSaved, type SavedRecipient } from '@fairway/recipients';
 *
 * declare const saved: SavedRecipient;
 * const decision = decideSaved(saved, { type: 'DEACTIVATED' }, Date.UTC(2026, 2, 1));
 * if (decision.ok) decision.saved.status; // 'DEACTIVATED'
 * ```
 */
export function decideSaved(saved: SavedRecipient, change: SavedChange, atMs: number): SavedDecision {
  const next = changed(saved, change, atMs);
  if (next === undefined) return { ok: true, outcome: 'UNCHANGED', saved };
  if (saved.status !== 'ACTIVE') return { ok: false, reason: 'NOT_ACTIVE', status: saved.status };
  if (next.recipient.type !== saved.recipient.type)
    return { ok: false, reason: 'OTHER_TYPE', type: saved.recipient.type };
  return {
    ok: true,
    outcome: 'CHANGED',
    saved: { ...next, revision: saved.revision + 1, updatedAtMs: atMs },
  };
}

/** The recipient with the change; undefined where it makes no difference. */
function changed(saved: SavedRecipient, change: SavedChange, atMs: number): SavedRecipient | undefined {
  switch (change.type) {
    case 'DEACTIVATED':
      return saved.status === 'DEACTIVATED' ? undefined : { ...saved, status: 'DEACTIVATED' };
    case 'VERIFIED': {
      const { verification } = change;
      return sameMembers(saved.verification, verification) ? undefined : { ...saved, verification };
    }
    case 'EDITED':
      return edited(saved, change, atMs);
  }
}

function edited(
  saved: SavedRecipient,
  { label, metadata, details }: Extract<SavedChange, { type: 'EDITED' }>,
  atMs: number,
): SavedRecipient | undefined {
  const isLabelled = label !== undefined && (label ?? undefined) !== saved.label;
  const isNoted = metadata !== undefined && !sameMembers(metadata, saved.metadata);
  const isDetailed = details?.isSame === false;
  if (!isLabelled && !isNoted && !isDetailed) return undefined;
  const { label: oldLabel, verification, ...rest } = saved;
  const newLabel = label === undefined ? oldLabel : (label ?? undefined);
  return {
    ...rest,
    ...(newLabel === undefined ? {} : { label: newLabel }),
    // A check is of the details that were checked.
    ...(isDetailed || verification === undefined ? {} : { verification }),
    ...(isNoted ? { metadata } : {}),
    ...(isDetailed ? { recipient: details.recipient, version: saved.version + 1, detailsAtMs: atMs } : {}),
  };
}

/** Whether two objects have the same members, in whatever order. */
function sameMembers(one: object | undefined, other: object): boolean {
  return one !== undefined && sorted(one) === sorted(other);
}

function sorted(members: object): string {
  return JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What others are told of a saved recipient. */
export type SavedNews = 'recipient.created' | 'recipient.updated' | 'recipient.deactivated';

/**
 * What others are told of the change from one state to the next; `before` is undefined when the recipient is new.
 *
 * @example
 * ```ts
 * import { type SavedRecipient, savedNews } from '@fairway/recipients';
 *
 * declare const saved: SavedRecipient;
 * savedNews(undefined, saved); // 'recipient.created'
 * ```
 */
export function savedNews(before: SavedRecipient | undefined, after: SavedRecipient): SavedNews {
  if (before === undefined) return 'recipient.created';
  const isDeactivated = after.status === 'DEACTIVATED' && before.status !== 'DEACTIVATED';
  return isDeactivated ? 'recipient.deactivated' : 'recipient.updated';
}
