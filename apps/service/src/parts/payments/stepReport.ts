import { type Address, type Amount, amountOf, type Failure, type Hash, type TimeMs } from '@fairway/plan';
import { defined } from '@fairway/values';
import { HASH_PATTERN, LIMITS, REPORT_OUTCOMES, STEP_FAILURES } from '@fairway/wire';
import {
  addError,
  addressField,
  amountField,
  amountOrZeroField,
  complete,
  type FieldReader,
  type Fields,
  innerFields,
  integerField,
  optional,
  referenceField,
  required,
  textField,
  timestampField,
  timestampOf,
  wordField,
} from '@fairway/api';
import { readHold, type ReportedHold } from './holds.ts';
import type { PaymentParts } from './paymentParts.ts';
import { AMOUNT_FIELDS, type ReportedAmounts, readAmounts } from './reportedAmounts.ts';

/** The facts in a report about a step, without its outcome. */
export type ReportedFacts = {
  readonly txHash?: Hash;
  /** The transfer of the transaction that is meant, by the index of its log in the block. */
  readonly logIndex?: number;
  readonly providerReference?: string;
  readonly amount?: Amount;
  readonly occurredAtMs?: TimeMs;
  readonly failure?: Failure & { readonly code: (typeof STEP_FAILURES)[number] };
};

/** An integrator's report on the outcome of a step. */
export type StepReport = ReportedFacts &
  ReportedAmounts & {
    readonly outcome: Exclude<(typeof REPORT_OUTCOMES)[number], 'SUBMITTED'>;
    readonly hold?: ReportedHold;
  };

/** An integrator's report that a transaction which executes an attempt is signed and may be sent. */
export type SubmissionReport = {
  readonly outcome: 'SUBMITTED';
  readonly attemptId: string;
  readonly txHash: Hash;
  readonly sender?: Address;
  readonly nonce?: number;
};

/** The hash of a transaction. */
const HASH_SHAPE = new RegExp(HASH_PATTERN);

/** A transaction's hash, in lower case. */
export const hashField: FieldReader<Hash> = {
  must: 'a transaction hash: 0x and 64 hex digits',
  read: (given) =>
    typeof given === 'string' && HASH_SHAPE.test(given)
      ? { ok: true, value: given.toLowerCase() as Hash }
      : { ok: false },
};

/** How far an integrator's clock may run ahead of the service's. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Reads the fields of a report; undefined when one is wrong. Whether they fit the step is checked later. */
export function readStepReport(
  fields: Fields,
  { chains, nowMs }: Pick<PaymentParts, 'chains' | 'nowMs'>,
): StepReport | SubmissionReport | undefined {
  const outcome = required(fields, 'outcome', wordField(REPORT_OUTCOMES));
  if (outcome === 'SUBMITTED') return readSubmission(fields);
  for (const name of ['attemptId', 'sender', 'nonce']) refuseWith(fields, name, 'goes with SUBMITTED alone');
  const facts = readFactsOf(fields, outcome, nowMs());
  const amounts = readAmounts(fields, chains);
  const hold = readHold(fields, outcome);
  const read = complete(fields, { outcome });
  return read && { ...read, ...facts, ...amounts, ...defined({ hold }) };
}

function readSubmission(fields: Fields): SubmissionReport | undefined {
  if (!fields.values.has('attemptId'))
    addError(fields, 'attemptId', 'attemptId is missing; give that of the instructions: next.attemptId.');
  const attemptId = optional(fields, 'attemptId', textField(LIMITS.attemptIdLength));
  const txHash = required(fields, 'txHash', hashField);
  const sender = optional(fields, 'sender', addressField);
  const nonce = optional(fields, 'nonce', integerField(LIMITS.nonce));
  for (const [name, other] of [
    ['sender', 'nonce'],
    ['nonce', 'sender'],
  ] as const)
    if (fields.values.has(name) && !fields.values.has(other))
      addError(fields, other, `${other} is missing; give sender and nonce together, or neither.`);
  for (const name of [
    'logIndex',
    'providerReference',
    'amount',
    'returned',
    'occurredAt',
    'failure',
    'hold',
    ...AMOUNT_FIELDS,
  ])
    refuseWith(fields, name, 'says nothing of a transaction that is SUBMITTED');
  const read = complete(fields, { attemptId, txHash });
  return (
    read && {
      outcome: 'SUBMITTED',
      ...read,
      ...defined({ sender: sender?.address, nonce }),
    }
  );
}

/** Refuses a field that goes with another outcome. */
function refuseWith(fields: Fields, name: string, why: string): void {
  if (fields.values.has(name)) addError(fields, name, `${name} ${why}; leave it out.`);
}

/**
 * Reads the facts of a report. `failure` is needed with FAILED, may be given with RETURNED, and is refused otherwise.
 */
function readFactsOf(fields: Fields, outcome: string | undefined, nowMs: number): ReportedFacts {
  const txHash = optional(fields, 'txHash', hashField);
  const logIndex = optional(fields, 'logIndex', integerField(LIMITS.logIndex));
  if (logIndex !== undefined && !fields.values.has('txHash'))
    addError(fields, 'logIndex', 'logIndex names a transfer of the transaction in txHash; give txHash too.');
  const providerReference = optional(
    fields,
    'providerReference',
    referenceField(LIMITS.providerReferenceLength),
  )?.trim();
  // A payment that is corrected to nothing is taken back.
  const amount = optional(fields, 'amount', fields.values.has('corrects') ? amountOrZeroField : amountField);
  const occurredAtMs = readOccurredAt(fields, nowMs);
  const failure = readFailure(fields, outcome);
  return {
    ...defined({
      txHash,
      logIndex,
      providerReference,
      amount: amount === undefined ? undefined : amountOf(amount),
      occurredAtMs,
      failure,
    }),
  };
}

/** Reads when something happened, which is not in the future. */
export function readOccurredAt(fields: Fields, nowMs: number): TimeMs | undefined {
  const occurredAtMs = optional(fields, 'occurredAt', timestampField);
  if (occurredAtMs !== undefined && occurredAtMs > nowMs + CLOCK_SKEW_MS)
    addError(fields, 'occurredAt', `occurredAt must not be in the future; it is ${timestampOf(nowMs)} now.`);
  return occurredAtMs;
}

function readFailure(fields: Fields, outcome: string | undefined): ReportedFacts['failure'] {
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
  if (outcome !== undefined && outcome !== 'FAILED' && outcome !== 'RETURNED')
    addError(fields, 'failure', 'failure goes with outcome FAILED or RETURNED; leave it out.');
  const code = required(inner, 'code', wordField(STEP_FAILURES));
  const detail = optional(inner, 'detail', textField(LIMITS.failureDetailLength));
  return code === undefined ? undefined : { code, ...defined({ detail }) };
}
