import { EmptyRequest } from './fields.ts';
import {
  CollectRequest,
  CollectRequestList,
  CollectRequestPath,
  CollectRequestsQuery,
} from './collectRequests.ts';
import { type Operation, permission } from './operation.ts';
import { CHANGE_PROBLEMS } from './paymentOperations.ts';
import { DeliveryReport, ReaddressRequest } from './paymentRequests.ts';
import type { ProblemCode } from './problems.ts';

const PROBLEMS = [...CHANGE_PROBLEMS, 'collect-request-over'] as const satisfies readonly ProblemCode[];

const PATH = '/v1/collect_requests/{collectRequestId}';

/** What the operations that change a collect request have in common. */
const CHANGES = {
  method: 'POST',
  tag: 'Payments',
  access: permission('payments:write'),
  params: CollectRequestPath,
  response: CollectRequest,
} as const;

/** What those without members have. */
const BODYLESS = {
  ...CHANGES,
  body: EmptyRequest,
  bodyOptional: true,
  problems: PROBLEMS,
} as const;

/** The rounds in which recipients are asked where the money goes. */
export const COLLECT_REQUESTS = {
  listCollectRequests: {
    method: 'GET',
    path: '/v1/collect_requests',
    tag: 'Payments',
    summary: 'Collect requests',
    description:
      "The rounds in which recipients of the organisation's plans were asked where the money goes, newest first.",
    access: permission('payments:read'),
    query: CollectRequestsQuery,
    response: CollectRequestList,
    problems: ['validation-failed', 'upstream-unavailable'],
  },
  getCollectRequest: {
    method: 'GET',
    path: PATH,
    tag: 'Payments',
    summary: 'A collect request as it is now',
    description: 'One round of asking a recipient. Foreign and absent ones are answered alike.',
    access: permission('payments:read'),
    params: CollectRequestPath,
    response: CollectRequest,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable'],
  },
  resendCollectRequest: {
    ...BODYLESS,
    path: `${PATH}/resend`,
    summary: 'Send its e-mail again',
    description: 'As POST /v1/payments/{planId}/collect/resend, of the round that the id names.',
    problems: [...PROBLEMS, 'details-erased'],
  },
  readdressCollectRequest: {
    ...CHANGES,
    path: `${PATH}/readdress`,
    summary: 'Correct its e-mail address',
    description: 'As POST /v1/payments/{planId}/collect/readdress, of the round that the id names.',
    body: ReaddressRequest,
    problems: [...PROBLEMS, 'recipient-invalid'],
  },
  cancelCollectRequest: {
    ...BODYLESS,
    path: `${PATH}/cancel`,
    summary: 'Cancel its link',
    description: 'As POST /v1/payments/{planId}/collect/cancel, of the round that the id names.',
  },
  reissueCollectRequest: {
    ...BODYLESS,
    path: `${PATH}/reissue`,
    summary: 'A new link after one that ended',
    description:
      'As POST /v1/payments/{planId}/collect/reissue. After a delivery came back it begins the next round, which is the answer.',
    problems: [...PROBLEMS, 'details-erased'],
  },
  reportCollectDelivery: {
    ...CHANGES,
    path: `${PATH}/deliveries`,
    summary: 'Report how far its destination is paid',
    description:
      'As POST /v1/payments/{planId}/collect/deliveries, of the round that the id names: what is told of an earlier one is not taken for the present one.',
    body: DeliveryReport,
    problems: [...PROBLEMS, 'evidence-mismatch'],
  },
} as const satisfies Record<string, Operation>;
