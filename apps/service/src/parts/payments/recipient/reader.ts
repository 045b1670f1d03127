import {
  normalRecipient,
  type Recipient,
  type RecipientFacts,
  recipientFaults,
  recipientSchema,
} from '@fairway/recipients';
import type { FieldError } from '@fairway/wire';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { whatUnusable } from '../../../platform/accounts/unusableAccount.ts';
import { faultError, recipientErrors } from './errors.ts';
import { recipientFormats } from './formats.ts';

/** A recipient as read, or everything that is wrong with it. Errors never repeat what was given. */
export type RecipientReading =
  | { readonly ok: true; readonly recipient: Recipient }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Reads a plain JSON value (with numbers as numbers) as one of the allowed kinds of recipient; there is at least one.
 * When several have the same type, the country, chain or currency of the value decides. Pointers start at /recipient.
 * Never throws, whatever the value.
 */
export type RecipientReader = (given: unknown, allowed: readonly RecipientFacts[]) => RecipientReading;

/**
 * Why a wallet cannot be a recipient, in words that complete "must not be …" ("a token contract"); undefined when it
 * can. The address is in lower case.
 */
export type ForbiddenWallet = (address: string, chainId: number) => string | undefined;

/**
 * Reads a recipient that may have been accepted before: its form alone is checked, and not the rules that have become
 * stricter since. Only for comparing a repeated request with the one that made a plan. Undefined when it has no form.
 */
export type EarlierRecipientReader = (
  given: unknown,
  allowed: readonly RecipientFacts[],
) => Recipient | undefined;

/** Makes a reader of earlier recipients that compiles each kind of recipient once. */
export function createEarlierRecipientReader(): EarlierRecipientReader {
  // The formats are the checks that become stricter.
  const validatorOf = createValidators(new Ajv2020({ strict: true, validateFormats: false }));

  return (given, allowed) => {
    const facts = isObject(given) ? factsOf(given, allowed) : undefined;
    if (!isObject(given) || facts === undefined) return undefined;
    const tidied = tidyMembers(given);
    return validatorOf(facts)(tidied) ? normalRecipient(tidied as Recipient) : undefined;
  };
}

/** The validators of kinds of recipient; each is compiled once. */
function createValidators(ajv: Ajv2020): (facts: RecipientFacts) => ValidateFunction {
  for (const [name, validate] of Object.entries(recipientFormats)) {
    ajv.addFormat(name, { type: 'string', validate });
  }
  const compiled = new Map<string, ValidateFunction>();
  return (facts) => {
    const key = JSON.stringify(facts);
    const validate = compiled.get(key) ?? ajv.compile(recipientSchema(facts));
    compiled.set(key, validate);
    return validate;
  };
}

/** Makes a reader that compiles each kind of recipient once. */
export function createRecipientReader({ forbidden }: { forbidden: ForbiddenWallet }): RecipientReader {
  const validatorOf = createValidators(new Ajv2020({ allErrors: true, strict: true, verbose: true }));

  return (given, allowed) => {
    const types = [...new Set(allowed.map(({ type }) => type))];
    if (!isObject(given)) return refused('', `Recipient must be an object with a type: ${listed(types)}.`);
    const facts = factsOf(given, allowed);
    if (facts === undefined) return refusedKind(given, allowed, types);
    const tidied = tidyMembers(given);
    const validate = validatorOf(facts);
    if (!validate(tidied)) return { ok: false, errors: recipientErrors(validate.errors ?? []) };
    // The value fits the schema of these facts, so it is a recipient of this kind.
    const recipient = normalRecipient(tidied as Recipient);
    const faults = recipientFaults(recipient).map((fault) => faultError(fault, recipientSchema(facts)));
    if (faults.length > 0) return { ok: false, errors: faults };
    const reason =
      recipient.type === 'wallet'
        ? (whatUnusable(recipient.address) ?? forbidden(recipient.address, recipient.chainId))
        : undefined;
    return reason === undefined
      ? { ok: true, recipient }
      : refused('/address', `Wallet address must be the recipient's own; it must not be ${reason}.`);
  };
}

/** The same reading, but a plan's own deposit address is refused: a payout to it would come in as one more deposit. */
export function refuseDepositAddress(
  read: RecipientReading,
  depositAddress: string | undefined,
): RecipientReading {
  if (!read.ok || read.recipient.type !== 'wallet') return read;
  if (read.recipient.address.toLowerCase() !== depositAddress?.toLowerCase()) return read;
  return refused(
    '/address',
    "Wallet address must be the recipient's own; it must not be the deposit address of the payment.",
  );
}

function refused(pointer: string, detail: string): RecipientReading {
  return { ok: false, errors: [{ pointer: `/recipient${pointer}`, detail }] };
}

function listed(words: readonly (string | number)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/**
 * The kind of the given type. Where only one kind is allowed, that kind is taken even if the type is wrong: then all
 * mistakes are reported. Undefined where the value is of none.
 */
function factsOf(given: JsonObject, allowed: readonly RecipientFacts[]): RecipientFacts | undefined {
  if (allowed.length === 1) return allowed[0];
  const ofType = allowed.filter(({ type }) => type === given['type']);
  if (ofType.length < 2) return ofType[0];
  return ofType.find((facts) => {
    const decisive = decisiveOf(facts);
    return decisive === undefined || tidy(given[decisive.name]) === decisive.value;
  });
}

/** The member that tells a kind from others of its type, with its value. */
function decisiveOf(
  facts: RecipientFacts,
): { readonly name: string; readonly title: string; readonly value: string | number } | undefined {
  switch (facts.type) {
    case 'bank':
      return { name: 'country', title: 'Country', value: facts.country };
    case 'wallet':
      return { name: 'chainId', title: 'Chain', value: facts.chainId };
    case 'emoney':
      return { name: 'currency', title: 'Currency', value: facts.currency };
    case 'email':
      return undefined;
  }
}

/** A value of a type that is not allowed, or that no corridor pays to where it is. */
function refusedKind(
  given: JsonObject,
  allowed: readonly RecipientFacts[],
  types: readonly string[],
): RecipientReading {
  const places = allowed.filter(({ type }) => type === given['type']).map(decisiveOf);
  const [first] = places;
  if (given['type'] === undefined)
    return refused('/type', `Type is missing; it must be ${listed(types)}. A recipient is sent whole.`);
  if (first === undefined) return refused('/type', `Type must be ${listed(types)}.`);
  const values = places.flatMap((place) => (place === undefined ? [] : [place.value]));
  return refused(`/${first.name}`, `${first.title} must be ${listed(values)}: corridors pay nowhere else.`);
}

type JsonObject = { readonly [name: string]: unknown };

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy with tidy texts, also one level below. A member called __proto__ stays a plain member. */
function tidyMembers(given: JsonObject): unknown {
  return mapMembers(given, (value) => (isObject(value) ? mapMembers(value, tidy) : tidy(value)));
}

function mapMembers<T>(given: { readonly [name: string]: T }, map: (value: T, name: string) => unknown) {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, map(value, name)]));
}

const SPACE = /\p{Zs}/gu;

/**
 * A text in NFC, with plain spaces alone and none at its ends. Line breaks and other controls stay, so that the schema
 * refuses them and the sender learns of them.
 */
function tidy(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.normalize('NFC').replace(SPACE, ' ');
  let start = 0;
  let end = text.length;
  while (text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}
