import { type Static, Type } from 'typebox';
import { EventListQuery, EventStreamQuery } from '../events.ts';
import { ChainId, EvmAddress, Timestamp, wordOf } from '../fields.ts';
import { WebhookEndpoint } from '../webhooks.ts';
import { Receipt } from './executions.ts';
import { DisabledReason } from './relay.ts';

/** The types of events of a node, and when each happens. */
export const NODE_EVENT_MEANINGS = {
  'relay.transaction.broadcast': 'It was given to the nodes, or a reorganisation took it out of its block.',
  'relay.transaction.mined': 'It is in a block that may still be replaced, or in another block than before.',
  'relay.transaction.confirmed': 'It was executed, for good.',
  'relay.transaction.reverted': 'It was executed without effect, for good.',
  'relay.transaction.cancelled': 'It cannot be executed any more.',
  'relay.transaction.expired': 'Its time was over before it was signed.',
  'relay.transaction.rejected': 'The policy refused it before it was signed.',
  'relay.relayer.low_balance': 'It has less than one more execution may cost: fund it.',
  'relay.relayer.stuck': 'Its next nonce has waited for its block for too long.',
  'relay.relayer.disabled': 'It binds nothing until an operator has reconciled it.',
  'relay.relayer.recovered': 'One of the three has ended.',
  'webhook_endpoint.updated': 'An endpoint was made or has changed.',
  'webhook_endpoint.failing': 'An endpoint has had no success for an hour.',
  'webhook_endpoint.recovered': 'An endpoint that was failing has a success again.',
  'webhook_endpoint.disabled': 'An endpoint gets nothing more.',
  'webhook_endpoint.test': 'An endpoint is tried.',
} as const;
/** A type of events of a node. */
export type NodeEventType = keyof typeof NODE_EVENT_MEANINGS;
/** Every type of events of a node. */
export const NODE_EVENT_TYPES = Object.keys(NODE_EVENT_MEANINGS) as NodeEventType[];

/** What an id of a subject looks like. */
export const NODE_SUBJECT_ID_PATTERN = '^[A-Za-z0-9._:-]{1,128}$';

const { confirmations: _, gasUsed: __, effectiveGasPrice: ___, ...KEPT_RECEIPT } = Receipt.properties;

/** A transaction as events tell of it. */
export const PublishedTransaction = Type.Object(
  {
    ...KEPT_RECEIPT,
    executionId: Type.String(),
    relayerId: Type.String(),
    planId: Type.Optional(Type.String({ description: 'The payment plan that it is executed for.' })),
  },
  { description: 'An instruction as it was then.' },
);
export type PublishedTransaction = Static<typeof PublishedTransaction>;

/** A relayer as events tell of it. */
export const PublishedRelayer = Type.Object(
  {
    relayerId: Type.String(),
    chainId: ChainId,
    address: EvmAddress,
    nextNonce: Type.Integer({ minimum: 0 }),
    paused: Type.Boolean(),
    disabledReason: Type.Optional(DisabledReason),
    lowBalance: Type.Boolean(),
    stuckNonce: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { description: 'A relayer as it was then.' },
);
export type PublishedRelayer = Static<typeof PublishedRelayer>;

/** Something that a node has done, or that is wrong with it. */
export const NodeEvent = Type.Object(
  {
    id: Type.String({ description: 'The same for every delivery of this event.' }),
    type: wordOf(NODE_EVENT_TYPES, { description: 'What happened.' }),
    timestamp: Timestamp,
    apiVersion: Type.Literal('v1'),
    environment: wordOf(['sandbox', 'production'], { description: 'Where it happened.' }),
    subject: Type.Object(
      {
        type: wordOf(['relay_transaction', 'relayer', 'webhook_endpoint'], {
          description: 'What it is about.',
        }),
        id: Type.String(),
      },
      { description: 'What the event is about.' },
    ),
    sequence: Type.Integer({
      minimum: 1,
      description:
        'Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject.',
    }),
    data: Type.Object(
      { object: Type.Union([PublishedTransaction, PublishedRelayer, WebhookEndpoint]) },
      { description: 'The subject as it was then.' },
    ),
  },
  { description: 'Something that a node has done, or that is wrong with it.' },
);
export type NodeEvent = Static<typeof NodeEvent>;

/** Response of GET /relay/events. */
export const NodeEventList = Type.Object({
  data: Type.Array(NodeEvent, { description: 'Oldest first.' }),
  nextCursor: Type.String({ description: 'Ask with after=nextCursor for later events.' }),
});

const NodeSubject = Type.Optional(
  Type.String({
    pattern: NODE_SUBJECT_ID_PATTERN,
    description: 'The id of a transaction, a relayer or a webhook endpoint.',
  }),
);
const NodeTypes = Type.Optional(
  Type.String({
    maxLength: 500,
    description: 'Types, separated by commas. relay.transaction.* is every type that begins so.',
    examples: ['relay.transaction.confirmed,relay.relayer.*'],
  }),
);

/** Query of GET /relay/events. */
export const NodeEventListQuery = Type.Object(
  { ...EventListQuery.properties, type: NodeTypes, subject: NodeSubject },
  { additionalProperties: false },
);

/** Query of GET /relay/events/stream. */
export const NodeEventStreamQuery = Type.Object(
  { ...EventStreamQuery.properties, type: NodeTypes, subject: NodeSubject },
  { additionalProperties: false },
);
