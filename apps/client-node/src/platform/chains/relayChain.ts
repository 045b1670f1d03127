import { toAddress } from '@fairway/engine';
import {
  blockAt,
  latestHead,
  type NodeRpc,
  readReplacement,
  readTransaction,
  type RpcRequest,
} from '@fairway/evm';
import type { BoundInstruction, Fees, Hex, Inclusion, Look, RelayChain, Relayer } from '@fairway/relay';

/** A chain as the node's operator has configured it. */
export type RelayChainOptions = {
  /** All nodes as one: what it answers is believed. */
  readonly request: RpcRequest;
  /** Each node by itself: transactions are given to all of them. */
  readonly nodes: readonly NodeRpc[];
  /** A block with so many blocks on top of it cannot be replaced. */
  readonly confirmations: number;
};

/** How much of a receipt is read here. */
type Receipt = {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
};

const NO_HASH: Hex = `0x${'0'.repeat(64)}`;

/** Reads a chain for its relayers, and gives it their transactions. */
export function createRelayChain({ request, nodes, confirmations }: RelayChainOptions): RelayChain {
  async function look(
    { address, chainId }: Relayer,
    bound: readonly BoundInstruction[],
  ): Promise<Look | undefined> {
    // At each look, because behind a URL there may be another node by now.
    const [head, found] = await Promise.all([latestHead(request), request({ method: 'eth_chainId' })]);
    if (BigInt(found as Hex) !== BigInt(chainId)) throw new WrongChainError(chainId, BigInt(found as Hex));
    const finalNumber = head.number < BigInt(confirmations) ? 0n : head.number - BigInt(confirmations);
    const latest = countAt(request, address, head.number);
    const [nonceLatest, nonceFinal, marketFees, balanceWei] = await Promise.all([
      latest,
      finalNumber === head.number ? latest : countAt(request, address, finalNumber),
      readMarketFees(request, head.baseFeePerGas),
      balanceAt(request, address, head.number),
    ]);
    const used = bound.filter(({ nonce }) => nonce < nonceLatest);
    const inclusions = await readInclusions(request, used, head.number);
    // Otherwise the chain was reorganised meanwhile, and the readings are of two chains.
    const after = await blockAt(request, head.number);
    if (after?.hash !== head.hash.toLowerCase() || inclusions === undefined) return undefined;
    return {
      head: {
        ...{ number: Number(head.number), hash: head.hash },
        timestampMs: Number(head.timestampSeconds) * 1000,
        baseFeePerGasWei: head.baseFeePerGas,
      },
      finalBlockNumber: Number(finalNumber),
      ...{ nonceLatest, nonceFinal, balanceWei, inclusions, marketFees },
    };
  }

  return {
    async look(relayer, bound) {
      for (let readings = 0; readings < MAX_READINGS; readings += 1) {
        const seen = await look(relayer, bound);
        if (seen !== undefined) return seen;
      }
      throw new ChainUnsteadyError();
    },
    async find({ call, nonce, attempts }) {
      const sender = toAddress(call.sender);
      const sinceBlock = attempts[0]?.signedAtBlock ?? 0;
      const hash = await readReplacement(request, { txHash: NO_HASH, sender, nonce, sinceBlock });
      const found = hash && (await readTransaction(request, hash));
      if (hash === undefined || found?.found !== 'MINED' || found.confirmations <= BigInt(confirmations))
        return undefined;
      return {
        ...{ hash, raw: '0x', to: found.to ?? '0x', data: found.input, valueWei: found.value },
        fees: { maxFeePerGasWei: 0n, maxPriorityFeePerGasWei: 0n },
        blockNumber: Number(found.blockNumber),
      };
    },
    async send({ raw }) {
      const sent = nodes.map(({ rpc }) => rpc.request({ method: 'eth_sendRawTransaction', params: [raw] }));
      await Promise.any(sent);
    },
  };
}

