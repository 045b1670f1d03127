import { defined } from '@fairway/plan';
import type { SavedNewsOf } from '@fairway/store';
import { savedBody } from '../http/savedBody.ts';
import { type Change, previousOf } from './change.ts';

/** The published events of a saved recipient. They show it as the API does at that time, with its warnings. */
export const recipientNews: SavedNewsOf = (type, before, after, atMs) => {
  const object = savedBody(after, atMs);
  const old = before && previousOf(savedBody(before, atMs), object);
  const data: Change = { object, ...defined({ previous: old }) };
  return [{ type, subject: { type: 'recipient', id: after.saved.recipientId }, data: { data } }];
};
