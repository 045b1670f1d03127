// A proxy before the node of a test: it loses what is sent, and answers, and asks a tenth more for a replacement.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '@fairway/testing';
import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedEIP1559,
} from 'viem';

export type Unkindness = {
  /** How many of a hundred. */
  readonly sendsLost: number;
  readonly repliesLost: number;
  readonly receiptsHidden: number;
};

export type UnkindNode = {
  readonly url: string;
  /** How often it was unkind. */
  readonly counts: { lost: number; cut: number; hidden: number; underpriced: number };
  /** What was sent, whether it was taken or not. */
  readonly sent: TransactionSerializedEIP1559[];
  /** Changes how it answers, until it is changed again. */
  behave(whim: Whim): void;
  close(): Promise<void>;
};

/** What a node does with a request instead of answering it; undefined: it answers. */
export type Whim = (request: Request) => Promise<Fault | undefined> | Fault | undefined;
type Fault =
  /** It never answers: to what it has not taken, or to what it has. */
  | 'SILENT_BEFORE'
  | 'SILENT_AFTER'
  /** It calls back when it has taken it, and never answers. */
  | { onTaken(): void }
  | { readonly status: number }
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

export type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** Starts the proxy. `behind`: the URL of the node. */
export async function startUnkindNode(
  behind: string,
  random: Random,
  unkindness: Unkindness,
): Promise<UnkindNode> {
  const counts = { lost: 0, cut: 0, hidden: 0, underpriced: 0 };
  const chance = (percent: number) => random.integer(1, 1000) <= percent * 10;
  const isUnderpriced = createReplacementRule();
  const sent: TransactionSerializedEIP1559[] = [];
  let whim: Whim = () => undefined;

  async function respond(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray()).toString();
    // A request without parameters may leave them out.
    const { id, method, params = [] } = JSON.parse(body) as Omit<Request, 'params'> & Partial<Request>;
    const reply = (fields: object) => {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ jsonrpc: '2.0', id, ...fields }));
    };
    const isSend = method === 'eth_sendRawTransaction';
    if (isSend) sent.push(params[0] as TransactionSerializedEIP1559);
    const fault = await whim({ id, method, params });
    if (fault === 'SILENT_BEFORE') return;
    if (typeof fault === 'object' && !('onTaken' in fault)) {
      if ('status' in fault) answer.writeHead(fault.status).end();
      else reply(fault);
      return;
    }
    if (isSend && fault === undefined && chance(unkindness.sendsLost)) {
      counts.lost += 1;
      answer.destroy();
      return;
    }
    if (isSend && (await isUnderpriced(params[0] as Hex))) {
      counts.underpriced += 1;
      reply({ error: { code: -32_000, message: 'replacement transaction underpriced' } });
      return;
    }
    if (method === 'eth_getTransactionReceipt' && chance(unkindness.receiptsHidden)) {
      counts.hidden += 1;
      reply({ result: null });
      return;
    }
    const text = await textOf(behind, body);
    if (text === undefined || (isSend && fault === undefined && chance(unkindness.repliesLost))) {
      counts.cut += 1;
      answer.destroy();
      return;
    }
    if (fault !== undefined) {
      if (typeof fault === 'object') fault.onTaken();
      return;
    }
    answer.setHeader('content-type', 'application/json');
    answer.end(text);
  }

  return {
    ...{ counts, sent, ...(await serve(respond)) },
    behave(other) {
      whim = other;
    },
  };
}

async function serve(
  respond: (incoming: IncomingMessage, answer: ServerResponse) => Promise<void>,
): Promise<Pick<UnkindNode, 'url' | 'close'>> {
  const server = createServer((incoming, answer) => {
    respond(incoming, answer).catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the node answers; undefined when it is away. */
async function textOf(behind: string, body: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(behind, { method: 'POST', body, headers }).catch(() => undefined);
  return response?.text();
}

/** Makes the rule of nodes for a transaction in place of another one: its fee and its tip are a tenth higher. */
function createReplacementRule(): (raw: Hex) => Promise<boolean> {
  const offered = new Map<string, { readonly hash: Hex; readonly fee: bigint; readonly tip: bigint }>();
  return async (raw) => {
    const { nonce, maxFeePerGas: fee = 0n, maxPriorityFeePerGas: tip = 0n } = parseTransaction(raw);
    const sender = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` });
    const key = `${sender} ${nonce}`;
    const [other, hash] = [offered.get(key), keccak256(raw)];
    const isCheap = (now: bigint, before: bigint) => now * 10n < before * 11n;
    if (other !== undefined && other.hash !== hash && (isCheap(fee, other.fee) || isCheap(tip, other.tip)))
      return true;
    offered.set(key, { hash, fee, tip });
    return false;
  };
}
