import { type Operation, permission } from '../operation.ts';
import { OPERATIONS } from '../operations/operations.ts';
import { WEBHOOKS } from '../operations/webhookOperations.ts';
import { NodeEventList, NodeEventListQuery, NodeEventStreamQuery } from './events.ts';

type NotificationId = keyof typeof WEBHOOKS | 'listEvents' | 'streamEvents';

/** The same operation of a node: below /relay, for its operators. */
function atNode(operation: Operation): Operation {
  const { method, path } = operation;
  return {
    ...operation,
    path: path.replace('/v1/', '/relay/'),
    access: permission(method === 'GET' ? 'relay:read' : 'relay:operate'),
  };
}

const { listEvents, streamEvents } = OPERATIONS;

/** Events of a node, and its webhook endpoints: the operations of the service, below /relay. */
export const NOTIFICATIONS: Readonly<Record<NotificationId, Operation>> = {
  ...(Object.fromEntries(
    Object.entries<Operation>(WEBHOOKS).map(([id, operation]) => [id, atNode(operation)]),
  ) as Record<keyof typeof WEBHOOKS, Operation>),
  listEvents: {
    ...atNode(listEvents),
    description:
      'What became of transactions, and what is wrong with relayers, oldest first. Events are kept for 30 days. Ask again with nextCursor: no event is passed over, and none comes twice.',
    query: NodeEventListQuery,
    response: NodeEventList,
  },
  streamEvents: {
    ...atNode(streamEvents),
    description: 'The events of GET /relay/events as they happen. Connect again with Last-Event-ID.',
    query: NodeEventStreamQuery,
  },
};
