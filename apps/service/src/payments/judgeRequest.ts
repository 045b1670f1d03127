import {
  type Corridor,
  type CorridorRefusal,
  type PlanOptions,
  type Recipient,
  recipientTypesOf,
  refuseByCorridor,
  defined,
} from '@fairway/plan';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { Corridors } from './corridors.ts';
import type { PaymentRequest } from './paymentRequest.ts';
import { corridorRefused } from './planProblems.ts';

/** A payment that can be planned, as far as the request decides. */
export type PaymentAsk = Omit<PaymentRequest, 'recipient'> & {
  readonly corridor: Corridor;
  readonly recipient: Recipient;
  /** Why the corridor takes no new plan of this request; one that was made before is answered all the same. */
  readonly refusal?: ProblemFacts;
};

const RECIPIENT_TYPES = ['bank', 'wallet', 'emoney', 'email'] as const;

/** Judges a request: first whether the corridor takes it, then the accounts that it names, then the recipient. */
export function judgeRequest(request: PaymentRequest, corridors: Corridors): Outcome<PaymentAsk> {
  const { corridorId, amountIn, recipient, mode, options } = request;
  const corridor = corridors.find(corridorId);
  if (corridor === undefined) return refuse(unknownCorridor(corridorId));
  const type = RECIPIENT_TYPES.find((each) => each === recipient.type);
  const refusal = refuseByCorridor(corridor, {
    mode,
    amountIn,
    // A recipient of no type is refused below, with everything else that is wrong with it.
    recipientType: type ?? recipientTypesOf(corridor, mode)[0] ?? 'bank',
  });
  const refused = refusal && corridorRefused(corridor, mode, refusal);
  // Without a recipient of the right kind there is nothing to tell requests apart by.
  if (refused !== undefined && !isLater(refusal?.reason)) return refuse(refused);
  const reserved = reservedAccounts(corridors, corridor.source.chainId, options);
  if (reserved.length > 0) return refuse(invalidFields(reserved));
  const read = corridors.readRecipient(corridor, recipientTypesOf(corridor, mode), recipient.plain);
  if (!read.ok) return refuse({ ...invalidFields(read.errors), code: 'recipient-invalid' });
  return done({
    ...request,
    corridor,
    recipient: read.recipient,
    ...defined({ refusal: refused }),
  });
}

/** Whether a corridor may come to refuse what it took before: by the operator's hand, not by the request's. */
function isLater(reason: CorridorRefusal['reason'] | undefined): boolean {
  return reason === 'CORRIDOR_SUSPENDED' || reason === 'AMOUNT_OUT_OF_RANGE';
}

/** What arrives at an account of many payments cannot be told to be this one's. */
function reservedAccounts(
  corridors: Corridors,
  chainId: number,
  options: PlanOptions,
): { pointer: string; detail: string }[] {
  return (['sender', 'depositAddress'] as const).flatMap((name) => {
    const address = options[name];
    const what = address === undefined ? undefined : corridors.reserved(address, chainId);
    if (what === undefined) return [];
    return [{ pointer: `/options/${name}`, detail: `${name} is ${what}; give an account of the payer.` }];
  });
}

function unknownCorridor(id: string): ProblemFacts {
  const detail = `Corridor ${JSON.stringify(id)} is not offered here; GET /v1/markets/corridors lists those that are.`;
  return { code: 'unknown-corridor', detail, errors: [{ pointer: '/corridorId', detail }] };
}
