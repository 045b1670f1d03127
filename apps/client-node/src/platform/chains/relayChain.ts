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
  readonly transactionHash: Hex;
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
    const [nonceLatest, nonceFinal, marketFees] = await Promise.all([
      countAt(request, address, head.number),
      countAt(request, address, finalNumber),
      readMarketFees(request, head.baseFeePerGas),
    ]);
    const used = bound.filter(({ nonce }) => nonce < nonceLatest).flatMap(({ attempts }) => attempts);
    const inclusions = await readInclusions(
      request,
      used.map(({ hash }) => hash),
      head.number,
    );
    // Otherwise the chain was reorganised meanwhile, and the readings are of two chains.
    const after = await blockAt(request, head.number);
    if (after?.hash !== head.hash || inclusions === undefined) return undefined;
    return {
      head: { number: Number(head.number), timestampMs: Number(head.timestampSeconds) * 1000 },
      finalBlockNumber: Number(finalNumber),
      ...{ nonceLatest, nonceFinal, inclusions, marketFees },
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

/** The receipts in blocks up to the head; undefined when one is in a block that the chain does not have. */
async function readInclusions(
  request: RpcRequest,
  hashes: readonly Hex[],
  headNumber: bigint,
): Promise<ReadonlyMap<Hex, Inclusion> | undefined> {
  const receipts = await Promise.all(
    hashes.map((hash) => request({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  const found = (receipts as (Receipt | null)[]).filter((each) => each !== null);
  const canonical = new Map<bigint, string | undefined>();
  for (const number of new Set(found.map(({ blockNumber }) => BigInt(blockNumber))))
    canonical.set(number, (await blockAt(request, number))?.hash);
  const isSteady = found.every(
    ({ blockNumber, blockHash }) => canonical.get(BigInt(blockNumber)) === blockHash.toLowerCase(),
  );
  if (!isSteady) return undefined;
  return new Map(
    found
      .filter(({ blockNumber }) => BigInt(blockNumber) <= headNumber)
      .map(({ transactionHash: hash, blockNumber, blockHash, status }) => [
        hash,
        { hash, blockNumber: Number(blockNumber), blockHash, succeeded: BigInt(status) === 1n },
      ]),
  );
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
