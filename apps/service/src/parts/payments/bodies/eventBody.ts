import type { Json, RecordedEvent } from '@fairway/plan';
import type { PaymentEvent } from '@fairway/wire';
import { eip55, timestampOf } from '@fairway/api';

/** Members that the plan shows elsewhere or in another form. */
const NOT_SHOWN = new Set(['instructions', 'quote']);
/** The members of events that hold an address, at any depth. Events keep addresses in lower case. */
const ADDRESSES = new Set(['address', 'from', 'sender', 'to', 'token']);
const LOWER_CASE_ADDRESS = /^0x[0-9a-f]{40}$/;

/** An event in the form of the API: by its command, without instructions and quote. */
export function eventBody({ revision, atMs, actor, command }: RecordedEvent): PaymentEvent {
  const { type, ...rest } = command as { readonly type: string } & Readonly<Record<string, Json>>;
  const { stepId, ...data } = rest;
  return {
    revision,
    at: timestampOf(atMs),
    type,
    actor,
    ...(typeof stepId === 'string' ? { stepId } : {}),
    data: shownMembers(data),
  };
}

function shownMembers(members: Readonly<Record<string, Json | undefined>>): Record<string, unknown> {
  const shown = Object.entries(members).filter(([name]) => !NOT_SHOWN.has(name));
  return Object.fromEntries(shown.map(shownMember));
}

/** A member with the times and addresses in it in the form of the API. */
function shownMember([name, value]: [string, Json | undefined]): [string, unknown] {
  if (name.endsWith('Ms') && typeof value === 'number') return [name.slice(0, -2), timestampOf(value)];
  if (typeof value === 'string' && ADDRESSES.has(name) && LOWER_CASE_ADDRESS.test(value))
    return [name, eip55(value as `0x${string}`)];
  return [name, shownValue(value)];
}

function shownValue(value: Json | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(shownValue) : shownMembers(value);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
