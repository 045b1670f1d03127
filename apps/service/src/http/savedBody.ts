import { defined } from '@fairway/plan';
import { type Approval, type PayeeCheck, savedWarnings, type SavedWarning } from '@fairway/recipients';
import type { KeptRecipient, KeptVersion } from '@fairway/store';
import type { RecipientVersion, SavedRecipient, Validation } from '@fairway/wire';
import type { ErasureKeeper } from '../erasures/erasureKeeper.ts';
import type { Outcome } from '../problems/problem.ts';
import type { JudgedDetails } from '../saved/validateRecipient.ts';
import { timestampOf } from '../time/timestamp.ts';
import type { Answer } from './answer.ts';
import { revisionTag } from './entityTag.ts';
import { recipientBody } from './recipientBody.ts';

/** The answer of an operation on a saved recipient. */
export function savedAnswer(outcome: Outcome<KeptRecipient>, nowMs: number): Answer<SavedRecipient> {
  if (!outcome.ok) return outcome;
  const { value: kept } = outcome;
  return { ok: true, body: savedBody(kept, nowMs), headers: { etag: revisionTag(kept.saved.revision) } };
}

/** The answer of an erasure. `place`: where it was kept outside the database. */
export function erasedAnswer(
  outcome: Outcome<KeptRecipient>,
  place: ErasureKeeper['place'],
  nowMs: number,
): Answer<SavedRecipient> {
  const answer = savedAnswer(outcome, nowMs);
  if (!outcome.ok || place === 'FILE') return answer;
  const body = savedBody(outcome.value, nowMs);
  return { ...answer, ok: true, body: { ...body, warnings: [...body.warnings, NOT_RECORDED] } };
}

const NOT_RECORDED: SavedRecipient['warnings'][number] = {
  code: 'ERASURE_NOT_RECORDED',
  detail:
    'This deployment keeps no file of erasures (FAIRWAY_ERASURE_LOG), so a backup from before brings the details back when it is restored.',
};

/** A saved recipient in the form of the API, as it is at this time. */
export function savedBody(kept: KeptRecipient, nowMs: number): SavedRecipient {
  const { saved } = kept;
  const { recipientId, revision, version, status, recipient, label, clientReference, metadata } = saved;
  const { verification, approval, detailsBy, createdAtMs, updatedAtMs, lastUsedAtMs } = saved;
  return {
    recipientId,
    revision,
    version,
    status,
    type: recipient.type,
    recipient: recipientBody(recipient),
    ...defined({ label, clientReference }),
    metadata: { ...metadata },
    detailsBy,
    ...defined({
      verification: verification && checkBody(verification),
      approval: approval && approvalBody(approval),
    }),
    warnings: savedWarnings(kept, nowMs).map(warningBody),
    createdAt: timestampOf(createdAtMs),
    updatedAt: timestampOf(updatedAtMs),
    ...defined({ lastUsedAt: lastUsedAtMs === undefined ? undefined : timestampOf(lastUsedAtMs) }),
  };
}

/** A version of a saved recipient in the form of the API. */
export function versionBody({
  version,
  madeAtMs,
  madeBy,
  recipient,
  verification,
  approval,
}: KeptVersion): RecipientVersion {
  return {
    version,
    recipient: recipientBody(recipient),
    ...defined({
      verification: verification && checkBody(verification),
      approval: approval && approvalBody(approval),
    }),
    createdAt: timestampOf(madeAtMs),
    createdBy: madeBy,
  };
}

/** The judgement of details in the form of the API. */
export function validationBody({ errors, warnings, recipient }: JudgedDetails): Validation {
  return {
    valid: recipient !== undefined,
    errors: [...errors],
    warnings: warnings.map(warningBody),
    recipient: recipient === undefined ? null : recipientBody(recipient),
  };
}

function checkBody({ checkedAtMs, ...check }: PayeeCheck): NonNullable<SavedRecipient['verification']> {
  return { ...check, checkedAt: timestampOf(checkedAtMs) };
}

function approvalBody({ result, by, atMs }: Approval): NonNullable<SavedRecipient['approval']> {
  return { result, by, at: timestampOf(atMs) };
}

function warningBody(warning: SavedWarning): SavedRecipient['warnings'][number] {
  return { ...warning };
}
