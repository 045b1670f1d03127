import { type AskNode, NodeRefusal } from '@fairway/testing';
import type { Corridor, PaymentStep } from '@fairway/wire';
import { receiptOf, transferCall } from '../keyWallet.ts';
import { type LoadTarget, say, type Told } from './asking.ts';
import type { Acknowledged } from './ledger.ts';

/** The amount that is paid where nothing is due. */
const TOO_MUCH_UNITS = 1_000n;

/**
 * Pays a wallet on the chain and reports that transfer: half of what is due, or some units where nothing is due any
 * more. So wallets are paid in parts, and again after they were paid.
 */
export async function payWallet(
  target: LoadTarget,
  known: Acknowledged,
  step: PaymentStep,
  told: Told,
): Promise<void> {
  const { plan } = known;
  const wallet = step.collect?.destination ?? plan.recipient;
  if (wallet.type !== 'wallet') return;
  const dueUnits = BigInt(plan.next?.pay?.amount ?? '0');
  const units = dueUnits > 1n ? dueUnits / 2n : TOO_MUCH_UNITS;
  const sent = await sendFromCustodian(target, known, wallet.address, units);
  if (sent === undefined) return;
  const promised = { type: 'WALLET_PAID', mark: sent.txHash } as const;
  const path = `/v1/payments/${plan.planId}/steps/${step.stepId}/reports`;
  return say(target, known, path, { outcome: 'DONE', ...sent }, told, promised);
}

/** Gives the custodian the money and has the node send it. Undefined when nothing was sent. */
async function sendFromCustodian(
  { callers, node }: LoadTarget,
  { organisation, plan: { corridorId } }: Acknowledged,
  to: string,
  units: bigint,
): Promise<{ readonly txHash: string; readonly logIndex: number } | undefined> {
  const [caller] = callers[organisation] ?? [];
  const listed = await caller?.('/v1/markets/corridors');
  if (listed?.status !== 200) return undefined;
  const corridors = JSON.parse(listed.text) as Corridor[];
  const target = corridors.find(({ id }) => id === corridorId)?.target;
  const { settlementAddress: from, address: token } = target ?? {};
  if (from === undefined || token === undefined) return undefined;
  const asset = { chainId: target?.chainId, address: token };
  const given = await caller?.('/v1/sandbox/faucet', { address: from, asset, amount: String(units) });
  if (given?.status !== 200) return undefined;
  await node('anvil_impersonateAccount', [from]);
  await node('anvil_setBalance', [from, '0x8ac7230489e80000']);
  const txHash = await sendInTurn(node, { from, to: token, data: transferCall(token, to, units).data });
  if (txHash === undefined) return undefined;
  const { logs } = await receiptOf(node, txHash);
  const [transfer] = logs;
  return transfer && { txHash, logIndex: Number(transfer.logIndex) };
}

let lastSent: Promise<unknown> = Promise.resolve();

/**
 * Sends one transaction after the other, because the node gives two that come at once the same nonce. The sandbox sends
 * from the custodian's account, too. When both send at once, the node refuses one: undefined when it refuses this one.
 */
async function sendInTurn(node: AskNode, transaction: object): Promise<string | undefined> {
  const sent = lastSent.then(() => node<string>('eth_sendTransaction', [transaction]));
  lastSent = sent.catch(() => {});
  try {
    return await sent;
  } catch (error) {
    if (error instanceof NodeRefusal) return undefined;
    throw error;
  }
}
