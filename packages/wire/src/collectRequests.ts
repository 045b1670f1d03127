import { type Static, Type } from 'typebox';
import { Timestamp, TxHash, wordOf } from './fields.ts';
import { Hold } from './holds.ts';
import { Failure } from './payments.ts';
import { RecipientView } from './recipients.ts';
import { pageOf, pageQuery } from './pages.ts';

/** The statuses of a round of asking a recipient. */
export const COLLECT_REQUEST_STATUSES = [
  'WAITING',
  'SENT',
  'OPENED',
  'SUBMITTED',
  'DELIVERED',
  'FAILED',
  'RETURNED',
  'EXPIRED',
  'CANCELLED',
] as const;

const CollectRequestStatus = wordOf(COLLECT_REQUEST_STATUSES, {
  description:
    'WAITING until the mail server has accepted the e-mail, then SENT, OPENED and SUBMITTED. EXPIRED or CANCELLED when nothing was chosen. DELIVERED, FAILED or RETURNED once the payment has come so far.',
});

/** Path parameter of the operations on a collect request. */
export const CollectRequestPath = Type.Object({ collectRequestId: Type.String() });

/** A round of asking the recipient of a plan where the money goes, as it is told. */
export const PublishedCollectRequest = Type.Object(
  {
    collectRequestId: Type.String({
      description: 'Unique identifier of a round of asking a recipient.',
      examples: ['clr_0199a6f200007abc8def0123456789ab00000001'],
    }),
    planId: Type.String(),
    clientReference: Type.String({ description: "The plan's." }),
    round: Type.Integer({
      minimum: 1,
      description:
        'A new one begins after a delivery that failed or came back, or after a swap was taken back.',
    }),
    status: CollectRequestStatus,
    linkVersion: Type.Integer({ minimum: 0, description: 'The newest link of the round.' }),
    mail: Type.Optional(
      wordOf(['QUEUED', 'ACCEPTED', 'BOUNCED'], { description: 'The e-mail with the newest link.' }),
    ),
    expiresAt: Type.Optional({ ...Timestamp, description: 'When the newest link ends.' }),
    openedAt: Type.Optional(Timestamp),
    requestedAt: Type.Optional({
      ...Timestamp,
      description:
        'When the recipient asked for a new link last, because one had ended. It is noted once a day.',
    }),
    recipient: Type.Optional({
      ...RecipientView,
      description: 'Who is asked, masked. Absent in rounds that are over.',
    }),
    destination: Type.Optional({ ...RecipientView, description: 'What the recipient chose, masked.' }),
    submittedAt: Type.Optional(Timestamp),
    delivery: Type.Optional(
      Type.Object(
        {
          status: wordOf(['PENDING', 'SENT', 'DELIVERED', 'FAILED', 'RETURNED'], {
            description: 'PENDING until the first report.',
          }),
          providerReference: Type.Optional(Type.String()),
          txHash: Type.Optional(TxHash),
          failure: Type.Optional(Failure),
          hold: Type.Optional(Hold),
        },
        { description: 'How the destination is paid. The plan shows more of it.' },
      ),
    ),
  },
  { description: 'A round of asking the recipient of a plan where the money goes.' },
);

export type PublishedCollectRequest = Static<typeof PublishedCollectRequest>;

/** A round of asking the recipient of a plan where the money goes. */
export const CollectRequest = Type.Object(
  {
    ...PublishedCollectRequest.properties,
    createdAt: { ...Timestamp, description: 'When the first link of the round was made. Events lack it.' },
  },
  { description: 'A round of asking the recipient of a plan where the money goes.' },
);
export type CollectRequest = Static<typeof CollectRequest>;

/** Query of GET /v1/collect_requests. */
export const CollectRequestsQuery = Type.Object(
  {
    status: Type.Optional(CollectRequestStatus),
    planId: Type.Optional(Type.String({ maxLength: 64 })),
    recipientId: Type.Optional(
      Type.String({ maxLength: 64, description: 'The registered recipient that the plan was made of.' }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: 254,
        description:
          'The address that the newest link of the round went to, whatever name and language it had. Compared by a keyed fingerprint; URLs end up in the logs of proxies, so ask by planId where you can.',
      }),
    ),
    createdFrom: Type.Optional({ ...Timestamp, description: 'Included.' }),
    createdTo: Type.Optional({ ...Timestamp, description: 'Not included.' }),
    ...pageQuery('collect requests'),
  },
  { additionalProperties: false },
);

/** Response of GET /v1/collect_requests. */
export const CollectRequestList = pageOf(CollectRequest, 'Newest first.', 'A page of collect requests.');
export type CollectRequestList = Static<typeof CollectRequestList>;
