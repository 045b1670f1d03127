/** A JSON-RPC request. */
export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

/** What a node answers to a request. */
export type RpcAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** What leaves a lying node: an answer, or a fault below JSON-RPC. Bodies are sent as they are. */
export type LyingReply =
  /** `isLate`: it may be the truth, and comes so late that this is the lie. */
  | (RpcAnswer & { readonly isLate?: true })
  | { readonly body: string; readonly status?: number }
  /** The connection is cut. */
  | { readonly fault: 'CUT' }
  /** Nothing is ever sent. */
  | { readonly fault: 'HANG' }
  /** The answer begins and never ends. */
  | { readonly fault: 'ENDLESS' };

/** A transaction that never happened, and the transfer that its receipt shows. */
export type InventedTransfer = {
  readonly txHash: `0x${string}`;
  readonly token: string;
  readonly to: string;
  readonly amount: bigint;
};

/** What a lie can use. */
export type Scene = {
  /** Asks the honest node. */
  readonly ask: (call: RpcCall) => Promise<RpcAnswer>;
  /** Asks the node of another chain with the same chain id and the same contracts. */
  readonly askOther: (call: RpcCall) => Promise<RpcAnswer>;
  /** How many requests came since this lie began, this request included. */
  readonly count: number;
  /** The latest block of the honest chain when this lie began. */
  readonly firstHead: Readonly<Record<string, string>>;
  readonly invented: readonly InventedTransfer[];
  /** What this lie keeps between requests. */
  readonly memory: Map<string, unknown>;
};

/** A kind of lie: what a lying node answers to a request. */
export type Lie = (call: RpcCall, scene: Scene) => LyingReply | Promise<LyingReply>;

/** A JSON object of a node. */
export type NodeObject = Readonly<Record<string, unknown>>;

/** How results are changed. Undefined: this result stays as it is. */
type Change = (result: unknown, call: RpcCall, scene: Scene) => unknown;

/** A lie about some methods: their results are changed, null and errors excepted. Other methods get the truth. */
export function about(methods: readonly string[], change: Change): Lie {
  return async (call, scene) => {
    const truth = await scene.ask(call);
    if (!methods.includes(call.method) || !('result' in truth) || truth.result === null) return truth;
    const changed = await change(truth.result, call, scene);
    return changed === undefined ? truth : { result: changed };
  };
}

/** A lie that is told until one of several lies changes something: the first that does not tell the truth is the answer. */
export function together(...lies: readonly Lie[]): Lie {
  return async (call, scene) => {
    const truth = scene.ask(call);
    const remembering = { ...scene, ask: (asked: RpcCall) => (asked === call ? truth : scene.ask(asked)) };
    for (const lie of lies) {
      const reply = await lie(call, remembering);
      if (JSON.stringify(reply) !== JSON.stringify(await truth)) return reply;
    }
    return truth;
  };
}

/** A lie that is told only for some requests. */
export function when(isTold: (call: RpcCall, scene: Scene) => boolean, lie: Lie): Lie {
  return (call, scene) => (isTold(call, scene) ? lie(call, scene) : scene.ask(call));
}

/** The same answer to every request. */
export function always(reply: LyingReply): Lie {
  return () => reply;
}

/** A number as a node writes it. */
export function quantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}

/** The result of a request to the honest node. @throws where the node refuses. */
export async function truthOf(scene: Scene, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await scene.ask({ method, params });
  if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}
