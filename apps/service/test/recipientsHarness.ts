import assert from 'node:assert/strict';
import {
  type Event,
  Problem,
  RecipientVersionList,
  RegisteredRecipient,
  RegisteredRecipientList,
  Validation,
} from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshReference, type PaymentsTest, type ProblemBody } from './paymentsHarness.ts';

/** An answer about recipients, checked against its schema. */
export type RecipientAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
  readonly registered: RegisteredRecipient;
  readonly problem: ProblemBody & { readonly revision?: number };
};

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
const checks = {
  PROBLEM: ajv.compile(Problem as object),
  LIST: ajv.compile(RegisteredRecipientList as object),
  VERSIONS: ajv.compile(RecipientVersionList as object),
  VALIDATION: ajv.compile(Validation as object),
  REGISTERED: ajv.compile(RegisteredRecipient as object),
};

/** The schema of a success; undefined for a path whose answers have none here. */
function kindOf(method: string, path: string): keyof typeof checks | undefined {
  const [bare = ''] = path.split('?');
  if (!bare.startsWith('/v1/recipients') || bare.endsWith('/reveal')) return undefined;
  if (bare.endsWith('/versions')) return 'VERSIONS';
  if (bare.endsWith('/validate')) return 'VALIDATION';
  return bare === '/v1/recipients' && method === 'GET' ? 'LIST' : 'REGISTERED';
}

/** The API of recipients with the demo credential, or another login. */
export function recipientsOn(
  { service }: { readonly service: Pick<PaymentsTest['service'], 'url' | 'authorization'> },
  authorization = service.authorization,
) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    ifMatch?: string,
  ): Promise<RecipientAnswer> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const json = (await response.json()) as never;
    const { status, headers } = response;
    const kind = status >= 300 ? 'PROBLEM' : kindOf(method, path);
    if (kind !== undefined)
      assert.ok(
        checks[kind](json),
        `${method} ${path}: ${ajv.errorsText(checks[kind].errors)} ${JSON.stringify(json)}`,
      );
    return { status, headers, json, registered: json, problem: json };
  }

  const at = ({ recipientId }: Pick<RegisteredRecipient, 'recipientId'>, more = '') =>
    `/v1/recipients/${recipientId}${more}`;

  /** POST /v1/recipients; asserts a 201. */
  async function save(fields: object = {}): Promise<RegisteredRecipient> {
    const answer = await call('POST', '/v1/recipients', { recipient: AU_BANK, ...fields });
    assert.equal(answer.status, 201, JSON.stringify(answer.json));
    return answer.registered;
  }

  return {
    call,
    save,
    get: async (registered: RegisteredRecipient) => (await call('GET', at(registered))).registered,
    patch: (registered: RegisteredRecipient, body: object, ifMatch?: string) =>
      call('PATCH', at(registered), body, ifMatch),
    remove: (registered: RegisteredRecipient, ifMatch?: string) =>
      call('DELETE', at(registered), undefined, ifMatch),
    verify: (registered: RegisteredRecipient, body: object, ifMatch?: string) =>
      call('PUT', at(registered, '/verification'), body, ifMatch),
    reveal: (registered: RegisteredRecipient) => call('POST', at(registered, '/reveal'), {}),
    erase: (registered: RegisteredRecipient) => call('POST', at(registered, '/erase'), {}),
    versions: (registered: RegisteredRecipient, query = '') =>
      call('GET', at(registered, `/versions${query}`)),
    validate: (body: object) => call('POST', '/v1/recipients/validate', body),
    /** The events of a recipient, once there are so many. */
    async events({ recipientId }: RegisteredRecipient, count: number): Promise<readonly Event[]> {
      for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; await sleep(50)) {
        const { json } = await call('GET', `/v1/events?subject=${recipientId}&limit=100`);
        const { data } = json as { data: Event[] };
        if (data.length >= count) return data;
      }
      return assert.fail(`${count} events of ${recipientId} did not come`);
    },
  };
}

/** A bank account in Australia that nobody else has. */
export function auBank(name = 'Josephine Citizen'): object {
  const accountNumber = String(Number.parseInt(freshReference().slice(4, 15), 16))
    .slice(0, 9)
    .padStart(9, '1');
  return { type: 'bank', name, country: 'AU', account: { bsb: '062-000', accountNumber } };
}

/** A bank account in Australia. */
export const AU_BANK = {
  type: 'bank',
  name: 'Josephine Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
};

/** A wallet on the sandbox's chain. */
export function walletAt(address: string): object {
  return { type: 'wallet', chainId: 31337, address };
}

/** Asserts a problem with this status, code and fields. */
export function assertRefused(
  { status, problem }: RecipientAnswer,
  expected: readonly [status: number, code: string],
  pointers: readonly string[] = [],
): void {
  assert.deepEqual([status, problem.code], expected, JSON.stringify(problem));
  assert.deepEqual((problem.errors ?? []).map(({ pointer }) => pointer).sort(), [...pointers].sort());
}
