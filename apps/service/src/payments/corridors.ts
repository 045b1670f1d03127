import { toAddress } from '@fairway/engine';
import { type Corridor, type Mode, type Recipient, type RecipientType, recipientTypesOf } from '@fairway/plan';
import type { FieldError, Corridor as WireCorridor } from '@fairway/wire';
import { NATIVE_ADDRESSES } from '@fairway/wire';
import type { ChainService } from '../http/deps.ts';
import { eip55 } from '../http/eip55.ts';
import { createRecipientReader } from '../recipients/recipientReader.ts';

/** The corridors of this deployment. */
export type Corridors = {
  find(id: string): Corridor | undefined;
  /** As the API lists them: those that take plans, or all. */
  list(which: 'ACTIVE' | 'ALL'): readonly WireCorridor[];
  /** The JSON Schema of a kind of recipient; undefined where the corridor does not take it. */
  requirements(corridor: Corridor, type: RecipientType): object | undefined;
  /** Reads a recipient against that schema. */
  readRecipient(corridor: Corridor, type: RecipientType, given: unknown): RecipientReading;
};

/** A recipient, or everything wrong with it; never with its values. */
export type RecipientReading =
  | { readonly ok: true; readonly recipient: Recipient }
  | { readonly ok: false; readonly errors: readonly FieldError[] };
