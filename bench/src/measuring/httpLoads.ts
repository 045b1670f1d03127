import { type WireRequest, wireRequest } from './httpClient.ts';
import type { MeasuredProcess } from './measuredProcess.ts';
import type { Login, MeasuredService } from './measuredService.ts';

const CONNECTIONS = 12;

/** One kind of request to one server. */
export type Load = {
  readonly what: string;
  readonly server: MeasuredProcess;
  readonly port: number;
  /** Requests of one round over each connection. */
  readonly perConnection: number;
  /** The request that each connection repeats: one member for each connection. */
  readonly requestsOf: readonly (readonly WireRequest[])[];
  /** At most so many times the cost of the bare server's answer; absent where there is no target. */
  readonly mostHellos?: number;
};

/** Loads over the same number of connections; the first is the bare server that the others are compared with. */
export type LoadGroup = readonly [hello: Load, ...others: Load[]];

type Bare = MeasuredProcess & { readonly port: number };
type Headers = Readonly<Record<string, string>>;
/** A caller of the service. No two callers ask for the same amount, so that cached answers cannot help. */
type Caller = { readonly headers: Headers; readonly number: number };
type Requests = (caller: Caller) => WireRequest[];

/**
 * Plans the requests: over several connections at the same time, and over one connection. Credentials take turns,
 * because each belongs to an organisation whose rate limit it would reach alone.
 */
export async function planLoads(
  service: MeasuredService,
  bare: Bare,
  logins: readonly Login[],
): Promise<readonly LoadGroup[]> {
  const sandbox = await askSandbox(service);
  const wires = wiresOf(service, sandbox);
  const callers = logins.map((login, number): Caller => ({ headers: authorization(login), number }));
  const shares = Array.from({ length: CONNECTIONS }, (_, share) =>
    callers.filter(({ number }) => number % CONNECTIONS === share),
  );
  const asked = { server: service, port: Number(new URL(service.url).port) };
  const hello = { what: 'bare node:http hello', server: bare, port: bare.port };
  const together = (what: string, perConnection: number, requests: Requests) => ({
    ...{ ...asked, what, perConnection },
    requestsOf: shares.map((own) => own.flatMap(requests)),
  });
  const inTurn = (what: string, requests: Requests) => ({
    ...{ ...asked, what: `${what}, 1 connection`, perConnection: 3000 },
    requestsOf: [callers.flatMap(requests)],
  });
  const own = bareRequest(bare);
  const [onePair, allPairs] = [{ mostHellos: 10 }, { mostHellos: 14 }];
  return [
    [
      { ...hello, perConnection: 1000, requestsOf: shares.map(() => [own]) },
      { ...together('GET /v1/quote, WETH to USDC', 300, wires.ethToUsdc), ...onePair },
      { ...together('GET /v1/quote, all pairs of tokens', 300, wires.allPairs), ...allPairs },
      together('GET /v1/quote, WETH to USDC, maxHops=1', 300, wires.oneHop),
      { ...together('GET /livez', 300, wires.livez), mostHellos: 1.8 },
      { ...together('POST /v1/swap, WETH to USDC, with sender', 30, wires.swap), mostHellos: 100 },
    ],
    [
      { ...hello, what: `${hello.what}, 1 connection`, perConnection: 6000, requestsOf: [[own]] },
      { ...inTurn('GET /v1/quote, WETH to USDC', wires.ethToUsdc), ...onePair },
      { ...inTurn('GET /v1/quote, all pairs of tokens', wires.allPairs), ...allPairs },
    ],
  ];
}

function bareRequest({ port }: Bare): WireRequest {
  return wireRequest(new URL(`http://127.0.0.1:${port}/`), {});
}

/** The requests of every load, for the caller whose headers are given. */
function wiresOf({ url, chainId }: MeasuredService, { tokens, accounts }: Sandbox) {
  const addressOf = (symbol: string) => tokens.find((token) => token.symbol === symbol)?.address;
  const queries = pairQueries(chainId, tokens);
  const ethToUsdc = queries.find(
    ({ tokenIn, tokenOut }) => tokenIn === addressOf('WETH') && tokenOut === addressOf('USDC'),
  );
  if (ethToUsdc === undefined) throw new Error('The sandbox lists no WETH or no USDC');
  const quote = (query: Query, { headers, number }: Caller) => {
    const amount = String(BigInt(query.amount) + BigInt(number));
    const text = new URLSearchParams({ ...query, amount }).toString();
    return wireRequest(new URL(`/v1/quote?${text}`, url), headers);
  };
  const order = { ...ethToUsdc, chainId, sender: accounts[0]?.address };
  return {
    ethToUsdc: (caller: Caller) => [quote(ethToUsdc, caller)],
    oneHop: (caller: Caller) => [quote({ ...ethToUsdc, maxHops: '1' }, caller)],
    allPairs: (caller: Caller) => queries.map((query) => quote(query, caller)),
    livez: ({ headers }: Caller) => [wireRequest(new URL('/livez', url), headers)],
    swap: ({ headers }: Caller) => [wireRequest(new URL('/v1/swap', url), headers, order)],
  };
}

type Sandbox = {
  readonly tokens: readonly {
    readonly address: string;
    readonly symbol: string;
    readonly decimals: number;
  }[];
  readonly accounts: readonly { readonly address: string }[];
};

async function askSandbox({ url, demo }: MeasuredService): Promise<Sandbox> {
  const response = await fetch(`${url}/v1/sandbox`, { headers: authorization(demo) });
  return (await response.json()) as Sandbox;
}

function authorization({ username, password }: Login): Headers {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

type Query = {
  chainId: string;
  tokenIn: string;
  tokenOut: string;
  tradeType: string;
  amount: string;
  maxHops?: string;
};

/** One unit of every token for every other token, so that every route of the sandbox is asked for. */
function pairQueries(chainId: number, tokens: Sandbox['tokens']): Query[] {
  return tokens.flatMap(({ address: tokenIn, decimals }) =>
    tokens
      .filter(({ address }) => address !== tokenIn)
      .map(({ address: tokenOut }) => ({
        ...{ chainId: String(chainId), tokenIn, tokenOut },
        ...{ tradeType: 'EXACT_IN', amount: String(10n ** BigInt(decimals)) },
      })),
  );
}
