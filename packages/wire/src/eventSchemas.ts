import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { PublishedCollectRequest } from './collectRequests.ts';
import { EVENT_TYPES, Event, type SubjectType } from './events.ts';
import { Timestamp, wordOf } from './fields.ts';
import { Credential } from './credentials.ts';
import { PaymentPlan } from './payments.ts';
import { Report } from './reports.ts';
import { RegisteredRecipient } from './registeredRecipients.ts';
import { Statement, StatementEntry } from './statements.ts';
import { WebhookEndpoint } from './webhooks.ts';

type EventType = (typeof EVENT_TYPES)[number];

/** When an event of each type happens. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'payment_plan.created': 'A plan is made.',
  'payment_plan.updated': 'Something of the plan has changed. It comes first for every change.',
  'payment_plan.completed': 'The recipient has the money.',
  'payment_plan.failed': 'A step of the plan has failed.',
  'payment_plan.expired': 'No money came in time.',
  'payment_plan.cancelled': 'The plan was ended before any money came.',
  'payment_plan.returned': 'The payment came back.',
  'payment_plan.closed': 'A person has ended the plan, or what was left of one that had ended.',
  'payment_plan.unallocated':
    'There is more money than before that the plan has no use for: see money.unexplained.',
  'payment_plan.step.ready': 'A step is to be carried out.',
  'payment_plan.step.done': 'A step is done.',
  'payment_plan.step.failed': 'A step has failed.',
  'payment_plan.step.held':
    'The custodian holds the payment back, or holds it for something else than before.',
  'collect_request.created': 'The recipient gets a link to say where the money goes.',
  'collect_request.updated': 'The link was sent again, or to another address.',
  'collect_request.sent': 'The mail server has accepted the e-mail with the link.',
  'collect_request.bounced': 'The mail server has refused the e-mail with the link.',
  'collect_request.opened': 'The link was opened.',
  'collect_request.link_requested':
    'The recipient of a link that has ended, or that has no more codes, asks for a new one. Nobody is e-mailed.',
  'collect_request.submitted': 'The recipient has chosen.',
  'collect_request.delivered': 'The recipient has the money.',
  'collect_request.failed': 'The money could not be delivered.',
  'collect_request.expired': 'The link has expired.',
  'collect_request.cancelled': 'The link has ended with its plan.',
  'collect_request.reissued': 'A link was made again after its end.',
  'recipient.created': 'A recipient is registered.',
  'recipient.updated': 'Its label, metadata or details have changed, or the check of the payee.',
  'recipient.approved': 'A second person has approved its details.',
  'recipient.rejected': 'A second person has rejected its details.',
  'recipient.deactivated': 'It is taken from use.',
  'recipient.erased': 'Its full details are destroyed.',
  'webhook_endpoint.updated': 'An endpoint was made or has changed.',
  'webhook_endpoint.failing': 'An endpoint has had no success for an hour.',
  'webhook_endpoint.recovered': 'An endpoint that was failing has a success again.',
  'webhook_endpoint.disabled': 'An endpoint gets nothing more.',
  'webhook_endpoint.test': 'An endpoint is tried.',
  'report.updated': 'A report was asked for.',
  'report.completed': 'The file of a report can be downloaded.',
  'report.failed': 'A report has no file.',
  'statement.imported': 'A statement was imported. Its entries are told of when they change.',
  'statement_entry.updated':
    'Another file tells more of an entry, so that it may be open again, or it may be other movements than before.',
  'statement_entry.matched': 'An entry is movements of the ledger, for certain or as a person says.',
  'statement_entry.unmatched': 'A person has taken back what an entry was.',
  'statement_entry.ignored':
    'A person has said that an entry is no movement, or its file was read again with another map.',
  'credential.created': 'A credential is made.',
  'credential.rotated': 'A credential has a new password.',
  'credential.revoked': 'A credential is ended.',
  'service.recovered':
    'The database was put back to an earlier moment: what came after it may be told again.',
};

/** An object of which a long event may lack members: all but the named ones are optional. */
function shortenable({ properties }: TObject, kept: readonly string[], described: string): TObject {
  const members = Object.entries(properties).map(
    ([name, member]) => [name, kept.includes(name) ? member : Type.Optional(member)] as const,
  );
  return Type.Object(Object.fromEntries(members), { description: described });
}

