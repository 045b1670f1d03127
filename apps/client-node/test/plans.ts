// Payments as a client asks a node for them, and how often the chain has each.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { AskNode } from '@fairway/testing';
import type { ExecutionReading, PaymentPlan, Sandbox } from '@fairway/wire';
import { ask, type Reply } from './asking.ts';
import type { NodePlace, Place, ServicePlace } from './processes.ts';

export const AMOUNT = 1_000_000_000n;
const AUSTRALIAN = {
  ...{ type: 'bank', name: 'Jo Citizen', country: 'AU' },
  account: { bsb: '062-000', accountNumber: '12345678' },
};
const WALLET = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** A payment of each kind: one that swaps, one that only sends, and one whose recipient is e-mailed. */
export const KINDS = {
  swapped: { corridorId: 'usdc-aud-bank', mode: 'STANDARD', minAmountOut: '1000000000' },
  sent: { corridorId: 'usdc-wallet', mode: 'STANDARD' },
  collected: {
    corridorId: 'usdc-eur-collect',
    mode: 'DIGITAL_COLLECT',
    minAmountOut: `600${'0'.repeat(18)}`,
  },
} as const;
export type Kind = keyof typeof KINDS;

/** The body of a payment. */
export function paymentOf(kind: Kind, clientReference: string, chainId: number, options: object = {}) {
  const { corridorId, ...own } = KINDS[kind];
  const recipients = {
    swapped: AUSTRALIAN,
    sent: { type: 'wallet', chainId, address: WALLET },
    collected: { type: 'email', email: 'jo@example.com' },
  };
  return {
    ...{ clientReference, corridorId, amountIn: String(AMOUNT), recipient: recipients[kind] },
    options: { ...own, ...options },
  };
}

export type ExecutedPlan = PaymentPlan &
  ExecutionReading & {
    readonly code: string;
    readonly detail: string;
    readonly errors?: readonly { readonly pointer: string }[];
  };

/** Has a node execute a payment, and waits for the end of its part. */
export function pay(node: Place, body: object, wait = 30): Promise<Reply<ExecutedPlan>> {
  const headers = { prefer: `wait=${wait}` };
  return ask<ExecutedPlan>(node, '/v1/payments?executionMode=execute', { body, headers });
}

/** Gives an account of a token, in a sandbox. */
export async function give(
  service: ServicePlace,
  address: string | undefined,
  amount: bigint,
  symbol = 'USDC',
): Promise<string> {
  const { tokens } = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  const asset = tokens.find((each) => each.symbol === symbol) ?? assert.fail();
  const body = { address, asset, amount: String(amount) };
  const { status } = await ask(service, '/v1/sandbox/faucet', { body });
  assert.ok(status < 300, String(status));
  return asset.address;
}

/** A transaction of a block. */
export type Mined = { readonly hash: string; readonly from: string; readonly input: string };

/** The transactions of a relayer that succeeded and carry a tag of a plan: those that pay for it. */
export async function paymentsOnChain(rpc: AskNode, node: NodePlace, planId: string): Promise<string[]> {
  return paidFor(await succeededOf(rpc, node.relayers[0]?.address), planId);
}

/** Those of a relayer's transactions that pay for a plan. */
export function paidFor(succeeded: readonly Mined[], planId: string): string[] {
  const name = createHash('sha256').update(`fairway plan ${planId}`).digest('hex').slice(0, 12);
  return succeeded.filter(({ input }) => input.slice(-32).startsWith(name)).map(({ hash }) => hash);
}

/** The transactions of an address that succeeded. */
export async function succeededOf(rpc: AskNode, address = ''): Promise<Mined[]> {
  const last = Number(await rpc<string>('eth_blockNumber', []));
  const found: Mined[] = [];
  for (let number = 0; number <= last; number += 1) {
    const at = [`0x${number.toString(16)}`, true];
    const { transactions } = await rpc<{ transactions: Mined[] }>('eth_getBlockByNumber', at);
    for (const each of transactions) {
      if (each.from !== address.toLowerCase()) continue;
      const { status } = await rpc<{ status: string }>('eth_getTransactionReceipt', [each.hash]);
      if (status === '0x1') found.push(each);
    }
  }
  return found;
}
