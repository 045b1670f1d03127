import Type, { type Static, type TSchema } from 'typebox';

const CLOSED = { additionalProperties: false } as const;

const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'Give the address of the key: 40 hex digits with 0x in front.',
});
const File = Type.String({
  minLength: 1,
  description: 'Give the path of a file. It begins at the folder of the configuration.',
});
const Url = Type.String({
  pattern: '^(https?://|env:[A-Za-z_]).+$',
  description: 'Give a URL of http or https, or "env:NAME" where an environment variable holds it.',
});
const NodeUrl = Type.String({
  pattern: '^(https?://|wss?://|/|env:[A-Za-z_]).+$',
  description:
    'Give a URL of http, https, ws or wss, the path of an IPC socket, or "env:NAME" where an environment variable holds it.',
});

/** The form of each kind of signer. */
export const SIGNERS = {
  KEYSTORE: Type.Object(
    { kind: Type.Literal('KEYSTORE'), file: File, passwordFile: File },
    { ...CLOSED, description: 'Give kind, file and passwordFile.' },
  ),
  AWS_KMS: Type.Object(
    {
      kind: Type.Literal('AWS_KMS'),
      address: Address,
      kmsKey: Type.String({
        minLength: 1,
        description: 'Give the ARN, the id or the alias of a key, such as "alias/relayer".',
      }),
      region: Type.String({
        pattern: '^[a-z0-9-]+$',
        description: 'Give a region of AWS, such as "eu-central-1".',
      }),
      endpoint: Type.Optional(Url),
    },
    { ...CLOSED, description: 'Give kind, address, kmsKey and region.' },
  ),
  WEB3SIGNER: Type.Object(
    { kind: Type.Literal('WEB3SIGNER'), address: Address, url: Url },
    { ...CLOSED, description: 'Give kind, address and url.' },
  ),
} as const;

const Signer = Type.Object(
  {
    kind: Type.Enum(['KEYSTORE', 'AWS_KMS', 'WEB3SIGNER'], {
      description: 'Give "KEYSTORE", "AWS_KMS" or "WEB3SIGNER".',
    }),
  },
  { description: 'Give an object with kind and what this kind needs.' },
);

/** A chain, whose signers have this form. */
const chainOf = <Form extends TSchema>(signer: Form) =>
  Type.Object(
    {
      chainId: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Give the id of a chain, such as 1.',
      }),
      nodes: Type.Array(NodeUrl, {
        minItems: 1,
        description: 'Give a list with one URL for each of your nodes of the chain.',
      }),
      confirmations: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10_000,
          description: 'Give how many blocks on top of a block make it final, up to 10000.',
        }),
      ),
      maxFeeGwei: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Give the most that a unit of gas may cost, in whole gwei up to 1000000.',
        }),
      ),
      signers: Type.Array(signer, {
        minItems: 1,
        description: 'Give a list of signers. The first signs where a request names no sender.',
      }),
    },
    { ...CLOSED, description: 'Give chainId, nodes and signers.' },
  );

const Webhooks = Type.Object(
  {
    allowPrivate: Type.Array(
      Type.String({ minLength: 1, description: 'Give a CIDR range, such as "10.1.2.3/32".' }),
      {
        description:
          'Give networks that webhooks may go to although they are not public. Name single machines.',
      },
    ),
  },
  { ...CLOSED, description: 'Give allowPrivate.' },
);

const fileOf = <Form extends TSchema>(signer: Form) =>
  Type.Object(
    {
      chains: Type.Array(chainOf(signer), {
        minItems: 1,
        description: 'Give a list with one entry for each chain.',
      }),
      webhooks: Type.Optional(Webhooks),
    },
    { ...CLOSED, description: 'Give an object with chains.' },
  );

/** The form of the file that says on which chains the node executes, and with which keys. Each signer is read by its kind. */
export const ConfigFile = fileOf(Signer);
/** The same as editors and other programs read it: with all that signers have. */
export const PublishedConfigFile = fileOf(Type.Union(Object.values(SIGNERS)));
export type ConfigFile = Static<typeof ConfigFile>;

/** A signer as the file has it. */
export type SignerEntry = Static<(typeof SIGNERS)[keyof typeof SIGNERS]>;
