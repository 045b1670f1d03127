import { defined } from '@fairway/values';
import { withoutApproval } from '../plan/approvalRules.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, notReady, unchanged } from '../plan/rulings.ts';
import { payableOf } from '../book/equations.ts';
import { isReturned, lastStep, swapStep, without, withStep } from '../plan/steps.ts';
import { namedAttempts, withTurn } from '../book/payoutTurn.ts';
import { depositQuestion } from '../deposit/sentBack.ts';
import type { CustodianPayoutStep, PayoutAttempt, Plan } from '../plan/types.ts';
import { PLAIN_WORDS } from '../terms/words.ts';

type Replaced = CommandOf<'RECIPIENT_REPLACED'>;

/**
 * Has the same recipient paid again after the payment came back. The custodian takes the id of the payment for a
 * repetition, so that it needs another one.
 */
export function onReturnRetried(plan: Plan, step: CustodianPayoutStep, endToEndId: string): Ruling {
  const refusal = refuseAnotherPayment(plan);
  return refusal ?? changed(withAnotherAttempt(plan, step, endToEndId));
}

/**
 * Has another account paid, after a payment failed or came back. An account whose last payment failed keeps the id of
 * that payment, which is the custodian's guard against paying it twice.
 */
export function onRecipientReplaced(plan: Plan, command: Replaced): Ruling {
  const step = lastStep(plan);
  if (step.type !== 'CUSTODIAN_PAYOUT')
    return notReady(
      plan,
      'The recipient of a collect link chooses the account: send POST …/again without a recipient to ask once more.',
    );
  const { recipient } = command;
  const isSame = plan.recipient.fingerprint === recipient.fingerprint;
  if (plan.ended === undefined && step.status === 'READY' && step.attempts.length > 0 && isSame)
    return unchanged(plan);
  if (plan.ended !== undefined || (step.status !== 'FAILED' && !isReturned(plan)))
    return notReady(
      plan,
      `Another recipient can be named once a payment has failed or come back; to pay somebody else before, end the plan and make a new one. ${dueSentence(plan)}`,
    );
  const refusal = step.status === 'FAILED' ? undefined : refuseAnotherPayment(plan);
  if (refusal !== undefined) return refusal;
  const next = withAnotherAttempt(plan, step, command.endToEndId, command);
  return changed({ ...withoutApproval(next, command.by), recipient });
}

/** Why nothing is paid again after a return; undefined when it can be. */
export function refuseAnotherPayment(plan: Plan): Ruling | undefined {
  if (plan.ended !== undefined) return notReady(plan, dueSentence(plan));
  const { evidence } = swapStep(plan);
  if (evidence?.status !== 'FINAL')
    return notReady(
      plan,
      'The swap that brought the money is not final; nothing is paid again before it is. Wait until it is.',
    );
  if (payableOf(plan) === 0n)
    return notReady(plan, 'Nothing came back that is still there to be paid: end the plan.');
  const question = depositQuestion(plan, PLAIN_WORDS);
  return question === undefined ? undefined : notReady(plan, question);
}

function withAnotherAttempt(
  plan: Plan,
  step: CustodianPayoutStep,
  fresh: string,
  { recipient = plan.recipient }: Partial<Pick<Replaced, 'recipient'>> = {},
): Plan {
  const attempts = namedAttempts(plan, [...step.attempts, ...returnedAttempt(plan, step)]);
  const told = without(step, 'failure', 'verification', 'evidence', 'providerReference', 'occurredAtMs');
  const last = attempts.findLast((attempt) => attempt.recipient?.fingerprint === recipient.fingerprint);
  const kept = last?.outcome === 'RETURNED' ? undefined : last;
  const { endToEndId = fresh, earlierIds } = kept ?? {};
  const next = withStep(plan, { ...told, status: 'READY', attempts });
  return withTurn(next, { endToEndId, earlierIds });
}

/** The payment that came back, as an attempt that ended. */
function returnedAttempt(plan: Plan, step: CustodianPayoutStep): PayoutAttempt[] {
  const back = isReturned(plan) ? plan.returns.at(-1) : undefined;
  if (back === undefined) return [];
  const { failure = { code: 'RETURNED' }, recordedAtMs } = back;
  const { providerReference, evidence } = step;
  const told = defined({ providerReference, txHash: evidence?.txHash });
  return [{ failedAtMs: recordedAtMs, failure, outcome: 'RETURNED', ...told }];
}

/** The attempt that came back and that was paid by this reference or in this transaction. */
export function returnedAs(
  { attempts }: CustodianPayoutStep,
  told: Pick<PayoutAttempt, 'providerReference' | 'txHash'>,
): PayoutAttempt | undefined {
  return attempts.find(
    ({ outcome, providerReference, txHash }) =>
      outcome === 'RETURNED' &&
      ((providerReference !== undefined && providerReference === told.providerReference) ||
        (txHash !== undefined && txHash === told.txHash)),
  );
}
