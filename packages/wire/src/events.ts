import { type Static, Type } from 'typebox';
import type { Permission } from './permissions.ts';
import { BlockHash, ChainId, Timestamp, TxHash, Verification, wordOf } from './fields.ts';
import { pageLimit } from './pages.ts';

/** The types of events. */
export const EVENT_TYPES = [
  'payment_plan.created',
  'payment_plan.updated',
  'payment_plan.completed',
  'payment_plan.failed',
  'payment_plan.expired',
  'payment_plan.cancelled',
  'payment_plan.returned',
  'payment_plan.closed',
  'payment_plan.unallocated',
  'payment_plan.step.ready',
  'payment_plan.step.done',
  'payment_plan.step.failed',
  'payment_plan.step.held',
  'collect_request.created',
  'collect_request.updated',
  'collect_request.sent',
  'collect_request.bounced',
  'collect_request.opened',
  'collect_request.link_requested',
  'collect_request.submitted',
  'collect_request.delivered',
  'collect_request.failed',
  'collect_request.expired',
  'collect_request.cancelled',
  'collect_request.reissued',
  'recipient.created',
  'recipient.updated',
  'recipient.approved',
  'recipient.rejected',
  'recipient.deactivated',
  'recipient.erased',
  'webhook_endpoint.updated',
  'webhook_endpoint.failing',
  'webhook_endpoint.recovered',
  'webhook_endpoint.disabled',
  'webhook_endpoint.test',
  'report.updated',
  'report.completed',
  'report.failed',
  'statement.imported',
  'statement_entry.updated',
  'statement_entry.matched',
  'statement_entry.unmatched',
  'statement_entry.ignored',
  'credential.created',
  'credential.rotated',
  'credential.revoked',
  'service.recovered',
] as const satisfies readonly `${SubjectType}.${string}`[];

/** What events can be about: the first word of their type. */
export const SUBJECT_TYPES = [
  'payment_plan',
  'collect_request',
  'recipient',
  'webhook_endpoint',
  'report',
  'statement',
  'statement_entry',
  'credential',
  'service',
] as const;
/** The ids of subjects. Those of collect requests have the number of their round behind that of their plan. */
export const SUBJECT_ID_PATTERN =
  '^(service|(plan|clr|rcp|whe|rep|stm|ent|cred)_[0-9a-f]{32}([0-9a-f]{8})?)$';

/** The kind of a subject. */
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** The permission that reading a subject needs. Those without one are told to whoever reads events. */
export const SUBJECT_READERS: Readonly<Record<SubjectType, Permission | undefined>> = {
  payment_plan: 'payments:read',
  collect_request: 'payments:read',
  recipient: 'recipients:read',
  webhook_endpoint: 'webhooks:read',
  report: 'reports:read',
  statement: 'reports:read',
  statement_entry: 'reports:read',
  credential: undefined,
  service: undefined,
};

/** The transfer that a change rests on, by which a receiver can check it on a node of its own. */
export const EventEvidence = Type.Object(
  {
    chainId: ChainId,
    blockHash: BlockHash,
    txHash: TxHash,
    logIndex: Type.Optional(Type.Integer({ minimum: 0 })),
    verification: Verification,
  },
  { description: 'The transfer that the change rests on: check it on a node of your own.' },
);

/** Something that others are told. */
export const Event = Type.Object(
  {
    id: Type.String({
      description: 'The same for every delivery of this event.',
      examples: [`evt_${'0'.repeat(32)}`],
    }),
    type: wordOf(EVENT_TYPES, { description: 'What happened.' }),
    timestamp: Timestamp,
    apiVersion: Type.Literal('v1'),
    environment: wordOf(['sandbox', 'production'], { description: 'Where it happened.' }),
    subject: Type.Object(
      {
        type: wordOf(SUBJECT_TYPES, { description: 'What it is about.' }),
        id: Type.String(),
      },
      { description: 'What the event is about. Events of steps have the plan as their subject.' },
    ),
    sequence: Type.Integer({
      minimum: 1,
      description:
        'Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events.',
    }),
    stepId: Type.Optional(Type.String({ description: 'The step, for events of steps.' })),
    evidence: Type.Optional(EventEvidence),
    data: Type.Object(
      {
        object: Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              'The subject as the change left it, masked: the plan, the round of asking its recipient, the registered recipient, the webhook endpoint, or the credential. Also the report, the statement or its entry. A plan has no instructions, and only the last three attempts.',
          },
        ),
        previous: Type.Optional(
          Type.Object(
            {},
            {
              additionalProperties: true,
              description: 'The members of the object that changed, as they were before.',
            },
          ),
        ),
      },
      {
        description:
          'What it is about, as it was then. Empty, and without stepId and evidence, for a credential without the permission to read it.',
      },
    ),
  },
  { description: 'Something that happened.' },
);
export type Event = Static<typeof Event>;

/** Which events are read. */
const WHICH = {
  after: Type.Optional(
    Type.String({
      description:
        'nextCursor of the page before, the id of an event, or now for what happens from now on. Absent: from the oldest event that is kept.',
    }),
  ),
  type: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Types, separated by commas. payment_plan.* is every type that begins so.',
      examples: ['payment_plan.completed,collect_request.*'],
    }),
  ),
  subject: Type.Optional(
    Type.String({
      pattern: SUBJECT_ID_PATTERN,
      maxLength: 64,
      description:
        'The id of a plan, a collect request, a registered recipient, a webhook endpoint, a report, a statement, an entry of a statement, or a credential. The word service stands for events of the whole service.',
      examples: [`plan_${'0'.repeat(32)}`],
    }),
  ),
} as const;

/** Query of GET /v1/events. */
export const EventListQuery = Type.Object(
  {
    ...WHICH,
    limit: pageLimit('events'),
  },
  { additionalProperties: false },
);

/** Query of GET /v1/events/stream. */
export const EventStreamQuery = Type.Object(
  {
    ...WHICH,
    after: { ...WHICH.after, examples: ['now'] },
    resends: Type.Optional(
      Type.Boolean({
        description:
          'true: also events that POST /v1/events/{eventId}/resend without endpointId asks for again while the stream is open. They come as event: resent, without an id.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Response of GET /v1/events/stream. */
export const EventStream = Type.String({
  description:
    'Server-sent events. data: an event as JSON, as GET /v1/events has it. id: the cursor behind it. event: the word resent, without an id, for an event that was asked for again. Where nothing happens, a comment and the present id every 15 seconds.',
  examples: [
    'id: UGVz\ndata: {"id":"evt_0197e0a27c3f7d1e9a4b5c6d7e8f9a0b","type":"payment_plan.completed","sequence":9}\n\n',
  ],
});
