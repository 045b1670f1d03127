import { defined } from '@fairway/values';
import {
  type Approval,
  type PayeeCheck,
  registeredWarnings,
  type RegisteredWarning,
} from '@fairway/recipients';
import type { KeptRecipient, KeptVersion } from '@fairway/store';
import type { RecipientVersion, RegisteredRecipient, Validation } from '@fairway/wire';
import type { ErasureKeeper } from '../../platform/erasures/erasureKeeper.ts';
import { type Answer, type Outcome, revisionTag, timestampOf } from '@fairway/api';
import type { JudgedDetails } from './validateRecipient.ts';
import { recipientBody } from '../payments/index.ts';

/** The answer of an operation on a registered recipient. */
export function registeredAnswer(
  outcome: Outcome<KeptRecipient>,
  nowMs: number,
): Answer<RegisteredRecipient> {
  if (!outcome.ok) return outcome;
  const { value: kept } = outcome;
  return {
    ok: true,
    body: registeredBody(kept, nowMs),
    headers: { etag: revisionTag(kept.registered.revision) },
  };
}

/** The answer of an erasure. `place`: where it was kept outside the database. */
export function erasedAnswer(
  outcome: Outcome<KeptRecipient>,
  place: ErasureKeeper['place'],
  nowMs: number,
): Answer<RegisteredRecipient> {
  const answer = registeredAnswer(outcome, nowMs);
  if (!outcome.ok || place === 'FILE') return answer;
  const body = registeredBody(outcome.value, nowMs);
  return { ...answer, ok: true, body: { ...body, warnings: [...body.warnings, NOT_RECORDED] } };
}

const NOT_RECORDED: RegisteredRecipient['warnings'][number] = {
  code: 'ERASURE_NOT_RECORDED',
  detail:
    'This deployment keeps no file of erasures (FAIRWAY_ERASURE_LOG), so a backup from before brings the details back when it is restored.',
};

/** A registered recipient in the form of the API, as it is at this time. */
export function registeredBody(kept: KeptRecipient, nowMs: number): RegisteredRecipient {
  const { registered } = kept;
  const { recipientId, revision, version, status, recipient, label, clientReference, metadata } = registered;
  const { verification, approval, detailsBy, createdAtMs, updatedAtMs, lastUsedAtMs } = registered;
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
    warnings: registeredWarnings(kept, nowMs).map(warningBody),
    createdAt: timestampOf(createdAtMs),
    updatedAt: timestampOf(updatedAtMs),
    ...defined({ lastUsedAt: lastUsedAtMs === undefined ? undefined : timestampOf(lastUsedAtMs) }),
  };
}

/** A version of a registered recipient in the form of the API. */
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

function checkBody({ checkedAtMs, ...check }: PayeeCheck): NonNullable<RegisteredRecipient['verification']> {
  return { ...check, checkedAt: timestampOf(checkedAtMs) };
}

function approvalBody({ result, by, atMs }: Approval): NonNullable<RegisteredRecipient['approval']> {
  return { result, by, at: timestampOf(atMs) };
}

function warningBody(warning: RegisteredWarning): RegisteredRecipient['warnings'][number] {
  return { ...warning };
}
