import { type Delivery, type SendDigitalCollectStep, paidAmountOf, type Plan } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { PaymentStep } from '@fairway/wire';
import { holdBody } from '../holds.ts';
import { timestampOf } from '@fairway/api';
import { evidenceBody, occurred } from './executionsBody.ts';
import { recipientBody } from './recipientBody.ts';

/** How the recipient of a plan was asked, in all rounds. */
export function roundsOf(plan: Plan, step: SendDigitalCollectStep): Pick<PaymentStep, 'collect'> {
  return { collect: collectBody(plan, step) };
}

function collectBody(plan: Plan, step: SendDigitalCollectStep): NonNullable<PaymentStep['collect']> {
  const { link, rounds, ...current } = step;
  return {
    ...(link === undefined
      ? {}
      : {
          link: {
            version: link.version,
            state: link.state,
            mail: link.mail,
            madeAt: timestampOf(link.madeAtMs),
            expiresAt: timestampOf(link.expiresAtMs),
            ...defined({
              openedAt: link.openedAtMs === undefined ? undefined : timestampOf(link.openedAtMs),
              requestedAt: link.requestedAtMs === undefined ? undefined : timestampOf(link.requestedAtMs),
            }),
            resends: link.resends,
          },
        }),
    ...(current.destination === undefined || current.destination.type === 'email'
      ? {}
      : { destinationType: current.destination.type }),
    ...submissionBody(plan, current),
    rounds: rounds.map((round) => ({ version: round.version, ...submissionBody(plan, round) })),
  };
}

type Submission = Pick<SendDigitalCollectStep, 'destination' | 'submittedAtMs' | 'delivery' | 'hold'>;

function submissionBody(plan: Plan, { destination, submittedAtMs, delivery, hold }: Submission) {
  return {
    ...defined({
      destination: destination === undefined ? undefined : recipientBody(destination),
      submittedAt: submittedAtMs === undefined ? undefined : timestampOf(submittedAtMs),
      delivery: delivery === undefined ? undefined : deliveryBody(plan, delivery, hold),
    }),
  };
}

function deliveryBody(plan: Plan, told: Delivery, hold: Submission['hold']) {
  const { evidence, occurredAtMs, sentAmount: _sent, ...delivery } = told;
  const held = defined({ hold: hold && holdBody(hold), paidAmount: paidAmountOf(plan, told) });
  return { ...delivery, ...held, ...occurred(occurredAtMs), ...evidenceBody(plan, 'PAYOUT', evidence) };
}
