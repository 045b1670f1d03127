import { randomBytes } from 'node:crypto';
import { defined } from '@fairway/values';
import type { PaymentPlan, Problem } from '@fairway/wire';
import { basic, whole } from './harness.ts';
import { runFairway } from './commandHarness.ts';

/** A caller's login. */
export type Login = { readonly username: string; readonly password: string };

/** An answer with its text, and the text parsed as JSON. */
export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: PaymentPlan & Pick<Partial<Problem>, 'code' | 'detail' | 'errors'>;
};

/** Asks a service with a login: a GET, or a POST when there is a body, unless `method` says otherwise. */
export type Caller = (
  path: string,
  body?: unknown,
  method?: string,
  more?: Readonly<Record<string, string>>,
) => Promise<Reply>;

/** Makes the caller of a service. `more`: headers of a request beside the usual ones. Rejects when there is no answer. */
export function callerOf(url: string, { username, password }: Login): Caller {
  const authorization = basic(username, password);
  return async (path, body, method = body === undefined ? 'GET' : 'POST', more = {}) => {
    const type = body === undefined ? undefined : 'application/json';
    const headers = { ...defined({ authorization, 'content-type': type }), ...more };
    const sent = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`${url}${whole(path)}`, { method, headers, body: sent });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}

/** The command that runs the command line interface. */
export const fairway: readonly string[] = [process.execPath, 'apps/service/src/main.ts'];

/** Where a command finds the database: in a data folder, or at DATABASE_URL. `env`: the variables of its service. */
type DatabasePlace =
  | { readonly data: string; readonly env?: NodeJS.ProcessEnv }
  | { readonly databaseUrl: string };

/** The arguments and variables that tell a command its database. */
function placeOf(place: DatabasePlace): { args: string[]; env: NodeJS.ProcessEnv } {
  return 'data' in place
    ? { args: ['--data', place.data], env: place.env ?? {} }
    : { args: [], env: { DATABASE_URL: place.databaseUrl } };
}

/** The permissions of a caller of everything. */
export const EVERYTHING =
  'markets:read,quotes:read,swaps:plan,payments:read,payments:write,payments:approve,recipients:read,recipients:write,recipients:reveal,recipients:approve,events:read,webhooks:read,webhooks:write,reports:read,reports:write';

/** Makes a credential of an organisation on the command line. */
export async function makeLogin(
  place: DatabasePlace,
  organisation: string,
  permissions: string = EVERYTHING,
  environment: 'sandbox' | 'production' = 'sandbox',
): Promise<Login> {
  const { args, env } = placeOf(place);
  const owner = ['--organisation', organisation, '--environment', environment];
  const command = ['credentials', 'create', ...owner, '--permissions', permissions];
  const { code, output, printed } = await runFairway([...command, '--json', ...args], env);
  if (code !== 0) throw new Error(`No credential was made: ${output}`);
  return JSON.parse(printed) as Login;
}

/** The URL of a PostgreSQL behind a socket. */
export function urlOf({ host, user, database }: { host: string; user: string; database: string }): string {
  return `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`;
}

/** Kinds of recipients that the sandbox's corridors pay. */
export const RECIPIENT_KINDS = ['bank', 'iban', 'wallet', 'emoney', 'email'] as const;

/** A request for a payment, as an integrator would send it. */
export type AskedPayment = {
  readonly clientReference: string;
  readonly corridorId: string;
  readonly amountIn: string;
  readonly recipient: { readonly type: string } & Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, string>>;
};

/** A request for a kind of recipient, with the caller's reference and changes. */
export function payment(
  kind: (typeof RECIPIENT_KINDS)[number],
  clientReference: string,
  changes: Partial<AskedPayment> = {},
): AskedPayment {
  const [corridorId, recipient] = RECIPIENTS[kind];
  const mode = kind === 'email' ? 'DIGITAL_COLLECT' : 'STANDARD';
  return { clientReference, corridorId, amountIn: '5000000', recipient, options: { mode }, ...changes };
}

const RECIPIENTS: Readonly<
  Record<(typeof RECIPIENT_KINDS)[number], readonly [string, AskedPayment['recipient']]>
> = {
  bank: [
    'usdc-aud-bank',
    {
      type: 'bank',
      name: 'Orla Finch',
      country: 'AU',
      account: { bsb: '062-000', accountNumber: '12345678' },
    },
  ],
  iban: [
    'usdc-eur-iban',
    {
      type: 'bank',
      name: 'Orla Finch',
      country: 'DE',
      account: { iban: 'DE89370400440532013000' },
    },
  ],
  wallet: [
    'usdc-wallet',
    { type: 'wallet', chainId: 31337, address: '0x00000000000000000000000000000000000fa157' },
  ],
  emoney: [
    'usdc-php-emoney',
    {
      type: 'emoney',
      name: 'Orla Finch',
      provider: 'GCash',
      idType: 'PHONE',
      idValue: '+639171234567',
      currency: 'PHP',
    },
  ],
  email: ['usdc-eur-collect', { type: 'email', email: 'orla.finch@example.com', name: 'Orla Finch' }],
};

/** An account that nobody has used. */
export function freshAccount(): string {
  return `0x${randomBytes(20).toString('hex')}`;
}

/** An answer without the parts that differ between any two answers. */
export function comparable({ status, headers, text }: Reply): object {
  const kept = [...headers].filter(([name]) => !/^(x-request-id|date|ratelimit-.*)$/.test(name));
  return { status, kept, text: text.replace(/"requestId":"[^"]*"/, '"requestId":""') };
}
