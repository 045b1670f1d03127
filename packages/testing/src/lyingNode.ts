import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MiningGate } from './miningGate.ts';
import type { InventedTransfer, Lie, LyingReply, RpcAnswer, RpcCall, Scene } from './lie.ts';

/** A node that passes everything on to an honest one, and lies as told. HTTP only. */
export type LyingNode = {
  readonly url: string;
  /** Starts a lie; undefined: the truth from now on. Answers that hang are cut off when it ends. */
  tell(lie: Lie | undefined): Promise<void>;
  /** How many answers of the present lie, or of the last one, were not the truth, or came late. */
  told(): number;
  /** Adds transfers that the lies about transactions show from now on. */
  invent(transfers: readonly InventedTransfer[]): void;
  close(): Promise<void>;
};

type Telling = {
  readonly lie: Lie;
  readonly scene: Omit<Scene, 'count' | 'ask' | 'invented'>;
  count: number;
  told: number;
};

/** Several services are lied to at once, each about a transfer of its own; older ones are forgotten. */
const KEPT_INVENTIONS = 50;

/**
 * Starts a lying node in front of an honest one, which is asked through the gate. `otherUrl`: a node of another chain with the
 * same chain id.
 */
export async function startLyingNode(
  honestUrl: string,
  otherUrl: string,
  gate: MiningGate,
): Promise<LyingNode> {
  const [honest, askOther] = [passOnTo(honestUrl), passOnTo(otherUrl)];
  const ask: Scene['ask'] = (call) => gate.read(() => honest(call));
  const hanging = new Set<ServerResponse>();
  let telling: Telling | undefined;
  let toldBefore = 0;
  let invented: readonly InventedTransfer[] = [];

  async function answer(call: RpcCall): Promise<LyingReply> {
    const now = telling;
    if (now === undefined) return ask(call);
    now.count++;
    // The truth is asked for once, so that it is of the same moment wherever the answer is compared with it. Lies may copy
    // the request.
    const asked = new Map<string, Promise<RpcAnswer>>();
    const askOnce = (each: RpcCall) => {
      const text = JSON.stringify(each);
      const known = asked.get(text) ?? ask(each);
      asked.set(text, known);
      return known;
    };
    const reply = await now.lie(call, { ...now.scene, ask: askOnce, count: now.count, invented });
    const isAnswer = 'result' in reply || 'error' in reply;
    if (!isAnswer || JSON.stringify(await askOnce(call)) !== JSON.stringify(reply)) now.told++;
    return reply;
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const {
        id,
        method,
        params = [],
      } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<RpcCall> & {
        id: unknown;
        method: string;
      };
      answer({ method, params }).then(
        (reply) => send(response, id, reply, hanging),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async tell(lie) {
      toldBefore = telling?.told ?? toldBefore;
      for (const response of hanging) response.destroy();
      hanging.clear();
      if (lie === undefined) telling = undefined;
      else telling = { lie, scene: await newScene(ask, askOther), count: 0, told: 0 };
    },
    told: () => telling?.told ?? toldBefore,
    invent(transfers) {
      invented = [...invented, ...transfers].slice(-KEPT_INVENTIONS);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function newScene(ask: Scene['ask'], askOther: Scene['askOther']): Promise<Telling['scene']> {
  const latest = await ask({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  if (!('result' in latest)) throw new Error('The honest node has no latest block.');
  return { askOther, firstHead: latest.result as Scene['firstHead'], memory: new Map() };
}

function send(response: ServerResponse, id: unknown, reply: LyingReply, hanging: Set<ServerResponse>): void {
  response.setHeader('content-type', 'application/json');
  if ('body' in reply) {
    response.statusCode = reply.status ?? 200;
    response.end(reply.body);
    return;
  }
  if (!('fault' in reply)) {
    const { isLate: _, ...answer } = reply;
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    return;
  }
  if (reply.fault === 'CUT') {
    response.destroy();
    return;
  }
  if (reply.fault === 'ENDLESS') response.write('{"jsonrpc":"2.0","result":"0x');
  hanging.add(response);
}

function passOnTo(url: string): Scene['ask'] {
  return async (call) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
    });
    const { result, error } = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string };
    };
    return error === undefined ? { result } : { error };
  };
}
