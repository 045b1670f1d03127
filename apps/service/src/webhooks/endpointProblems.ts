import type { Unavailable } from '@fairway/postgres';
import { MOST_ENDPOINTS } from '@fairway/store';
import { KEY_AWAY, notWritten } from '../payments/planProblems.ts';
import { type ProblemFacts, tryLater } from '../problems/problem.ts';

/** The problem of an endpoint that does not exist or is not the caller's. Both get the same answer, which reveals nothing. */
export const NO_SUCH_ENDPOINT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such endpoint; GET /v1/webhook_endpoints lists those of your organisation.',
};
/** The same of a delivery. */
export const NO_SUCH_DELIVERY: ProblemFacts = {
  code: 'not-found',
  detail: 'The endpoint has no such delivery; GET …/deliveries lists those that are kept.',
};
/** The same of an event. */
export const NO_SUCH_EVENT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such event, or it is no longer kept; GET /v1/events lists those that are.',
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
const HEADERS_NEEDED = 'headers must be given again with a URL of another host, which would get them.';

/** Why an operation on an endpoint came to nothing. */
type Refused =
  | Unavailable
  | {
      readonly ok: false;
      readonly reason:
        | 'ENDPOINT_UNKNOWN'
        | 'ENDPOINT_DISABLED'
        | 'EVENT_UNKNOWN'
        | 'KEY_UNKNOWN'
        | 'SEAL_BROKEN'
        | 'HEADERS_NEEDED';
    };

/** The problem of an operation that came to nothing. */
export function endpointRefused(refused: Refused): ProblemFacts {
  switch (refused.reason) {
    case 'DATABASE_UNAVAILABLE':
      return notWritten(refused);
    case 'ENDPOINT_UNKNOWN':
      return NO_SUCH_ENDPOINT;
    case 'EVENT_UNKNOWN':
      return NO_SUCH_EVENT;
    case 'ENDPOINT_DISABLED':
      return {
        code: 'webhook-endpoint-disabled',
        detail: 'The endpoint is DISABLED: mend its receiver, and use POST …/enable first.',
      };
    case 'HEADERS_NEEDED':
      return {
        code: 'validation-failed',
        detail: HEADERS_NEEDED,
        errors: [{ pointer: '/headers', detail: HEADERS_NEEDED }],
      };
    case 'KEY_UNKNOWN':
    case 'SEAL_BROKEN':
      return KEY_AWAY;
  }
}
