import type { PlanCommand } from './commands.ts';
import type { Plan, Step } from './types.ts';

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
