import {
  type Amount,
  type Corridor,
  type PlanOptions,
  type Recipient,
  recipientTypesOf,
  refuseByCorridor,
  unitsOf,
} from '@fairway/plan';
import { withMeantAmount } from '../../trading/index.ts';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { refuseDepositAddress } from '../recipient/reader.ts';
import type { Corridors } from '../corridors/corridors.ts';
import type { PaymentRequest } from '../paymentRequest.ts';
import { corridorRefused } from '../planProblems.ts';

/** A payment request that a new plan can be made of, with its corridor and its recipient. */
export type PaymentAsk = Omit<PaymentRequest, 'recipient'> & {
  readonly corridor: Corridor;
  readonly recipient: Recipient;
};

const RECIPIENT_TYPES = ['bank', 'wallet', 'emoney', 'email'] as const;

/**
 * Judges a request that makes a new plan: first whether the corridor takes it, then the accounts in its options, then
 * the recipient.
 */
export function judgeRequest(request: PaymentRequest, corridors: Corridors): Outcome<PaymentAsk> {
  const { corridorId, amountIn, recipient, mode, options } = request;
  const corridor = corridors.find(corridorId);
  if (corridor === undefined) return refuse(unknownCorridor(corridorId));
  const type = RECIPIENT_TYPES.find((each) => each === recipient.type);
  const refusal = refuseByCorridor(corridor, {
    mode,
    amountIn,
    // A recipient with an unknown type is refused below, together with its other errors.
    recipientType: type ?? recipientTypesOf(corridor, mode)[0] ?? 'bank',
  });
  if (refusal !== undefined) {
    const problem = corridorRefused(corridor, mode, refusal);
    return refuse(withMeantAmountIn(problem, corridors, corridor, amountIn));
  }
  const reserved = reservedAccounts(corridors, corridor.source.chainId, options);
  if (reserved.length > 0) return refuse(invalidFields(reserved));
  const given = corridors.readRecipient(corridor, recipientTypesOf(corridor, mode), recipient.plain);
  const read = refuseDepositAddress(given, options.depositAddress);
  if (!read.ok) return refuse({ ...invalidFields(read.errors), code: 'recipient-invalid' });
  return done({ ...request, corridor, recipient: read.recipient });
}

/** Where the amount is far outside the corridor's limits: what was probably meant, if it was given with other decimals. */
function withMeantAmountIn(
  problem: ProblemFacts,
  corridors: Corridors,
  { id, minAmountIn, maxAmountIn }: Corridor,
  amountIn: Amount,
): ProblemFacts {
  const units = unitsOf(amountIn);
  const [least, most] = [unitsOf(minAmountIn), unitsOf(maxAmountIn)];
  const token = corridors.list('ALL').find(({ corridor }) => corridor.id === id)?.sourceToken;
  if (problem.code !== 'amount-out-of-range' || token === undefined) return problem;
  const isFar = units >= most * FAR || units * FAR <= least;
  if (!isFar) return problem;
  const fault = units > most ? 'TOO_LARGE' : 'TOO_SMALL';
  return withMeantAmount(
    problem,
    { pointer: '/amountIn', units, token, fault },
    (meant) => least <= meant && meant <= most,
  );
}

/** An amount this many times beyond a limit was hardly meant to be near it. */
const FAR = 10n;

/** Errors of account options that name an account of many payments: a transfer there cannot be assigned to one plan. */
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

/** The problem of an id that no corridor has. */
export function unknownCorridor(id: string): ProblemFacts {
  const detail = `Corridor ${JSON.stringify(id)} is not offered here; GET /v1/markets/corridors lists those that are.`;
  return { code: 'unknown-corridor', detail, errors: [{ pointer: '/corridorId', detail }] };
}
