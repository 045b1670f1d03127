import { sendAll, wireRequest } from './httpClient.ts';
import { REFERENCE } from './loadProgram.ts';
import { type Login, type MeasuredService, startMeasuredService } from './measuredService.ts';

/** The kinds of requests that loads are made of. */
export const KINDS = ['lists', 'quotes', 'swaps', 'payments'] as const;

/** A kind of request. */
export type Kind = (typeof KINDS)[number];

/** A running service with organisations that send requests to it. */
export type Crowd = {
  readonly service: MeasuredService;
  readonly port: number;
  /** The requests of each kind, one member for each organisation. */
  readonly requests: Readonly<Record<Kind, readonly string[]>>;
  /** A request for the list of chains, the cheapest with a credential, of the last organisation. */
  readonly cheapest: string;
};

/** How many plans each organisation has, and how many of them a list answers. */
const PLANS = 100;

/** Starts a service with some organisations that each have plans to list. */
export async function startCrowd(organisations: number, progress: (message: string) => void): Promise<Crowd> {
  progress('starting the service');
  const service = await startMeasuredService();
  const port = Number(new URL(service.url).port);
  const logins: Login[] = [];
  while (logins.length < organisations) {
    progress(`organisation ${logins.length + 1} of ${organisations}`);
    logins.push(await service.createLogin());
  }
  const { tokens, accounts } = await askSandbox(service);
  const addressOf = (symbol: string) => tokens.find((token) => token.symbol === symbol)?.address ?? '';
  const order = {
    chainId: String(service.chainId),
    tokenIn: addressOf('WETH'),
    tokenOut: addressOf('USDC'),
    tradeType: 'EXACT_IN',
    amount: String(10n ** 18n),
  };
  const wiresOf = (path: string, body?: unknown) =>
    logins.map((login) => wireRequest(new URL(path, service.url), headersOf(login), body).toString());
  const swap = { ...order, chainId: service.chainId, sender: accounts[0]?.address };
  const requests = {
    lists: wiresOf(`/v1/payments?limit=${PLANS}`),
    quotes: wiresOf(`/v1/quote?${new URLSearchParams(order).toString()}`),
    swaps: wiresOf('/v1/swap', swap),
    payments: wiresOf('/v1/payments', PAYMENT),
  };
  progress('making plans');
  await makePlans(port, requests.payments);
  return { service, port, requests, cheapest: wiresOf('/v1/markets/chains').at(-1) ?? '' };
}

async function makePlans(port: number, payments: readonly string[]): Promise<void> {
  for (const [number, text] of payments.entries()) {
    const wires = Array.from({ length: PLANS }, (_, plan) =>
      Buffer.from(text.replace(REFERENCE, `p${number}-${plan}`.padEnd(12, '-'))),
    );
    const { refused, firstRefusal } = await sendAll(port, PLANS, [wires]);
    if (refused > 0) throw new Error(`A plan was refused: ${firstRefusal}`);
  }
}

const PAYMENT = {
  clientReference: REFERENCE,
  corridorId: 'usdc-aud-bank',
  amountIn: '5000000',
  recipient: {
    type: 'bank',
    name: 'Orla Finch',
    country: 'AU',
    account: { bsb: '062-000', accountNumber: '12345678' },
  },
  options: { mode: 'STANDARD' },
};

type Sandbox = {
  readonly tokens: readonly { readonly address: string; readonly symbol: string }[];
  readonly accounts: readonly { readonly address: string }[];
};

async function askSandbox({ url, demo }: MeasuredService): Promise<Sandbox> {
  const response = await fetch(`${url}/v1/sandbox`, { headers: headersOf(demo) });
  return (await response.json()) as Sandbox;
}

function headersOf({ username, password }: Login): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
