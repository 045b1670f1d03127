import type { KeptRecipient, KeptVersion } from '@fairway/store';
import { LIMITS, RECIPIENT_STATUSES, RECIPIENT_TYPES } from '@fairway/wire';
import type { AuditPort } from '../../platform/audit/facts.ts';
import type { ErasureKeeper } from '../../platform/erasures/erasureKeeper.ts';
import {
  actingOf,
  addError,
  type Call,
  cursorField,
  type FieldReader,
  type Fields,
  integerField,
  type ListPartAsk,
  optional,
  pageAnswer,
  referenceField,
  type Door,
  type Registrar,
  revisionTag,
  sealOf,
  textField,
  wordField,
} from '@fairway/api';
import type { PaymentParts } from '../payments/index.ts';
import { deactivateRecipient, editRecipient, judgeDetails, verifyRecipient } from './changeRegistered.ts';
import { eraseRecipient } from './eraseRecipient.ts';
import { findRecipient, listRecipients, listVersions, revealRegistered } from './findRegistered.ts';
import { keepRecipient } from './keepRecipient.ts';
import {
  readJudgedVersion,
  readPayeeCheck,
  readRecipientEdit,
  readRecipientRequest,
  readValidation,
} from './registeredRequests.ts';
import { validateRecipient } from './validateRecipient.ts';
import { erasureOf, registeredRevealOf } from './recipientFacts.ts';
import {
  erasedAnswer,
  registeredAnswer,
  registeredBody,
  validationBody,
  versionBody,
} from './registeredBody.ts';

/** Registers the operations on registered recipients. */
export function registerRecipients(
  { registrar }: Door,
  parts: PaymentParts,
  audit: AuditPort,
  keeper: ErasureKeeper,
): void {
  registerMaking(registrar, parts);
  registerLists(registrar, parts);
  registrar.find('getRecipient', {
    answer: async (_, call) =>
      registeredAnswer(await findRecipient(parts, actingOf(call).scope, recipientIdOf(call)), parts.nowMs()),
  });
  registerChanges(registrar, parts);
  registrar.submit('eraseRecipient', {
    async answer(_, call) {
      const erased = await eraseRecipient(parts, keeper, actingOf(call), recipientIdOf(call));
      audit.record(erasureOf(call, erased));
      return erasedAnswer(erased, keeper.place, parts.nowMs());
    },
  });
  registrar.submit('revealRegisteredRecipient', {
    async answer(_, call) {
      const revealed = await revealRegistered(parts, actingOf(call), recipientIdOf(call));
      audit.record(registeredRevealOf(call, revealed));
      return revealed.ok ? { ok: true, body: revealed.value } : revealed;
    },
  });
}

function recipientIdOf({ params }: Call): string {
  return params['recipientId'] ?? '';
}

/** The operations that take details: to keep them, and to look at them. */
function registerMaking(registrar: Registrar, parts: PaymentParts): void {
  registrar.submit('createRecipient', {
    input: readRecipientRequest,
    async answer(request, call) {
      const made = await keepRecipient(parts, actingOf(call), request);
      if (!made.ok) return made;
      const { kept, isReplayed } = made.value;
      const { recipientId, revision } = kept.registered;
      const headers = {
        etag: revisionTag(revision),
        location: `/v1/recipients/${recipientId}`,
        ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
      };
      return { ok: true, body: registeredBody(kept, parts.nowMs()), headers };
    },
  });
  registrar.submit('validateRecipient', {
    input: readValidation,
    async answer(request, call) {
      const judged = await validateRecipient(parts, actingOf(call).scope, request);
      return judged.ok ? { ok: true, body: validationBody(judged.value) } : judged;
    },
  });
}

/** The operations that change a recipient. */
function registerChanges(registrar: Registrar, parts: PaymentParts): void {
  registrar.submit('changeRecipient', {
    input: readRecipientEdit,
    answer: async (edit, call) =>
      registeredAnswer(await editRecipient(parts, actingOf(call), recipientIdOf(call), edit), parts.nowMs()),
  });
  registrar.submit('deactivateRecipient', {
    answer: async (_, call) =>
      registeredAnswer(await deactivateRecipient(parts, actingOf(call), recipientIdOf(call)), parts.nowMs()),
  });
  for (const [id, type] of [
    ['approveRecipient', 'APPROVED'],
    ['rejectRecipient', 'REJECTED'],
  ] as const)
    registrar.submit(id, {
      input: readJudgedVersion,
      answer: async ({ version }, call) =>
        registeredAnswer(
          await judgeDetails(parts, actingOf(call), recipientIdOf(call), { type, version }),
          parts.nowMs(),
        ),
    });
  registrar.submit('verifyRecipient', {
    input: (fields) => readPayeeCheck(fields, parts.nowMs()),
    answer: async (check, call) =>
      registeredAnswer(
        await verifyRecipient(parts, actingOf(call), recipientIdOf(call), check),
        parts.nowMs(),
      ),
  });
}

function registerLists(registrar: Registrar, parts: PaymentParts): void {
  registrar.page('listRecipients', {
    input: readRecipientList,
    answer({ filter, page, seal }, call) {
      const { scope } = actingOf(call);
      return pageAnswer<KeptRecipient>(page, {
        seal,
        read: (ask) => listRecipients(parts, scope, filter, ask),
        bodyOf: (kept) => registeredBody(kept, parts.nowMs()),
        placeOf: ({ registered }) => registered.recipientId,
      });
    },
  });
  registrar.page('listRecipientVersions', {
    input: readVersionList,
    answer({ page, seal }, call) {
      const { scope } = actingOf(call);
      return pageAnswer<KeptVersion>(page, {
        seal,
        read: (ask) => listVersions(parts, scope, recipientIdOf(call), ask),
        bodyOf: versionBody,
        placeOf: ({ version }) => String(version),
      });
    },
  });
}

const limitField = integerField(LIMITS.pageSize);

const countryField: FieldReader<string> = {
  must: 'a country as two letters in upper case (ISO 3166-1), such as AU',
  read: (given) =>
    typeof given === 'string' && /^[A-Z]{2}$/.test(given) ? { ok: true, value: given } : { ok: false },
};

function readRecipientList(fields: Fields) {
  const filter = {
    status: optional(fields, 'status', wordField(RECIPIENT_STATUSES)),
    type: optional(fields, 'type', wordField(RECIPIENT_TYPES)),
    country: optional(fields, 'country', countryField),
    clientReference: optional(fields, 'clientReference', referenceField(LIMITS.clientReferenceLength)),
    q: optional(fields, 'q', textField(LIMITS.clientReferenceLength)),
  };
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  const seal = sealOf('recipients', filter);
  const page: ListPartAsk = { limit, after: optional(fields, 'cursor', cursorField(seal)) };
  return { filter, page, seal };
}

function readVersionList(fields: Fields, call: Call) {
  const seal = sealOf('versions', { recipientId: recipientIdOf(call) });
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(seal));
  if (after !== undefined && !/^\d{1,9}$/.test(after))
    addError(fields, 'cursor', 'cursor must be the nextCursor of the page before.');
  const page: ListPartAsk = { limit, after };
  return { page, seal };
}
