import {
  type Answer,
  type Call,
  cursorField,
  done,
  type Door,
  eip55,
  type FieldReader,
  type Fields,
  integerField,
  isLonger,
  optional,
  pageAnswer,
  refuse,
  required,
  sealOf,
  textField,
  timestampOf,
} from '@fairway/api';
import { toAddress } from '@fairway/engine';
import { judgeMessage, judgeTypedData, type Policy, type Refusal } from '@fairway/policies';
import {
  LIMITS,
  MAX_MESSAGE_LENGTH,
  type NodeOperationId,
  type SignatureAnswer,
  type SignatureRecord,
} from '@fairway/wire';
import { stringToHex } from 'viem';
import type { Database } from '../../platform/database/schema.ts';
import { keepSignature, listSignatures } from '../../platform/database/signatures.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import { digestOf, type Readable } from '../../platform/signers/readable.ts';
import { isSignerFault } from '../../platform/signers/signer.ts';
import { NO_RELAYER, refusalProblem, type Relayers } from '../executions/index.ts';
import { readTypedData } from './typedData.ts';

/** What signing works with. */
type SignatureParts = {
  readonly database: Database;
  readonly relayers: Relayers;
  readonly policy: Policy;
};

type Registering = Pick<Door<NodeOperationId>, 'registrar'>;

const ID_LENGTH = 128;

/** Registers the signing of messages and of typed data, and the record of it. */
export function registerSignatures({ registrar }: Registering, parts: SignatureParts): void {
  const { relayers, policy } = parts;
  const relayerOf = ({ params: { relayerId = '' } }: Call) => relayers.get(relayerId);
  registrar.submit('signMessage', {
    input: (fields) => required(fields, 'message', MESSAGE),
    async answer(text, call) {
      const relayer = relayerOf(call);
      if (relayer === undefined) return NO_RELAYER;
      const refusal = judgeMessage(policy, stringToHex(text));
      return signed(parts, { relayer, call, refusal, readable: { kind: 'MESSAGE', text } });
    },
  });
  registrar.submit('signTypedData', {
    input(fields, call) {
      const relayer = relayerOf(call);
      // Without a relayer there is no chain to read it for: that is said first.
      return relayer === undefined ? 'NO_RELAYER' : readTypedData(fields, relayer.chainId);
    },
    async answer(typedData, call) {
      const relayer = relayerOf(call);
      if (relayer === undefined || typedData === 'NO_RELAYER') return NO_RELAYER;
      const { chainId, verifyingContract } = typedData.domain;
      const domain = { chainId: Number(chainId), ...(verifyingContract && { verifyingContract }) };
      const refusal = judgeTypedData(policy, { ...typedData, domain });
      return signed(parts, { relayer, call, refusal, readable: { kind: 'TYPED_DATA', typedData } });
    },
  });
  registerRecord(registrar, parts.database);
}

const MESSAGE: FieldReader<string> = {
  must: `a text of 1 to ${MAX_MESSAGE_LENGTH} characters, without control characters but line breaks`,
  read(given) {
    if (typeof given !== 'string' || isLonger(given, MAX_MESSAGE_LENGTH)) return { ok: false };
    return /^(\P{Cc}|\n)+$/u.test(given) && given.isWellFormed() ? { ok: true, value: given } : { ok: false };
  },
};

type Signing = {
  readonly relayer: Relayer;
  readonly call: Call;
  readonly refusal: Refusal | undefined;
  readonly readable: Readable;
};

/** Signs what may be signed. It is in the record before the signature is answered. */
async function signed(
  { database }: SignatureParts,
  { relayer, call: { caller }, refusal, readable }: Signing,
): Promise<Answer<SignatureAnswer>> {
  if (refusal !== undefined) return refuse(refusalProblem([refusal]));
  const digest = digestOf(readable);
  try {
    const signature = await relayer.signReadable(readable, digest);
    const { relayerId } = relayer;
    const { credentialId } = caller;
    await keepSignature(database, { relayerId, kind: readable.kind, digest, credentialId });
    return { ok: true, body: { signature, digest, address: eip55(toAddress(relayer.address)) } };
  } catch (error) {
    if (!isSignerFault(error)) throw error;
    return refuse({ code: 'signer-failed', detail: (error as Error).message });
  }
}

function registerRecord(registrar: Registering['registrar'], database: Database): void {
  registrar.page('listSignatures', {
    input: readList,
    answer: ({ relayerId, limit, after }) =>
      pageAnswer<{ readonly signed: bigint; readonly body: SignatureRecord }>(
        { limit, after },
        {
          seal: sealOf('signatures', { relayerId }),
          async read(ask) {
            const before = ask.after === undefined ? undefined : BigInt(ask.after);
            const found = await listSignatures(database, relayerId, { limit: ask.limit + 1, before });
            const items = found.slice(0, ask.limit).map(({ signed: place, signedAtMs, ...kept }) => ({
              signed: place,
              body: { ...kept, signedAt: timestampOf(signedAtMs) },
            }));
            return done({
              items,
              next: found.length > ask.limit ? String(items.at(-1)?.signed) : undefined,
            });
          },
          bodyOf: ({ body }) => body,
          placeOf: ({ signed: place }) => String(place),
        },
      ),
  });
}

function readList(fields: Fields) {
  const relayerId = optional(fields, 'relayerId', textField(ID_LENGTH));
  const limit = optional(fields, 'limit', integerField(LIMITS.pageSize)) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(sealOf('signatures', { relayerId })));
  return { relayerId, limit, after };
}
