import { actingOf } from '@fairway/api';
import type { Catalogue } from '@fairway/notifications';
import { EVENT_TYPES, SUBJECT_ID_PATTERN, SUBJECT_READERS, type SubjectType } from '@fairway/wire';

/** What the service publishes. Each organisation sees its own. */
export const CATALOGUE: Catalogue = {
  root: '/v1',
  types: EVENT_TYPES,
  subjectIds: {
    pattern: new RegExp(SUBJECT_ID_PATTERN),
    must: 'the id of a subject, such as subject.id of an event: plan_, clr_, rcp_, whe_, rep_, stm_, ent_ or cred_ and hex digits, or service. Events of steps have the plan as their subject',
  },
  readAnew: 'Read the plans that concern you (GET /v1/payments)',
  readerOf: (subjectType) => SUBJECT_READERS[subjectType as SubjectType],
  scopeOf: (call) => actingOf(call).scope,
};
