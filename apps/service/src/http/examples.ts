import { NATIVE_ADDRESS, type OperationId, operation } from '@fairway/wire';
import type { ChainService } from './deps.ts';
import { eip55 } from './eip55.ts';

/** A trade that this deployment can quote, for examples that work as pasted. */
export type TradeExample = { readonly chainId: string; readonly tokenIn: string; readonly tokenOut: string };

/** A request to try. */
export type Example = {
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly body: string | undefined;
  readonly curl: string;
};

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ONE_ETHER = '1000000000000000000';

/** Picks native currency against the first listed token that a pool trades. */
export function tradeExample([chain]: readonly ChainService[]): TradeExample {
  const traded = new Set(chain?.follower.market.tokens() ?? []);
  const token = [...(chain?.follower.tokens.values() ?? [])]
    .filter(({ address }) => traded.has(address) && address !== chain?.wrappedNative)
    .sort((a, b) => Number(b.symbol === 'USDC') - Number(a.symbol === 'USDC'))[0];
  return {
    chainId: String(chain?.chainId ?? 1),
    tokenIn: NATIVE_ADDRESS,
    tokenOut: token === undefined ? '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' : eip55(token.address),
  };
}

/** A request of an operation that can be sent as it is, apart from the credentials. */
export function exampleOf(id: OperationId, publicUrl: string, trade: TradeExample): Example {
  const { method, path, access } = operation(id);
  const parameters = parametersOf(id, trade);
  const body = bodyOf(id, trade);
  const query = new URLSearchParams(parameters.map(({ name, value }) => [name, value])).toString();
  const url = `${publicUrl}${path}${query === '' ? '' : `?${query}`}`;
  const login = access.kind === 'OPEN' ? '' : " -u 'ID:PASSWORD'";
  const data =
    body === undefined ? '' : ` -H 'Content-Type: application/json' -d '${JSON.stringify(JSON.parse(body))}'`;
  return { parameters, body, curl: `curl${login}${method === 'GET' ? '' : ` -X ${method}`}${data} '${url}'` };
}

function parametersOf(id: OperationId, { chainId, tokenIn, tokenOut }: TradeExample): Example['parameters'] {
  if (id === 'listTokens') return [{ name: 'chainId', value: chainId }];
  if (id !== 'getQuote') return [];
  return [
    { name: 'chainId', value: chainId },
    { name: 'tokenIn', value: tokenIn },
    { name: 'tokenOut', value: tokenOut },
    { name: 'tradeType', value: 'EXACT_IN' },
    { name: 'amount', value: ONE_ETHER },
    { name: 'slippageBps', value: '50' },
  ];
}

function bodyOf(id: OperationId, { chainId, tokenIn, tokenOut }: TradeExample): string | undefined {
  const trade = { tokenIn, tokenOut, tradeType: 'EXACT_IN', amount: ONE_ETHER, slippageBps: 50 };
  const bodies: Partial<Record<OperationId, object>> = {
    planSwap: { chainId: Number(chainId), ...trade, recipient: ACCOUNT },
    advanceClock: { advance: 'PT20M' },
    useFaucet: { address: ACCOUNT, native: true, amount: ONE_ETHER },
  };
  const body = bodies[id];
  return body === undefined ? undefined : JSON.stringify(body, null, 2);
}
