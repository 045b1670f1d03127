import { type Static, Type } from 'typebox';
import { EvmAddress, HASH_PATTERN, Timestamp, wordOf } from '../fields.ts';
import { pageOf, pageQuery } from '../pages.ts';
import { RelayerId } from './relay.ts';

/** How long a message may be, in characters. */
export const MAX_MESSAGE_LENGTH = 4096;

const Digest = Type.String({ pattern: HASH_PATTERN, description: 'The 32 bytes that were signed.' });

/** Body of POST /relay/relayers/{relayerId}/sign-message. */
export const SignMessageRequest = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: MAX_MESSAGE_LENGTH,
      description:
        'A text without control characters but line breaks (\\n). It is signed as EIP-191 has it, also where it looks like hex.',
    }),
  },
  { additionalProperties: false, description: 'A message of text.' },
);

/** Body of POST /relay/relayers/{relayerId}/sign-typed-data. */
export const SignTypedDataRequest = Type.Object(
  {
    domain: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The domain: chainId and verifyingContract, and name, version and salt where the contract has them.',
      },
    ),
    types: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The types with their fields. EIP712Domain may be left out; else it has to be as the domain is.',
      },
    ),
    primaryType: Type.String({ description: 'The type of message.' }),
    message: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The values. Write integers that are negative or have more than 15 digits as texts.',
      },
    ),
  },
  { additionalProperties: false, description: 'Typed data as EIP-712 has it.' },
);

/** A signature that was made. */
export const SignatureAnswer = Type.Object(
  {
    signature: Type.String({ pattern: '^0x[0-9a-f]{130}$', description: 'r, s and v as 65 bytes of hex.' }),
    digest: Digest,
    address: { ...EvmAddress, description: 'Whose signature it is: it was recovered from the signature.' },
  },
  { description: 'A signature.' },
);
export type SignatureAnswer = Static<typeof SignatureAnswer>;

/** A line of the record of signatures. */
export const SignatureRecord = Type.Object(
  {
    relayerId: RelayerId,
    kind: wordOf(['MESSAGE', 'TYPED_DATA'], { description: 'What was signed.' }),
    digest: Digest,
    credentialId: Type.String({ description: 'Who asked for it.' }),
    signedAt: Timestamp,
  },
  { description: 'What was signed, and for whom. Neither the message nor the signature is kept.' },
);
export type SignatureRecord = Static<typeof SignatureRecord>;

/** Response of GET /relay/policies. */
export const PolicyInForce = Type.Object(
  {
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of document as JSON without spaces, the keys of each object sorted.',
    }),
    document: Type.Object({}, { additionalProperties: true, description: 'As its operator wrote it.' }),
    inWords: Type.Array(Type.String(), {
      description:
        'Its amounts in whole tokens, one sentence for each token: compare them with what is meant.',
    }),
  },
  { description: 'What the node may sign, since its start.' },
);

/** Query of the record of signatures. */
export const SignaturesQuery = Type.Object(
  { relayerId: Type.Optional(RelayerId), ...pageQuery('signatures') },
  { additionalProperties: false },
);

/** A page of the record of signatures. */
export const SignatureList = pageOf(SignatureRecord, 'The newest first.', 'A page of signatures.');
