import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { from, type List, listOf } from '../connection/lists.ts';
import { type ChangeOptions, onlyAt, type QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';

type Schemas = components['schemas'];
/** A recipient that is kept under an id, masked. */
export type RegisteredRecipient = Schemas['RegisteredRecipient'];
/** A recipient to keep. */
export type RecipientRequest = Schemas['RecipientRequest'];
/** The full details of a recipient. */
export type RevealedRegisteredRecipient = Schemas['RevealedRegisteredRecipient'];
/** What is wrong with details, and how they read. */
export type Validation = Schemas['Validation'];

/** Recipients that are kept under an id. */
export type Recipients = {
  /** Keeps a recipient. With a `clientReference` the request may be repeated. */
  create(request: RecipientRequest, options?: CallOptions): Promise<RegisteredRecipient>;
  /** Looks at details, and keeps nothing. */
  validate(request: Schemas['ValidationRequest'], options?: CallOptions): Promise<Validation>;
  get(recipientId: string, options?: CallOptions): Promise<RegisteredRecipient>;
  list(query?: QueryOf<'listRecipients'>, options?: CallOptions): List<RegisteredRecipient>;
  versions(
    recipientId: string,
    query?: QueryOf<'listRecipientVersions'>,
    options?: CallOptions,
  ): List<Schemas['RecipientVersion']>;
  update(
    recipientId: string,
    edit: Schemas['RecipientEdit'],
    options?: ChangeOptions,
  ): Promise<RegisteredRecipient>;
  deactivate(recipientId: string, options?: ChangeOptions): Promise<RegisteredRecipient>;
  verify(
    recipientId: string,
    check: Schemas['PayeeCheckRequest'],
    options?: ChangeOptions,
  ): Promise<RegisteredRecipient>;
  approve(
    recipientId: string,
    judgement: Schemas['RecipientJudgement'],
    options?: CallOptions,
  ): Promise<RegisteredRecipient>;
  reject(
    recipientId: string,
    judgement: Schemas['RecipientJudgement'],
    options?: CallOptions,
  ): Promise<RegisteredRecipient>;
  reveal(recipientId: string, options?: CallOptions): Promise<RevealedRegisteredRecipient>;
  /** Destroys the full details of a recipient that is deactivated. */
  erase(recipientId: string, options?: CallOptions): Promise<RegisteredRecipient>;
};

/** The recipients of a service. */
export function createRecipients(connection: Connection): Recipients {
  const { api, sending } = connection;
  return {
    create: (body, options) =>
      bodyOf(api.POST('/v1/recipients', { body, ...sending(options, body.clientReference) })),
    validate: (body, options) => bodyOf(api.POST('/v1/recipients/validate', { body, ...sending(options) })),
    get(recipientId, options) {
      const params = { path: { recipientId } };
      return bodyOf(api.GET('/v1/recipients/{recipientId}', { params, ...sending(options) }));
    },
    list: (query = {}, options) =>
      listOf((cursor) =>
        bodyOf(api.GET('/v1/recipients', { params: { query: from(query, cursor) }, ...sending(options) })),
      ),
    versions: (recipientId, query = {}, options) =>
      listOf((cursor) => {
        const params = { path: { recipientId }, query: from(query, cursor) };
        return bodyOf(api.GET('/v1/recipients/{recipientId}/versions', { params, ...sending(options) }));
      }),
    ...createChanges(connection),
    ...createJudgements(connection),
  };
}

function createChanges({ api, sending }: Connection): Pick<Recipients, 'update' | 'deactivate' | 'verify'> {
  const sent = (recipientId: string, options: ChangeOptions = {}) => ({
    params: { path: { recipientId }, ...onlyAt(options) },
    ...sending(options),
  });
  return {
    update: (recipientId, body, options) =>
      bodyOf(api.PATCH('/v1/recipients/{recipientId}', { body, ...sent(recipientId, options) })),
    deactivate: (recipientId, options) =>
      bodyOf(api.DELETE('/v1/recipients/{recipientId}', sent(recipientId, options))),
    verify: (recipientId, body, options) =>
      bodyOf(api.PUT('/v1/recipients/{recipientId}/verification', { body, ...sent(recipientId, options) })),
  };
}

function createJudgements({
  api,
  sending,
}: Connection): Pick<Recipients, 'approve' | 'reject' | 'reveal' | 'erase'> {
  const sent = (recipientId: string, options?: CallOptions) => ({
    params: { path: { recipientId } },
    ...sending(options),
  });
  return {
    approve: (recipientId, body, options) =>
      bodyOf(api.POST('/v1/recipients/{recipientId}/approve', { body, ...sent(recipientId, options) })),
    reject: (recipientId, body, options) =>
      bodyOf(api.POST('/v1/recipients/{recipientId}/reject', { body, ...sent(recipientId, options) })),
    reveal: (recipientId, options) =>
      bodyOf(api.POST('/v1/recipients/{recipientId}/reveal', sent(recipientId, options))),
    erase: (recipientId, options) =>
      bodyOf(api.POST('/v1/recipients/{recipientId}/erase', sent(recipientId, options))),
  };
}
