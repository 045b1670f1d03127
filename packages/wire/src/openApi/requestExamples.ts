import type { Json, JsonObject } from './components.ts';
import type { OperationId } from '../operations/operations.ts';

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const ONE_ETHER = '1000000000000000000';

const BANK = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
};

/** A payment on one of the sandbox's corridors. */
const paymentTo = (corridorId: string, recipient: JsonObject, mode = 'STANDARD'): JsonObject => ({
  ...{ clientReference: 'INV-2026-0042', corridorId, amountIn: '100000000' },
  ...{ recipient, options: { mode } },
});

const PAYMENTS: Readonly<Record<string, JsonObject>> = {
  bank: paymentTo('usdc-aud-bank', BANK),
  wallet: paymentTo('usdc-wallet', { type: 'wallet', chainId: 31337, address: ACCOUNT }),
  emoney: paymentTo('usdc-php-emoney', {
    ...{ type: 'emoney', name: 'Jo Citizen', provider: 'Example Pay' },
    ...{ idType: 'PHONE', idValue: '+63 917 555 0143', currency: 'PHP' },
  }),
  email: paymentTo('usdc-eur-collect', { type: 'email', email: 'jo.citizen@example.com' }, 'DIGITAL_COLLECT'),
  registered: paymentTo('usdc-aud-bank', { type: 'saved', recipientId: `rcp_${'0'.repeat(32)}` }),
};

/** Bodies that need nothing of a deployment but the ids in them. */
const BODIES = {
  planSwap: {
    ...{ chainId: 31337, tokenIn: NATIVE, tokenOut: USDC },
    ...{ tradeType: 'EXACT_IN', amount: ONE_ETHER },
  },
  reportStep: { outcome: 'DONE' },
  approvePayment: { version: 1 },
  endPayment: { reason: 'SETTLED_ELSEWHERE' },
  recordRefund: {
    providerReference: 'REFUND-2026-0042',
    amount: '12000000',
    asset: { chainId: 31337, address: USDC },
  },
  againPayment: { slippageBps: 100 },
  createRecipient: { recipient: BANK, label: 'Supplier 4711' },
  validateRecipient: { recipient: BANK },
  changeRecipient: { label: 'Supplier 4711, Sydney' },
  approveRecipient: { version: 1 },
  rejectRecipient: { version: 1 },
  verifyRecipient: {
    provider: 'Example Payee Check',
    result: 'MATCH',
    checkedAt: '2026-01-01T12:00:00Z',
    reference: 'VOP-2026-0042',
  },
  createWebhookEndpoint: { url: 'https://hooks.example.com/fairway', types: ['payment_plan.*'] },
  changeWebhookEndpoint: { types: ['payment_plan.*', 'collect_request.*'] },
  rotateWebhookSecret: { overlap: 'P1D' },
  recoverWebhookEndpoint: { since: '2026-01-01T12:00:00Z' },
  createReport: {
    ...{ type: 'movements', format: 'csv' },
    ...{ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
  },
  keepStatementMap: {
    ...{ account: 'DE89370400440532013000', currency: 'EUR', delimiter: ';', decimalSeparator: ',' },
    dateFormat: 'DD.MM.YYYY',
    columns: { bookedOn: 'Booked', amount: 'Amount', balance: 'Balance', endToEndId: 'End-to-end id' },
  },
  matchEntry: { allocations: [{ movementId: `mov_${'0'.repeat(40)}`, amount: '10763' }] },
  ignoreEntry: { reason: 'fee of the account' },
  simulateStep: { event: 'deposit.exact' },
  advanceClock: { advance: 'PT20M' },
  useFaucet: { address: ACCOUNT, native: true, amount: ONE_ETHER },
} as const satisfies Partial<Record<OperationId, JsonObject>>;

/** A file of a bank, by its media type. */
const FILES: Readonly<Record<string, Json>> = {
  'application/xml':
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">…</Document>',
  'text/csv': 'Booked;Amount;Balance;End-to-end id\n31.01.2026;-107,63;892,37;FW0199A6F2\n',
  'text/plain': ':20:STATEMENT\n:25:DE89370400440532013000\n:28C:1\n:60F:C260130EUR1000,00\n…',
  'multipart/form-data': { file: 'Booked;Amount\n31.01.2026;-107,63\n', map: 'my-bank' },
};

/**
 * An example of the body of an operation, with values of the sandbox; undefined where a body without members will do.
 *
 * @example
 * ```ts
 * import { bodyExample } from '@fairway/wire';
 *
 * bodyExample('advanceClock'); // { advance: 'PT20M' }
 * ```
 */
export function bodyExample(id: OperationId): JsonObject | undefined {
  return id === 'createPayment' ? PAYMENTS['bank'] : (BODIES as Partial<Record<OperationId, JsonObject>>)[id];
}

/** The examples of a request's body of this media type, as the OpenAPI document has them. */
export function requestExamplesOf(id: OperationId, mediaType: string): JsonObject {
  if (id === 'createPayment') {
    const named = Object.entries(PAYMENTS).map(([name, value]) => [name, { value }]);
    return Object.fromEntries(named) as JsonObject;
  }
  const value = mediaType === 'application/json' ? (bodyExample(id) ?? {}) : (FILES[mediaType] ?? '');
  return { example: { value } };
}
