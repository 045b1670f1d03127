import { type Amount, amountOf, type Failure, type Hash, type TimeMs } from '@fairway/plan';
import { HASH_PATTERN, LIMITS } from '@fairway/wire';
import {
  addError,
  amountField,
  type FieldReader,
  type Fields,
  innerFields,
  optional,
  required,
  textField,
  timestampField,
  wordField,
} from './fields.ts';
import { timestampOf } from './timestamp.ts';

/** Names of the fields of a report. */
export const REPORT_FIELDS = [
  'outcome',
  'txHash',
  'providerReference',
  'amount',
  'occurredAt',
  'failure',
] as const;

/** Codes that failures are reported with. */
const FAILURE_CODES = [
  'REVERTED',
  'INSTRUCTIONS_EXPIRED',
  'ACCOUNT_NOT_FOUND',
  'ACCOUNT_CLOSED',
  'NAME_MISMATCH',
  'COMPLIANCE_REFUSED',
  'RAIL_UNAVAILABLE',
  'INSUFFICIENT_FUNDS',
  'OTHER',
] as const;

/** What the integrator says became of a step. `outcome` is undefined when the fields are wrong, which they then say. */
export type Report = {
  readonly outcome: 'DONE' | 'FAILED' | 'RETURNED' | undefined;
  readonly txHash?: Hash;
  readonly providerReference?: string;
  readonly amount?: Amount;
  readonly occurredAtMs?: TimeMs;
  readonly failure?: Failure & { readonly code: (typeof FAILURE_CODES)[number] };
};

const hashShape = new RegExp(HASH_PATTERN);

/** A transaction's hash, in lower case. */
export const hashField: FieldReader<Hash> = {
  must: 'a transaction hash: 0x and 64 hex digits',
  read: (given) =>
    typeof given === 'string' && hashShape.test(given)
      ? { ok: true, value: given.toLowerCase() as Hash }
      : { ok: false },
};

/** Clocks of integrators may run ahead of ours by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Reads the fields of a report. What of them a step needs is judged with the step. */
export function readReport(fields: Fields, nowMs: number): Report {
  const outcome = required(fields, 'outcome', wordField(['DONE', 'FAILED', 'RETURNED']));
  const txHash = optional(fields, 'txHash', hashField);
  const providerReference = optional(fields, 'providerReference', textField(LIMITS.providerReferenceLength));
  const amount = optional(fields, 'amount', amountField);
  const occurredAtMs = optional(fields, 'occurredAt', timestampField);
  const failure = readFailure(fields, outcome);
  if (occurredAtMs !== undefined && occurredAtMs > nowMs + CLOCK_SKEW_MS)
    addError(fields, 'occurredAt', `occurredAt must not be in the future; it is ${timestampOf(nowMs)} now.`);
  return {
    outcome,
    ...(txHash === undefined ? {} : { txHash }),
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(amount === undefined ? {} : { amount: amountOf(amount) }),
    ...(occurredAtMs === undefined ? {} : { occurredAtMs }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function readFailure(fields: Fields, outcome: Report['outcome']): Report['failure'] {
  const inner = innerFields(fields, 'failure', ['code', 'detail']);
  if (inner === undefined) {
    if (outcome === 'FAILED' && !fields.values.has('failure'))
      addError(
        fields,
        'failure',
        'failure is missing; with outcome FAILED it must be an object with a code.',
      );
    return undefined;
  }
  if (outcome === 'DONE')
    addError(fields, 'failure', 'failure goes with outcome FAILED or RETURNED; leave it out.');
  const code = required(inner, 'code', wordField(FAILURE_CODES));
  const detail = optional(inner, 'detail', textField(LIMITS.failureDetailLength));
  return code === undefined ? undefined : { code, ...(detail === undefined ? {} : { detail }) };
}