const MAX_READINGS = 4;

/** The chain is reorganised faster than it can be read. A later look will do. */
class ChainUnsteadyError extends Error {
  override readonly name = 'ChainUnsteadyError';
  constructor() {
    super('The chain changed while it was read');
  }
}

/** The nodes are of another chain. Nothing that they say is used, and nothing is sent. */
class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
  constructor(chainId: number, found: bigint) {
    super(`The nodes of chain ${chainId} say that they are of chain ${found}. Correct their URLs.`);
  }
}

async function countAt(request: RpcRequest, address: Hex, blockNumber: bigint): Promise<number> {
  const params = [address, `0x${blockNumber.toString(16)}`];
  return Number(BigInt((await request({ method: 'eth_getTransactionCount', params })) as Hex));
}

async function balanceAt(request: RpcRequest, address: Hex, blockNumber: bigint): Promise<bigint> {
  const params = [address, `0x${blockNumber.toString(16)}`];
  return BigInt((await request({ method: 'eth_getBalance', params })) as Hex);
}

/**
 * Where the chain has instructions, in blocks up to the head. A block that is still there has what it had, so that nothing
 * is asked again of it. Undefined when a receipt is of a block that the chain does not have.
 */
async function readInclusions(
  request: RpcRequest,
  used: readonly BoundInstruction[],
  headNumber: bigint,
): Promise<ReadonlyMap<Hex, Inclusion> | undefined> {
  const isThere = createPresence(request);
  const inclusions = await Promise.all(
    used.map(async ({ inclusion: known, attempts }) => {
      if (known !== undefined && (await isThere(known))) return [known];
      return Promise.all(attempts.map(({ hash }) => readInclusion(request, hash)));
    }),
  );
  const found = inclusions.flat().filter((each) => each !== undefined);
  const present = await Promise.all(found.map(isThere));
  if (!present.every(Boolean)) return undefined;
  const upToHead = found.filter(({ blockNumber }) => BigInt(blockNumber) <= headNumber);
  return new Map(upToHead.map((each) => [each.hash, each]));
}

/** Asks once for each block whether the chain has it. */
function createPresence(request: RpcRequest) {
  const blocks = new Map<number, ReturnType<typeof blockAt>>();
  return async ({ blockNumber, blockHash }: Inclusion): Promise<boolean> => {
    const block = blocks.get(blockNumber) ?? blockAt(request, BigInt(blockNumber));
    blocks.set(blockNumber, block);
    return (await block)?.hash === blockHash.toLowerCase();
  };
}

async function readInclusion(request: RpcRequest, hash: Hex): Promise<Inclusion | undefined> {
  const receipt = await request({ method: 'eth_getTransactionReceipt', params: [hash] });
  if (receipt === null) return undefined;
  const { blockNumber, blockHash, status } = receipt as Receipt;
  return { hash, blockNumber: Number(blockNumber), blockHash, succeeded: BigInt(status) === 1n };
}

/** The least that is offered to who makes blocks, where the latest blocks say nothing. */
const LEAST_TIP_WEI = 1_000_000n;

/** Twice the base fee: enough for six full blocks, of which each raises it by an eighth. */
async function readMarketFees(request: RpcRequest, baseFeeWei: bigint): Promise<Fees> {
  const history = (await request({
    method: 'eth_feeHistory',
    params: ['0x14', 'latest', [50]],
  })) as { readonly reward?: readonly (readonly Hex[])[] };
  const tips = (history.reward ?? []).flatMap(([tip]) => (tip === undefined ? [] : [BigInt(tip)]));
  tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const median = tips[tips.length >> 1] ?? 0n;
  const maxPriorityFeePerGasWei = median > LEAST_TIP_WEI ? median : LEAST_TIP_WEI;
  return { maxFeePerGasWei: 2n * baseFeeWei + maxPriorityFeePerGasWei, maxPriorityFeePerGasWei };
}
