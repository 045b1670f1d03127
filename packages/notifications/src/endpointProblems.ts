import { MOST_ENDPOINTS, type OfHost } from '@fairway/outbox';
import { invalidFields, KEY_AWAY, type ProblemFacts, tryLater } from '@fairway/api';

/** The problem of an endpoint that does not exist or is not the caller's. Both get the same answer, which reveals nothing. */
export const NO_SUCH_ENDPOINT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such endpoint; GET …/webhook_endpoints lists yours.',
};
/** The same of a delivery. */
export const NO_SUCH_DELIVERY: ProblemFacts = {
  code: 'not-found',
  detail: 'The endpoint has no such delivery; GET …/deliveries lists those that are kept.',
};
/** The same of an event. */
export const NO_SUCH_EVENT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such event, or it is no longer kept; GET …/events lists those that are.',
};
/** The problem of a deployment that can keep no secret. */
export const CANNOT_SEAL: ProblemFacts = tryLater(
  'upstream-unavailable',
  'This deployment has no key to seal secrets with (FAIRWAY_SEALING_KEYS); tell the operator.',
  60,
);
/** The problem of an organisation that has as many endpoints as it may. */
export const TOO_MANY: ProblemFacts = {
  code: 'too-many-webhook-endpoints',
  detail: `The organisation has ${MOST_ENDPOINTS} webhook endpoints; delete one, or change it.`,
};
/** The values that remove members which are meant for one host. */
const TAKEN_AWAY: Readonly<Record<OfHost, string>> = { headers: '{}', clientCertificate: 'null' };

/** Why an operation on an endpoint came to nothing. */
type Refused =
  | {
      readonly ok: false;
      readonly reason:
        | 'ENDPOINT_UNKNOWN'
        | 'ENDPOINT_DISABLED'
        | 'EVENT_UNKNOWN'
        | 'KEY_UNKNOWN'
        | 'SEAL_BROKEN';
    }
  | { readonly ok: false; readonly reason: 'NEEDED_AGAIN'; readonly members: readonly OfHost[] };

/** The problem of an operation that came to nothing. */
export function endpointRefused(refused: Refused): ProblemFacts {
  switch (refused.reason) {
    case 'ENDPOINT_UNKNOWN':
      return NO_SUCH_ENDPOINT;
    case 'EVENT_UNKNOWN':
      return NO_SUCH_EVENT;
    case 'ENDPOINT_DISABLED':
      return {
        code: 'webhook-endpoint-disabled',
        detail: 'The endpoint is DISABLED: mend its receiver, and use POST …/enable first.',
      };
    case 'NEEDED_AGAIN':
      return invalidFields(
        refused.members.map((name) => ({
          pointer: `/${name}`,
          detail: `${name} must be given again with a URL of another host, which would get what was meant for the one before; ${TAKEN_AWAY[name]} takes it away.`,
        })),
      );
    case 'KEY_UNKNOWN':
    case 'SEAL_BROKEN':
      return KEY_AWAY;
  }
}
