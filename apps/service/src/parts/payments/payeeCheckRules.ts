import type { Corridor } from '@fairway/plan';
import type { ProblemFacts } from '@fairway/api';
import type { MeantVersion } from './registeredRecipient.ts';

/**
 * Why a corridor does not pay details: no check of their payee had a result that it accepts. Undefined when it pays
 * them. `registered`: the version of the registered recipient that the details are of.
 */
export function refuseUnchecked(
  { id, payeeCheck }: Corridor,
  registered: MeantVersion | undefined,
): ProblemFacts | undefined {
  if (payeeCheck === undefined) return undefined;
  const needed = `corridor ${id} needs one that came to ${payeeCheck.accepted.join(' or ')}`;
  if (registered === undefined)
    return unchecked(
      '/recipient',
      `Details of a payment's own have no check of the payee, and ${needed}; keep them with POST /v1/recipients, record the check with PUT /v1/recipients/{recipientId}/verification, and give the recipientId.`,
    );
  const { checked } = registered;
  if (payeeCheck.accepted.some((result) => result === checked)) return undefined;
  const known =
    checked === undefined
      ? 'The present details of the registered recipient have no check of the payee'
      : `The check of the payee of the registered recipient came to ${checked}`;
  return unchecked(
    '/recipient/recipientId',
    `${known}, and ${needed}; record it with PUT /v1/recipients/{recipientId}/verification.`,
  );
}

/**
 * The revision that a recipient must still have when a corridor relies on its check: a later revision may have another
 * result.
 */
export function checkedRevision(
  { payeeCheck }: Corridor,
  registered: MeantVersion | undefined,
): number | undefined {
  return payeeCheck && registered?.revision;
}

function unchecked(pointer: string, detail: string): ProblemFacts {
  return { code: 'payee-check-required', detail, errors: [{ pointer, detail }] };
}
