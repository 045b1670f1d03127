import type { Likeness } from '@fairway/recipients';
import type { Deed } from '../plans/deed.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type AskedChange, type ChangedRecipient, changeSaved } from './changeSaved.ts';
import {
  type CreatedRecipient,
  createSaved,
  findByReference,
  type ReferredRecipient,
  type SavedCreation,
} from './createSaved.ts';
import { type ErasedRecipient, type ErasureOrder, eraseSaved } from './eraseSaved.ts';
import { likenessOfDetails } from './likeness.ts';
import {
  type ListedRecipients,
  type ListedVersions,
  listSaved,
  listVersions,
  type SavedFilter,
  type SavedPage,
} from './listSaved.ts';
import { type ReadSaved, readSaved, revealSaved } from './readSaved.ts';
import type { SavedParts } from './savedParts.ts';
import { findSaved, type KeptRecipient } from './savedRows.ts';

/**
 * Operations on saved recipients. A scope sees its own alone: an id of another scope is answered like an id that does
 * not exist.
 */
export type SavedRecipients = {
  /** Keeps a new recipient. Throws when there is no key to seal its details with. */
  createRecipient(scope: PlanScope, creation: SavedCreation, deed: Deed): Promise<CreatedRecipient>;
  /** The recipient that a reference was used for. */
  findRecipientByReference(
    scope: PlanScope,
    clientReference: string,
  ): Promise<{ found: ReferredRecipient | undefined }>;
  /** A recipient as it is. */
  loadRecipient(scope: PlanScope, recipientId: string): Promise<{ found: KeptRecipient | undefined }>;
  /** Recipients that match the filter, newest first, in pages. */
  listRecipients(scope: PlanScope, filter: SavedFilter, page: SavedPage): Promise<ListedRecipients>;
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
    deed: Deed,
  ): Promise<ChangedRecipient>;
  /** Destroys the full details of a recipient and of its plans, all of them or none. */
  eraseRecipient(
    scope: PlanScope,
    recipientId: string,
    order: ErasureOrder,
    atMs: number,
  ): Promise<ErasedRecipient>;
  /** The full details for a person. The record of who saw them is written before they are answered. */
  revealSaved(scope: PlanScope, recipientId: string, deed: Deed): Promise<ReadSaved>;
  /** The full details for the service's own use, without a record. */
  readSaved(scope: PlanScope, recipientId: string): Promise<ReadSaved>;
  /** What details that are not kept resemble. `address`: that of a wallet. */
  likenessOf(
    scope: PlanScope,
    details: { readonly fingerprint: Buffer; readonly address?: string | undefined },
  ): Promise<{ likeness: Likeness }>;
};

/** Binds the operations. */
export function createSavedRecipients(parts: SavedParts): SavedRecipients {
  const { database } = parts;
  return {
    createRecipient: (scope, creation, deed) => createSaved(parts, scope, creation, deed),
    findRecipientByReference: (scope, clientReference) => findByReference(parts, scope, clientReference),
    loadRecipient: async (scope, recipientId) => ({
      found: await findSaved(database, scope, recipientId),
    }),
    listRecipients: (scope, filter, page) => listSaved(database, scope, filter, page),
    listVersions: (scope, recipientId, page) => listVersions(database, scope, recipientId, page),
    changeRecipient: (scope, recipientId, change, deed) =>
      changeSaved(parts, scope, recipientId, change, deed),
    eraseRecipient: (scope, recipientId, order, atMs) => eraseSaved(parts, scope, recipientId, order, atMs),
    revealSaved: (scope, recipientId, deed) => revealSaved(parts, scope, recipientId, deed),
    readSaved: (scope, recipientId) => readSaved(parts, scope, recipientId),
    likenessOf: (scope, details) => likenessOfDetails(database, scope, details),
  };
}
