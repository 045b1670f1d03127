import { defined, durationText, readDuration } from '@fairway/values';
import type { EndpointEdit, EndpointSecrets, RecoverAsk } from '@fairway/outbox';
import {
  judgeClientCertificate,
  judgeWebhookHeaders,
  judgeWebhookUrl,
  type WebhookRule,
} from '@fairway/webhooks';
import { LIMITS, RECOVERED, WEBHOOK_LIMITS } from '@fairway/wire';
import {
  addError,
  type FieldReader,
  type Fields,
  innerFields,
  isJsonObject,
  listField,
  optional,
  referenceField,
  required,
  textField,
  timestampField,
  wordField,
} from '@fairway/api';
import { eventTypeField } from './eventTypeField.ts';
import type { EndpointParts } from './endpointParts.ts';

/** A request to make an endpoint. */
export type EndpointRequest = {
  readonly url: string;
  readonly types: readonly string[];
  readonly description?: string;
  readonly clientReference?: string;
  readonly headers: EndpointSecrets['headers'];
  readonly clientCertificate?: EndpointSecrets['clientCertificate'];
};

/** Where webhooks may be sent, and which events there are. */
type Rules = Pick<EndpointParts, 'rule' | 'catalogue'>;

const ALL_TYPES = ['*'];
/** Types of events: whole ones, beginnings such as `payment_plan.*`, or `*`. */
function typesField(catalogue: Rules['catalogue']): FieldReader<readonly string[]> {
  const listed = { what: 'types of events', minimum: 1, maximum: WEBHOOK_LIMITS.types };
  return listField(eventTypeField(catalogue, ALL_TYPES), listed);
}
const descriptionField = textField(WEBHOOK_LIMITS.descriptionLength);
const clientReferenceField = referenceField(LIMITS.clientReferenceLength);

/** Reads a request to make an endpoint; undefined when a field is wrong. */
export function readEndpointRequest(fields: Fields, { rule, catalogue }: Rules): EndpointRequest | undefined {
  const url = readUrl(fields, rule);
  if (!fields.values.has('url'))
    addError(
      fields,
      'url',
      `url is missing; it must be ${rule.httpToLoopback ? 'an https URL, or an http URL of this machine' : 'an https URL'}.`,
    );
  const types = readTypes(fields, catalogue) ?? ALL_TYPES;
  const description = optional(fields, 'description', descriptionField);
  const clientReference = optional(fields, 'clientReference', clientReferenceField);
  const headers = readHeaders(fields) ?? {};
  const clientCertificate = readCertificate(fields);
  if (url === undefined || fields.errors.length > 0) return undefined;
  return { url, types, headers, ...defined({ description, clientReference, clientCertificate }) };
}

/** Reads a request to change an endpoint; undefined when a field is wrong. */
export function readEndpointEdit(fields: Fields, { rule, catalogue }: Rules): EndpointEdit | undefined {
  const url = readUrl(fields, rule);
  const types = readTypes(fields, catalogue);
  const isNull = (name: string) => fields.values.get(name) === null;
  const description = isNull('description') ? null : optional(fields, 'description', descriptionField);
  const headers = readHeaders(fields);
  const clientCertificate = isNull('clientCertificate') ? null : readCertificate(fields);
  if (fields.errors.length > 0) return undefined;
  return defined({ url, types, description, headers, clientCertificate });
}

/** Reads for how many seconds a former secret stays in use; undefined when the field is wrong. */
export function readOverlap(fields: Fields, nowMs: number): number | undefined {
  const seconds = optional(fields, 'overlap', overlapField(nowMs)) ?? DEFAULT_OVERLAP_SECONDS;
  return fields.errors.length > 0 ? undefined : seconds;
}

const DAY_SECONDS = 86_400;
const DEFAULT_OVERLAP_SECONDS = DAY_SECONDS;
const LONGEST_OVERLAP_SECONDS = WEBHOOK_LIMITS.overlapDays * DAY_SECONDS;

