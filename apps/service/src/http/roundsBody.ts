import { defined, type Delivery, type SendDigitalCollectStep } from '@fairway/plan';
import type { PaymentStep } from '@fairway/wire';
import { holdBody } from '../payments/holds.ts';
import { timestampOf } from '../time/timestamp.ts';
import { evidenceBody, occurred } from './executionsBody.ts';
import { recipientBody } from './recipientBody.ts';

/** How the recipient of a plan was asked, in all rounds. */
export function roundsOf(step: SendDigitalCollectStep): Pick<PaymentStep, 'collect'> {
  return { collect: collectBody(step) };
}

function collectBody(step: SendDigitalCollectStep): NonNullable<PaymentStep['collect']> {
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
    ...submissionBody(current),
    rounds: rounds.map((round) => ({ version: round.version, ...submissionBody(round) })),
  };
}

type Submission = Pick<SendDigitalCollectStep, 'destination' | 'submittedAtMs' | 'delivery' | 'hold'>;

function submissionBody({ destination, submittedAtMs, delivery, hold }: Submission) {
  return {
    ...defined({
      destination: destination === undefined ? undefined : recipientBody(destination),
      submittedAt: submittedAtMs === undefined ? undefined : timestampOf(submittedAtMs),
      delivery: delivery === undefined ? undefined : deliveryBody(delivery, hold),
    }),
  };
}

function deliveryBody({ evidence, occurredAtMs, ...delivery }: Delivery, hold: Submission['hold']) {
  const held = defined({ hold: hold && holdBody(hold) });
  return { ...delivery, ...held, ...occurred(occurredAtMs), ...evidenceBody(evidence) };
}
