import {
  CollectRequest,
  CollectRequestList,
  CollectRequestPath,
  CollectRequestsQuery,
} from '../collectRequests.ts';
import { type Operation, permission } from '../operation.ts';

const PATH = '/v1/collect_requests/{collectRequestId}';

/** The rounds in which recipients are asked where the money goes. */
export const COLLECT_REQUESTS = {
  listCollectRequests: {
    method: 'GET',
    path: '/v1/collect_requests',
    tag: 'Payments',
    summary: 'List collect requests',
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
    summary: 'Read a collect request',
    description: 'One round of asking a recipient. Foreign and absent ones are answered alike.',
    access: permission('payments:read'),
    params: CollectRequestPath,
    response: CollectRequest,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable'],
  },
} as const satisfies Record<string, Operation>;
