import { defined } from '@fairway/values';
import type { PublishedEventsOfStatement } from '@fairway/store';
import { entryBody, statementBody } from './statementBody.ts';
import { type Change, previousOf } from '../../platform/events/change.ts';

/**
 * The published events of bank statements and their entries. They show them as the API does, without the movements of
 * the ledger.
 */
export const publishedEventsOfStatement: PublishedEventsOfStatement = (change) => {
  if (change.type === 'statement.imported') {
    const { statement } = change;
    const object = statementBody(statement);
    return [
      {
        type: change.type,
        subject: { type: 'statement', id: statement.statementId },
        data: { data: { object } },
      },
    ];
  }
  const { type, before, after } = change;
  const object = entryBody(after);
  const data: Change = { object, ...defined({ previous: before && previousOf(entryBody(before), object) }) };
  return [{ type, subject: { type: 'statement_entry', id: after.entryId }, data: { data } }];
};
