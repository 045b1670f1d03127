import { bodyExample, NATIVE_ADDRESS, type OperationId, operation } from '@fairway/wire';
import { type ListedCorridor, type PaymentParts, requirements } from '../payments/index.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { eip55, type Example, type ExampleParameter, placeholderOf, type SampleRequest } from '@fairway/api';

/** The values of examples that can be sent unchanged. */
export type Samples = {
  readonly chainId: string;
  /** A token that this deployment can trade for `tokenOut`. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** A corridor of this deployment, or one of the sandbox's when this deployment has none. */
  readonly corridorId: string;
  /** The body of a payment on the corridor. */
  readonly payment: object;
  /** The present month so far. */
  readonly month: { readonly from: string; readonly to: string };
};

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ONE_ETHER = '1000000000000000000';

/** Chooses native currency, a token that a pool trades (USDC if there), and the first corridor to bank accounts. */
export function samplesOf({
  chains: [chain],
  payments,
  nowMs,
}: {
  readonly chains: readonly ChainService[];
  readonly payments: Pick<PaymentParts, 'corridors'>;
  nowMs(): number;
}): Samples {
  const corridors = payments.corridors.list('ACTIVE');
  const listed = corridors.find(({ corridor }) => corridor.target.type === 'BANK') ?? corridors[0];
  return {
    chainId: String(chain?.chainId ?? 1),
    tokenIn: NATIVE_ADDRESS,
    tokenOut: tokenOutOf(chain),
    ...(listed === undefined ? USUAL_PAYMENT : paymentOn(listed)),
    month: monthUntil(nowMs()),
  };
}

function monthUntil(nowMs: number): Samples['month'] {
  const to = new Date(nowMs).toISOString();
  return { from: `${to.slice(0, 7)}-01T00:00:00Z`, to: `${to.slice(0, 19)}Z` };
}

function tokenOutOf(chain: ChainService | undefined): string {
  const traded = new Set(chain?.follower.market.tokens() ?? []);
  const token = [...(chain?.follower.tokens.values() ?? [])]
    .filter(({ address }) => traded.has(address) && address !== chain?.wrappedNative)
    .sort((a, b) => Number(b.symbol === 'USDC') - Number(a.symbol === 'USDC'))[0];
  return token === undefined ? '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' : eip55(token.address);
}

const CLIENT_REFERENCE = 'INV-2026-0042';

/** The example of a payment in deployments without corridors, and a payment that the sandbox takes. */
export const USUAL_PAYMENT = {
  corridorId: 'usdc-aud-bank',
  payment: {
    clientReference: CLIENT_REFERENCE,
    corridorId: 'usdc-aud-bank',
    amountIn: '100000000',
    recipient: {
      type: 'bank',
      name: 'Jo Citizen',
      country: 'AU',
      account: { bsb: '062-000', accountNumber: '12345678' },
    },
    options: { mode: 'STANDARD' },
  },
};

/** A payment of 100 whole tokens, or the nearest amount that the corridor takes, to the example of its schema. */
function paymentOn({ corridor, sourceToken }: ListedCorridor): Pick<Samples, 'corridorId' | 'payment'> {
  const { id, minAmountIn, maxAmountIn } = corridor;
  const [mode] = corridor.modes;
  const [type] = corridor.recipientTypes;
  if (type === undefined) return USUAL_PAYMENT;
  const usual = 100n * 10n ** BigInt(sourceToken.decimals);
  const [least, most] = [BigInt(minAmountIn), BigInt(maxAmountIn)];
  const amountIn = usual < least ? least : usual > most ? most : usual;
  const { examples } = requirements(corridor, type);
  const common = { clientReference: CLIENT_REFERENCE, corridorId: id, amountIn: String(amountIn) };
  return { corridorId: id, payment: { ...common, recipient: examples[0], options: { mode } } };
}

/** An example request of an operation. The caller must replace only the credentials and ids such as PLAN_ID. */
export function exampleOf(id: OperationId, publicUrl: string, samples: Samples): Example {
  const { method, path, access, isStream, fileTypes, upload, needsIfMatch } = operation(id);
  const seen: readonly ExampleParameter[] =
    needsIfMatch === true ? [{ in: 'header', name: 'If-Match', value: '' }] : [];
  const parameters = [...pathParametersOf(path, samples), ...queryOf(id, samples), ...seen];
  const body = bodyOf(id, samples);
  const query = new URLSearchParams(
    parameters.flatMap((each) => (each.in === 'query' ? [[each.name, each.value]] : [])),
  ).toString();
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => parameters.find((each) => each.name === name)?.value || placeholderOf(name),
  );
  const request: SampleRequest = {
    method,
    url: `${publicUrl}${filled}${query === '' ? '' : `?${query}`}`,
    needsLogin: access.kind !== 'OPEN',
    ...(body !== undefined && { body }),
    ...(needsIfMatch === true && { ifMatch: '"REVISION"' }),
    ...(upload !== undefined && { upload: fileOf(upload) }),
    answer: isStream === true ? 'STREAMED' : fileTypes === undefined ? 'SHOWN' : { savedAs: 'report.csv' },
  };
  return { parameters, body, request };
}

function pathParametersOf(path: string, { corridorId }: Samples): readonly ExampleParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    in: 'path',
    name,
    value: name === 'corridorId' ? corridorId : '',
  }));
}

function queryOf(id: OperationId, { chainId, tokenIn, tokenOut }: Samples): readonly ExampleParameter[] {
  const values: Partial<Record<OperationId, Readonly<Record<string, string>>>> = {
    listTokens: { chainId },
    getQuote: {
      chainId,
      tokenIn,
      tokenOut,
      tradeType: 'EXACT_IN',
      amount: ONE_ETHER,
      slippageBps: '50',
    },
    listPayments: { limit: '20' },
    listPaymentEvents: { limit: '20' },
    listMovements: { limit: '20' },
    streamEvents: { after: 'now' },
    listRecipients: { limit: '20' },
    listRecipientVersions: { limit: '20' },
    listReports: { limit: '20' },
    listStatements: { limit: '20' },
    listStatementEntries: { limit: '20' },
    listStatementDifferences: { limit: '20' },
  };
  return Object.entries(values[id] ?? {}).map(([name, value]) => ({ in: 'query', name, value }));
}

function bodyOf(id: OperationId, samples: Samples): string | undefined {
  const body = bodyOfDeployment(samples)[id] ?? bodyExample(id);
  return body === undefined ? undefined : JSON.stringify(body, null, 2);
}

/** The bodies that name something of the deployment. */
function bodyOfDeployment({
  chainId,
  tokenIn,
  tokenOut,
  payment,
  month,
}: Samples): Partial<Record<OperationId, object>> {
  const trade = { tokenIn, tokenOut, tradeType: 'EXACT_IN', amount: ONE_ETHER, slippageBps: 50 };
  const { recipient } = payment as { readonly recipient?: object };
  return {
    planSwap: { chainId: Number(chainId), ...trade, recipient: ACCOUNT },
    createPayment: payment,
    createReport: { type: 'movements', format: 'csv', ...month },
    recordRefund: {
      providerReference: 'REFUND-2026-0042',
      amount: '12000000',
      asset: { chainId: Number(chainId), address: tokenOut },
    },
    createRecipient: { recipient, label: 'Supplier 4711' },
    validateRecipient: { recipient },
  };
}

/** A file to send: XML where the operation takes it, else CSV. */
function fileOf(upload: object): SampleRequest['upload'] {
  return 'application/xml' in upload
    ? { type: 'application/xml', file: 'statement.xml' }
    : { type: 'text/csv', file: 'statement.csv' };
}