/** What the service itself is told about. */
const Restore = Type.Object(
  {
    since: { ...Timestamp, description: 'The moment of the backup: what came later may be told again.' },
    markedAt: { ...Timestamp, description: 'When the operator ran fairway recover.' },
  },
  { description: 'A restore of the database.' },
);

/** What an event has as data.object, by the type of its subject. */
const OBJECTS: Readonly<Record<SubjectType, TSchema>> = {
  payment_plan: shortenable(
    PaymentPlan,
    ['planId', 'clientReference', 'status'],
    'The plan, masked, without instructions and with the last three attempts of each step. An event longer than 20 kB lacks the quote, then older members of lists, then all but the head.',
  ),
  collect_request: shortenable(
    PublishedCollectRequest,
    ['collectRequestId', 'planId', 'round', 'status'],
    'The round, masked.',
  ),
  recipient: RegisteredRecipient,
  webhook_endpoint: WebhookEndpoint,
  report: Report,
  statement: Statement,
  statement_entry: StatementEntry,
  credential: Credential,
  service: Restore,
};

function eventOf(subjectType: SubjectType, described: string): TObject {
  const { type: _type, subject, data, ...members } = Event.properties;
  const types = EVENT_TYPES.filter((each) => subjectOf(each) === subjectType);
  return Type.Object(
    {
      ...members,
      type: wordOf(types, { description: 'What happened.' }),
      subject: Type.Object({ ...subject.properties, type: Type.Literal(subjectType) }),
      data: Type.Object({ ...data.properties, object: OBJECTS[subjectType] }),
    },
    { description: described },
  );
}

/** The events about each kind of subject. */
export const EVENTS_OF: Readonly<Record<SubjectType, TObject>> = {
  payment_plan: eventOf(
    'payment_plan',
    'An event of a plan: as the change left it, without instructions. A long one lacks members.',
  ),
  collect_request: eventOf('collect_request', 'An event of a round of asking a recipient.'),
  recipient: eventOf('recipient', 'An event of a registered recipient.'),
  webhook_endpoint: eventOf('webhook_endpoint', 'An event of a webhook endpoint.'),
  report: eventOf('report', 'An event of a report.'),
  statement: eventOf('statement', 'An event of a statement of an account.'),
  statement_entry: eventOf(
    'statement_entry',
    'An event of an entry of a statement, without the movements of the ledger.',
  ),
  credential: eventOf('credential', 'An event of a credential.'),
  service: eventOf('service', 'An event of the service itself.'),
};

/**
 * The subject of the events of a type: the word before its first dot.
 *
 * @example
 * ```ts
 * import { subjectOf } from '@fairway/wire';
 *
 * const subject = subjectOf('payment_plan.step.done'); // 'payment_plan'
 * ```
 */
export function subjectOf(type: EventType): SubjectType {
  return type.slice(0, type.indexOf('.')) as SubjectType;
}

/** An event of any type; `type` tells them apart. */
export const AnyEvent = Type.Unsafe<Event>({
  description: 'Something that happened: type says what, and so what data.object is.',
  oneOf: Object.values(EVENTS_OF),
});

/** Response of GET /v1/events. */
export const EventList = Type.Object(
  {
    data: Type.Array(AnyEvent, { description: 'Oldest first.' }),
    nextCursor: Type.String({
      description: 'Always there: ask again with it for what has happened since.',
    }),
  },
  { description: 'A page of events.' },
);
export type EventList = Static<typeof EventList>;
