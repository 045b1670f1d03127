import type { Json, RecordedEvent } from '@fairway/plan';
import type { PaymentEvent } from '@fairway/wire';
import { eip55, timestampOf } from '@fairway/api';
import { type Chains, planToken } from './moneyBody.ts';

/** Members that the plan shows elsewhere or in another form. */
const NOT_SHOWN = new Set(['instructions', 'quote']);
/** The members of events that hold an address, at any depth. Events keep addresses in lower case. */
const ADDRESSES = new Set(['address', 'from', 'sender', 'to']);
const LOWER_CASE_ADDRESS = /^0x[0-9a-f]{40}$/;

/** An event in the form of the API: by its command, without instructions and quote. */
export function eventBody({ revision, atMs, actor, command }: RecordedEvent, chains: Chains): PaymentEvent {
  const { type, ...rest } = command as { readonly type: string } & Readonly<Record<string, Json>>;
  const { stepId, ...data } = rest;
  return {
    revision,
    at: timestampOf(atMs),
    type,
    actor,
    ...(typeof stepId === 'string' ? { stepId } : {}),
    data: shownMembers(data, chains),
  };
}

type Members = Readonly<Record<string, Json | undefined>>;

function shownMembers(members: Members, chains: Chains): Record<string, unknown> {
  const shown = Object.entries(members).filter(([name]) => !NOT_SHOWN.has(name));
  return Object.fromEntries(shown.map((member) => shownMember(member, members, chains)));
}

/** A member with the times, addresses and assets in it in the form of the API. `among`: the members that it is one of. */
function shownMember(
  [name, value]: [string, Json | undefined],
  among: Members,
  chains: Chains,
): [string, unknown] {
  // A transfer keeps its token as an address beside the chain.
  const { chainId } = among;
  if (name === 'token' && isAddress(value) && typeof chainId === 'number')
    return ['asset', planToken({ chainId, address: value }, chains)];
  if (name === 'asset' && isToken(value)) return [name, planToken(value, chains)];
  if (name.endsWith('Ms') && typeof value === 'number') return [name.slice(0, -2), timestampOf(value)];
  if (ADDRESSES.has(name) && isAddress(value)) return [name, eip55(value)];
  return [name, shownValue(value, chains)];
}

function shownValue(value: Json | undefined, chains: Chains): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map((each) => shownValue(each, chains)) : shownMembers(value, chains);
}

function isAddress(value: Json | undefined): value is `0x${string}` {
  return typeof value === 'string' && LOWER_CASE_ADDRESS.test(value);
}

function isToken(value: Json | undefined): value is { chainId: number; address: `0x${string}` } {
  if (typeof value !== 'object' || value === null || isList(value)) return false;
  const { chainId, address } = value as Members;
  return typeof chainId === 'number' && isAddress(address);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
