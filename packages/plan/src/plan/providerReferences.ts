import type { PlanCommand } from './commands.ts';
import type { Plan, Step } from './types.ts';
import type { Hash } from '../terms/scalars.ts';

/**
 * The form in which the references of providers are compared: without blanks and letter case, which people and systems change.
 *
 * @example
 * ```ts
 * import { referenceKey } from '@fairway/plan';
 *
 * const isSame = referenceKey('PO-7 ') === referenceKey('po-7'); // true
 * ```
 */
export function referenceKey(reference: string): string {
  return reference.replaceAll(/\s+/g, '').toLowerCase();
}

/** The command with the reference as the plan has it already, where it differs in blanks and letter case alone. */
export function withKnownReference(plan: Plan, command: PlanCommand): PlanCommand {
  if (!('providerReference' in command) || command.providerReference === undefined) return command;
  const key = referenceKey(command.providerReference);
  const known = providerReferencesOf(plan).find((each) => referenceKey(each) === key);
  return known === undefined ? command : { ...command, providerReference: known };
}

/**
 * What providers call the payments of a plan: those that were made, have failed, are held or under way, or came back.
 *
 * @example
 * ```ts
 * import { type Plan, providerReferencesOf } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isKnown = providerReferencesOf(plan).includes('PO-7');
 * ```
 */
export function providerReferencesOf({ ledger = [], returns, steps }: Plan): readonly string[] {
  return [...ledger, ...returns, ...steps.flatMap(partsOf)].flatMap(
    ({ providerReference }) => providerReference ?? [],
  );
}

type Named = { readonly providerReference?: string };

/** What of a step has a provider's reference. */
function partsOf(step: Step): readonly Named[] {
  if (step.type === 'AWAIT_DEPOSIT' || step.type === 'EXECUTE_SWAP') return [];
  const hold = step.hold ?? {};
  if (step.type === 'CUSTODIAN_PAYOUT') return [step, hold, ...step.attempts];
  return [hold, ...[step, ...step.rounds].map(({ delivery }) => delivery ?? {})];
}

/** 64 hexadecimal digits in a row: the hash of a transaction in any letters, with or without 0x, and with words around it. */
const DIGITS = new RegExp('(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])', 'i');

/**
 * The hash of a transaction that a reference names, as the chain writes it; undefined for other references. People write it in capitals,
 * without 0x, or as the address of an explorer.
 *
 * @example
 * ```ts
 * import { namedHash } from '@fairway/plan';
 *
 * namedHash(`tx ${'AB'.repeat(32)}`); // '0xabab…'
 * namedHash('INV-7'); // undefined
 * ```
 */
export function namedHash(reference: string | undefined): Hash | undefined {
  const digits = DIGITS.exec(reference ?? '')?.[0];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}
