import type { KeptRecipient, KeptVersion, PlanScope, RegisteredFilter } from '@fairway/store';
import { RECIPIENT_ID_PATTERN } from '@fairway/wire';
import type { Recipient } from '@fairway/plan';
import {
  KEY_AWAY,
  type Acting,
  done,
  type ListPart,
  type ListPartAsk,
  type Outcome,
  refuse,
} from '@fairway/api';
import { contextOf, type PaymentParts } from '../payments/index.ts';
import { NO_SUCH_RECIPIENT, REGISTERED_ERASED } from './registeredProblems.ts';

/** The form of a registered recipient's id. */
export const RECIPIENT_ID: RegExp = new RegExp(RECIPIENT_ID_PATTERN);

/** The registered recipient with an id. */
export async function findRecipient(
  { store }: PaymentParts,
  scope: PlanScope,
  recipientId: string,
): Promise<Outcome<KeptRecipient>> {
  if (!RECIPIENT_ID.test(recipientId)) return refuse(NO_SUCH_RECIPIENT);
  const loaded = await store.recipients.loadRecipient(scope, recipientId);
  return loaded.found === undefined ? refuse(NO_SUCH_RECIPIENT) : done(loaded.found);
}

/** Registered recipients of a scope, newest first. `after`: the id of one. */
export async function listRecipients(
  { store }: PaymentParts,
  scope: PlanScope,
  filter: RegisteredFilter,
  page: ListPartAsk,
): Promise<Outcome<ListPart<KeptRecipient>>> {
  const listed = await store.recipients.listRecipients(scope, filter, page);
  return done({ items: listed.kept, next: listed.next });
}

/** The versions of a registered recipient, newest first. `after`: the number of one. */
export async function listVersions(
  { store }: PaymentParts,
  scope: PlanScope,
  recipientId: string,
  { limit, after }: ListPartAsk,
): Promise<Outcome<ListPart<KeptVersion>>> {
  if (!RECIPIENT_ID.test(recipientId)) return refuse(NO_SUCH_RECIPIENT);
  const before = after === undefined ? undefined : Number(after);
  const listed = await store.recipients.listVersions(scope, recipientId, { limit, before });
  if (listed.found === undefined) return refuse(NO_SUCH_RECIPIENT);
  const { versions, next } = listed.found;
  return done({ items: versions, next: next === undefined ? undefined : String(next) });
}

/** The full details of a registered recipient. The request for them is recorded first, with who made it. */
export async function revealRegistered(
  parts: PaymentParts,
  acting: Acting,
  recipientId: string,
): Promise<
  Outcome<{ readonly recipientId: string; readonly version: number; readonly recipient: Recipient }>
> {
  if (!RECIPIENT_ID.test(recipientId)) return refuse(NO_SUCH_RECIPIENT);
  const revealed = await parts.store.recipients.revealRegistered(
    acting.scope,
    recipientId,
    contextOf(parts, acting),
  );
  if (revealed.ok)
    return done({ recipientId, version: revealed.registered.version, recipient: revealed.recipient });
  if (revealed.reason === 'RECIPIENT_UNKNOWN') return refuse(NO_SUCH_RECIPIENT);
  if (revealed.reason === 'DETAILS_ERASED') return refuse(REGISTERED_ERASED);
  return refuse(KEY_AWAY);
}
