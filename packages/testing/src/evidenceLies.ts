import { transferLog } from './logLies.ts';
import { about, type Lie, type NodeObject, type Scene } from './lie.ts';

/** Transactions that never happened are in the block at which the lie began, with a receipt of success. */
export const inventedTransactions: Lie = (call, scene) => {
  const invented = scene.invented.find(({ txHash }) => txHash === call.params[0]);
  if (invented === undefined) return scene.ask(call);
  const block = {
    blockHash: scene.firstHead['hash'],
    blockNumber: scene.firstHead['number'],
    transactionIndex: '0x0',
  };
  if (call.method === 'eth_getTransactionByHash') return { result: transactionOf(invented, block) };
  if (call.method !== 'eth_getTransactionReceipt') return scene.ask(call);
  const logs = [transferLog(invented, scene)];
  return {
    result: { ...transactionOf(invented, block), transactionHash: invented.txHash, status: '0x1', logs },
  };
};

function transactionOf({ txHash, token }: Scene['invented'][number], block: NodeObject): NodeObject {
  const account = `0x${'77'.repeat(20)}`;
  return { ...block, hash: txHash, from: account, to: token, input: '0x', nonce: '0x0', value: '0x0' };
}

/** Receipts of real transactions show half of each transfer. */
export const changedReceipts: Lie = about(['eth_getTransactionReceipt'], (result) => {
  const { logs, ...receipt } = result as { readonly logs: readonly { readonly data: string }[] };
  return { ...receipt, logs: logs.map((log) => ({ ...log, data: halved(log.data) })) };
});

function halved(data: string): string {
  return data.length === 66 ? `0x${(BigInt(data) / 2n).toString(16).padStart(64, '0')}` : data;
}

/** Transactions that succeeded have failed. */
export const failedReceipts: Lie = about(['eth_getTransactionReceipt'], (result) => ({
  ...(result as object),
  status: '0x0',
  logs: [],
}));

/** No transaction was ever seen. */
export const lostTransactions: Lie = (call, scene) =>
  ['eth_getTransactionByHash', 'eth_getTransactionReceipt'].includes(call.method)
    ? { result: null }
    : scene.ask(call);

/**
 * Transactions were sent by somebody else, to another contract, with other data; or, each second time, with another value
 * and nothing else.
 */
export const changedTransactions: Lie = about(['eth_getTransactionByHash'], (result, _, { memory }) => {
  const isValueAlone = memory.get('is value alone') !== true;
  memory.set('is value alone', isValueAlone);
  return isValueAlone
    ? { ...(result as object), value: '0x1234' }
    : {
        ...(result as object),
        from: `0x${'77'.repeat(20)}`,
        to: `0x${'78'.repeat(20)}`,
        input: '0x12345678',
      };
});
