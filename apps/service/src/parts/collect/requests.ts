import { roundPlace } from '@fairway/store';
import { isEmailAddress } from '@fairway/recipients';
import { COLLECT_REQUEST_STATUSES, LIMITS } from '@fairway/wire';
import {
  findRound,
  type FoundRound,
  listRounds,
  type PaymentParts,
  roundAnswer,
  roundBody,
} from '../payments/index.ts';
import {
  actingOf,
  addError,
  type Call,
  cursorField,
  type Fields,
  integerField,
  type ListPartAsk,
  optional,
  pageAnswer,
  type Registrar,
  sealOf,
  textField,
  timestampField,
  wordField,
} from '@fairway/api';

/** Registers the operations on the rounds in which recipients are asked where the money goes. */
export function registerCollectRequests(registrar: Registrar, parts: PaymentParts): void {
  registrar.page('listCollectRequests', {
    input: (fields, call) => readRoundList(fields, call, parts),
    answer({ filter, page, seal }, call) {
      const { scope } = actingOf(call);
      return pageAnswer<FoundRound>(page, {
        seal,
        read: (ask) => listRounds(parts, scope, filter, ask),
        bodyOf: roundBody,
        placeOf: ({ plan, request, createdAtMs }) => roundPlace({ plan, round: request.round, createdAtMs }),
      });
    },
  });
  registrar.find('getCollectRequest', {
    answer: async (_, call) => roundAnswer(await findRound(parts, actingOf(call).scope, roundIdOf(call))),
  });
}

function roundIdOf({ params }: Call): string {
  return params['collectRequestId'] ?? '';
}

const limitField = integerField(LIMITS.pageSize);

function readRoundList(fields: Fields, { caller }: Call, { store }: PaymentParts) {
  const times = {
    createdFrom: optional(fields, 'createdFrom', timestampField),
    createdTo: optional(fields, 'createdTo', timestampField),
  };
  const { createdFrom, createdTo } = times;
  const named = {
    status: optional(fields, 'status', wordField(COLLECT_REQUEST_STATUSES)),
    planId: optional(fields, 'planId', textField(64)),
    recipientId: optional(fields, 'recipientId', textField(64)),
  };
  const email = readAddress(fields);
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  // A cursor is no place for an address, nor for a hash that others could try addresses on.
  const asked =
    email && store.fingerprint('submission', caller.organisationId, `list ${email}`).toString('base64url');
  const seal = sealOf('collectRequests', { ...named, ...times, asked });
  const page: ListPartAsk = { limit, after: optional(fields, 'cursor', cursorField(seal)) };
  if (createdFrom !== undefined && createdTo !== undefined && createdTo <= createdFrom)
    addError(fields, 'createdTo', 'createdTo must be later than createdFrom.');
  const made = { createdFrom: dateOf(createdFrom), createdTo: dateOf(createdTo) };
  return { filter: { ...named, email, ...made }, page, seal };
}

/** Reads the address to search for. An error does not repeat the address, because it is personal data. */
function readAddress(fields: Fields): string | undefined {
  const given = fields.values.get('email');
  if (given === undefined || (typeof given === 'string' && isEmailAddress(given))) return given;
  addError(fields, 'email', 'email must be one e-mail address, without a display name.');
  return undefined;
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
