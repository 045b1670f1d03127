import { defined } from '@fairway/values';
import type { PublishedEventsOfRecipient } from '@fairway/store';
import { registeredBody } from './registeredBody.ts';
import { type Change, previousOf } from '../../platform/events/change.ts';

/** The published events of a registered recipient. They show it as the API does at that time, with its warnings. */
export const publishedEventsOfRecipient: PublishedEventsOfRecipient = (type, before, after, atMs) => {
  const object = registeredBody(after, atMs);
  const old = before && previousOf(registeredBody(before, atMs), object);
  const data: Change = { object, ...defined({ previous: old }) };
  return [{ type, subject: { type: 'recipient', id: after.registered.recipientId }, data: { data } }];
};
