import type { Likeness } from '@fairway/recipients';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type AskedChange, type ChangedRecipient, changeRegistered } from './changeRegistered.ts';
import {
  type CreatedRecipient,
  createRegistered,
  findByReference,
  type ReferredRecipient,
  type RegisteredCreation,
} from './createRegistered.ts';
import { type ErasedRecipient, type ErasureOrder, eraseRegistered } from './eraseRegistered.ts';
import { likenessOfDetails } from './likeness.ts';
import {
  type ListedRecipients,
  type ListedVersions,
  listRegistered,
  listVersions,
  type RegisteredFilter,
  type RegisteredPage,
} from './listRegistered.ts';
import { type ReadRegistered, readRegistered, revealRegistered } from './readRegistered.ts';
import type { RegisteredParts } from './registeredParts.ts';
import { findRegistered, type KeptRecipient } from './registeredRows.ts';

/**
 * Operations on registered recipients. A scope sees its own alone: an id of another scope is answered like an id that does
 * not exist.
 */
export type RegisteredRecipients = {
  /** Keeps a new recipient. Throws when there is no key to seal its details with. */
  createRecipient(
    scope: PlanScope,
    creation: RegisteredCreation,
    context: CommandContext,
  ): Promise<CreatedRecipient>;
  /** The recipient that a reference was used for. */
  findRecipientByReference(
    scope: PlanScope,
    clientReference: string,
  ): Promise<{ found: ReferredRecipient | undefined }>;
  /** A recipient as it is. */
  loadRecipient(scope: PlanScope, recipientId: string): Promise<{ found: KeptRecipient | undefined }>;
  /** Recipients that match the filter, newest first, in pages. */
  listRecipients(scope: PlanScope, filter: RegisteredFilter, page: RegisteredPage): Promise<ListedRecipients>;
  /** The versions of a recipient, newest first, in pages. */
  listVersions(
    scope: PlanScope,
    recipientId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<ListedVersions>;
  /** Changes a recipient. */
  changeRecipient(
    scope: PlanScope,
    recipientId: string,
    change: AskedChange,
    context: CommandContext,
  ): Promise<ChangedRecipient>;
  /** Destroys the full details of a recipient and of its plans, all of them or none. */
  eraseRecipient(
    scope: PlanScope,
    recipientId: string,
    order: ErasureOrder,
    atMs: number,
  ): Promise<ErasedRecipient>;
  /** The full details for a person. The record of who saw them is written before they are answered. */
  revealRegistered(scope: PlanScope, recipientId: string, context: CommandContext): Promise<ReadRegistered>;
  /** The full details for the service's own use, without a record. */
  readRegistered(scope: PlanScope, recipientId: string): Promise<ReadRegistered>;
  /** What details that are not kept resemble. `address`: that of a wallet. */
  likenessOf(
    scope: PlanScope,
    details: { readonly fingerprint: Buffer; readonly address?: string | undefined },
  ): Promise<{ likeness: Likeness }>;
};

/** Binds the operations. */
export function createRegisteredRecipients(parts: RegisteredParts): RegisteredRecipients {
  const { database } = parts;
  return {
    createRecipient: (scope, creation, context) => createRegistered(parts, scope, creation, context),
    findRecipientByReference: (scope, clientReference) => findByReference(parts, scope, clientReference),
    loadRecipient: async (scope, recipientId) => ({
      found: await findRegistered(database, scope, recipientId),
    }),
    listRecipients: (scope, filter, page) => listRegistered(database, scope, filter, page),
    listVersions: (scope, recipientId, page) => listVersions(database, scope, recipientId, page),
    changeRecipient: (scope, recipientId, change, context) =>
      changeRegistered(parts, scope, recipientId, change, context),
    eraseRecipient: (scope, recipientId, order, atMs) =>
      eraseRegistered(parts, scope, recipientId, order, atMs),
    revealRegistered: (scope, recipientId, context) => revealRegistered(parts, scope, recipientId, context),
    readRegistered: (scope, recipientId) => readRegistered(parts, scope, recipientId),
    likenessOf: (scope, details) => likenessOfDetails(database, scope, details),
  };
}
