import { defined, type Hold, type PayingStep, type PlanEvent } from '@fairway/plan';
import { HOLD_REASONS, LIMITS } from '@fairway/wire';
import {
  addError,
  type Fields,
  innerFields,
  optional,
  required,
  textField,
  timestampField,
  wordField,
} from '../fields/fields.ts';
import { listField } from '../fields/listFields.ts';
import { timestampOf } from '../time/timestamp.ts';

/** What a report tells of a hold. */
export type ReportedHold = Pick<Hold, 'reason' | 'needs' | 'untilMs'>;

const needsField = listField(textField(LIMITS.holdNeedLength), { what: 'texts', maximum: LIMITS.holdNeeds });

/** Reads the hold of a report. It is needed with HELD, and refused otherwise. */
export function readHold(fields: Fields, outcome: string | undefined): ReportedHold | undefined {
  if (outcome === 'HELD' && !fields.values.has('hold'))
    addError(fields, 'hold', 'hold is missing; with outcome HELD it must be an object with a reason.');
  if (outcome !== undefined && outcome !== 'HELD' && fields.values.has('hold'))
    addError(fields, 'hold', 'hold goes with outcome HELD; leave it out.');
  const inner = innerFields(fields, 'hold', ['reason', 'needs', 'until']);
  if (inner === undefined) return undefined;
  const reason = required(inner, 'reason', wordField(HOLD_REASONS));
  const needs = optional(inner, 'needs', needsField) ?? [];
  const untilMs = optional(inner, 'until', timestampField);
  return reason && { reason, needs, ...defined({ untilMs }) };
}

/** The event of a report that the custodian holds the payment of a step back. */
export function holdEvent(
  { stepId }: PayingStep,
  hold: ReportedHold,
  told: { readonly providerReference?: string; readonly occurredAtMs?: number },
): PlanEvent {
  const { providerReference, occurredAtMs } = told;
  return { type: 'PAYOUT_HELD', stepId, hold, ...defined({ providerReference, occurredAtMs }) };
}

/** A hold in the form of the API. */
export function holdBody({ reason, needs, untilMs, heldAtMs, providerReference }: Hold) {
  return {
    reason,
    needs: [...needs],
    heldAt: timestampOf(heldAtMs),
    ...defined({ until: untilMs === undefined ? undefined : timestampOf(untilMs), providerReference }),
  };
}