function overlapField(nowMs: number): FieldReader<number> {
  const must = `an ISO 8601 duration of at most ${durationText(LONGEST_OVERLAP_SECONDS)}, such as "P1D"`;
  return {
    must,
    read(given) {
      const duration = typeof given === 'string' ? readDuration(given, nowMs, 0, 1) : undefined;
      if (duration?.ok !== true || duration.seconds > LONGEST_OVERLAP_SECONDS) return { ok: false };
      return { ok: true, value: duration.seconds };
    },
  };
}

/** Reads which events to send again; undefined when a field is wrong. */
export function readRecovery(
  fields: Fields,
  { nowMs, catalogue }: { readonly nowMs: number } & Pick<Rules, 'catalogue'>,
): RecoverAsk | undefined {
  const sinceMs = required(fields, 'since', timestampField);
  const givenUntilMs = optional(fields, 'until', timestampField);
  const untilMs = givenUntilMs ?? nowMs + 1;
  const types = readTypes(fields, catalogue);
  const only = optional(fields, 'only', wordField(RECOVERED)) ?? 'UNDELIVERED';
  if (sinceMs !== undefined && sinceMs >= untilMs)
    addError(
      fields,
      'since',
      givenUntilMs === undefined ? 'since must not be in the future.' : 'since must be before until.',
    );
  if (sinceMs === undefined || fields.errors.length > 0) return undefined;
  return { sinceMs, untilMs, types, only };
}

const stringField: FieldReader<string> = {
  must: 'a text',
  read: (given) => (typeof given === 'string' ? { ok: true, value: given } : { ok: false }),
};

/** Reads a URL by the rule. An error does not repeat the URL, which can hold a secret. */
function readUrl(fields: Fields, rule: WebhookRule): string | undefined {
  const given = fields.values.get('url');
  if (given === undefined) return undefined;
  if (typeof given !== 'string') {
    optional(fields, 'url', stringField);
    return undefined;
  }
  const judged = judgeWebhookUrl(given, rule);
  if (judged.ok) return judged.url;
  addError(fields, 'url', judged.detail);
  return undefined;
}

function readHeaders(fields: Fields): EndpointSecrets['headers'] | undefined {
  const given = optional(fields, 'headers', headersField);
  if (given === undefined) return undefined;
  const judged = judgeWebhookHeaders(given);
  if (judged.ok) return judged.headers;
  addError(fields, 'headers', judged.detail);
  return undefined;
}

const headersField: FieldReader<Readonly<Record<string, string>>> = {
  must: 'an object whose members are texts',
  read(given) {
    if (!isJsonObject(given)) return { ok: false };
    const entries = Object.entries(given);
    const wrong = entries.find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined) return { ok: false, must: 'a text', inside: { name: wrong[0] } };
    return { ok: true, value: Object.fromEntries(entries) as Record<string, string> };
  },
};

/** A text that is never repeated in an answer. */
function readPem(fields: Fields, name: string): string | undefined {
  const given = fields.values.get(name);
  if (typeof given === 'string' && given !== '') return given;
  addError(fields, name, `${name} must be a text in PEM form.`);
  return undefined;
}

function readCertificate(fields: Fields): EndpointSecrets['clientCertificate'] {
  const inner = innerFields(fields, 'clientCertificate', ['cert', 'key']);
  if (inner === undefined) return undefined;
  const [cert, key] = [readPem(inner, 'cert'), readPem(inner, 'key')];
  if (cert === undefined || key === undefined) return undefined;
  const judged = judgeClientCertificate({ cert, key });
  if (judged.ok) return { cert, key };
  addError(fields, 'clientCertificate', judged.detail);
  return undefined;
}

function readTypes(fields: Fields, catalogue: Rules['catalogue']): readonly string[] | undefined {
  const types = optional(fields, 'types', typesField(catalogue));
  return types && [...new Set(types)];
}
