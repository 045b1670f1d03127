import type { Catalogue } from '@fairway/notifications';
import { NODE_EVENT_TYPES, NODE_SUBJECT_ID_PATTERN } from '@fairway/wire';
import { NODE_SCOPE } from '../../platform/database/published.ts';

/** What a node publishes. All its callers see the same. */
export const NODE_CATALOGUE: Catalogue = {
  root: '/relay',
  types: NODE_EVENT_TYPES,
  subjectIds: {
    pattern: new RegExp(NODE_SUBJECT_ID_PATTERN),
    must: 'the id of a subject, such as subject.id of an event: of a transaction, a relayer or a webhook endpoint',
  },
  readAnew: 'Read the relayers and transactions (GET /relay/relayers, GET /relay/transactions)',
  readerOf: () => undefined,
  scopeOf: () => NODE_SCOPE,
};
