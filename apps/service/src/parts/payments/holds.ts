import type { Hold, PayingStep, PlanCommand } from '@fairway/plan';
import { defined } from '@fairway/values';
import { HOLD_REASONS, LIMITS } from '@fairway/wire';
import {
  addError,
  type Fields,
  innerFields,
  listField,
  optional,
  required,
  textField,
  timestampField,
  timestampOf,
  wordField,
} from '@fairway/api';

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

/** The command of a report that the custodian holds the payment of a step back. */
export function holdCommand(
  { stepId }: PayingStep,
  hold: ReportedHold,
  told: { readonly providerReference?: string; readonly occurredAtMs?: number },
): PlanCommand {
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
