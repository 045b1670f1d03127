import { headerToHead } from '../rpc/head.ts';
import { receiptsOfRoot } from '../rpc/receiptsRoot.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { type NodeSaid, RpcAnswerError } from '../rpc/errors.ts';
import type { AskingOrder } from './askingOrder.ts';

/** The next node is asked as well when one takes longer than this. */
const HEDGE_AFTER_MS = 500;

type Call = Parameters<RpcRequest>[0];

/**
 * A block's receipts from any one node. The block's hash covers the root of its receipts, so a list with this root is
 * the block's, whichever node sends it. Undefined where no node sends such a list: nodes may lack the method, and
 * some chains have receipts of their own kind. `onFalse` is told which nodes sent another list before it was found.
 * @throws (by rejection) what asking for the block's header throws
 */
export async function provenReceipts(
  order: AskingOrder,
  call: Call,
  askForHeader: () => Promise<unknown>,
  onFalse: (said: NodeSaid) => void,
): Promise<unknown> {
  const header = await askForHeader();
  const root = header === null ? undefined : headerToHead(header).commitments?.receiptsRoot;
  return root === undefined ? undefined : firstProven(order, call, root, onFalse);
}

/** Asks one node after the other until one proves it, and does not wait for slow ones. */
function firstProven(
  order: AskingOrder,
  call: Call,
  root: string,
  onFalse: (said: NodeSaid) => void,
): Promise<unknown> {
  const nodes = order.nodes();
  const said: NodeSaid[] = [];
  const waiting = new Set<string>();
  let asked = 0;
  let isSettled = false;
  return new Promise((resolve) => {
    const hedge = setInterval(() => {
      for (const name of waiting) order.distrust(name);
      askNext();
    }, HEDGE_AFTER_MS);

    function settle(receipts: unknown): void {
      isSettled = true;
      clearInterval(hedge);
      if (receipts !== undefined)
        for (const each of said) {
          order.distrust(each.node);
          onFalse(each);
        }
      resolve(receipts);
    }

    function askNext(): void {
      const node = nodes[asked++];
      if (node === undefined) {
        if (waiting.size === 0) settle(undefined);
        return;
      }
      waiting.add(node.name);
      node.request(call).then(
        (answer) => take(node.name, answer),
        (error: unknown) => {
          if (!(error instanceof RpcAnswerError)) order.distrust(node.name);
          take(node.name, null);
        },
      );
    }

    function take(name: string, answer: unknown): void {
      if (isSettled) return;
      waiting.delete(name);
      if (Array.isArray(answer)) {
        const proven = receiptsOfRoot(answer, root);
        if (proven !== undefined) return settle(proven);
        said.push({ node: name, said: 'receipts whose root is not that of the block' });
      }
      askNext();
    }

    askNext();
  });
}
