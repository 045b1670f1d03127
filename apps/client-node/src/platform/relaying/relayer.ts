import { type ChainRpc, createAgreedRpc, createChainRpc } from '@fairway/evm';
import type { ChainPolicy, Policy } from '@fairway/policies';
import {
  type GasRules,
  type Hex,
  isBound,
  type Look,
  type RelayChain,
  type RelayPorts,
} from '@fairway/relay';
import type { Logger } from 'pino';
import { createRelayChain } from '../chains/relayChain.ts';
import { createRelayStore } from '../database/relayStore.ts';
import type { Database } from '../database/schema.ts';
import { openJournal } from '../journal/journal.ts';
import { signOrder, type Signer } from '../signers/signer.ts';
import { createJudge } from './judge.ts';
import { createProposalJudge, type Judged, judgeNew, policyOf, type ProposalJudge } from './judgeProposal.ts';
import { prepareRelayer } from './prepareRelayer.ts';
import { reconcile, type Reconciled } from './reconcile.ts';
import { recover } from './recover.ts';
import { startRelaying } from './relaying.ts';
import { createWatch } from './watch.ts';

/** A key on one chain, at work. */
export type Relayer = {
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  /** What the policy says of its chain. */
  readonly chainPolicy: ChainPolicy;
  /** Judges calls that are to be taken on under an execution's id. */
  judgeNew(proposal: Parameters<ProposalJudge>[0], executionId: string): Promise<Judged>;
  readonly request: ChainRpc['request'];
  /** The newest block that was looked at; undefined before the first. */
  headNumber(): number | undefined;
  /** Reads what the chain has of it now. */
  look(): Promise<Look>;
  reconcile(): Promise<Reconciled>;
  /** Says that there is something to do. */
  wake(): void;
  close(): Promise<void>;
};

/** What a relayer is started with. */
export type RelayerOptions = {
  readonly database: Database;
  readonly signer: Signer;
  readonly chain: {
    readonly chainId: number;
    readonly nodeUrls: readonly string[];
    readonly confirmations: number;
    readonly maxFeePerGasCapWei: bigint;
  };
  readonly journalPath: string;
  /** What may be signed. It names the chain. */
  readonly policy: Policy;
  /** Asked before a transaction leaves for the first time: false while somebody has to be told first. */
  readonly mayLeave: RelayPorts['mayLeave'];
  /** How long to wait for the next look where nobody wakes it. */
  readonly pauseMs: number;
  readonly log: Logger;
};

const RPC_TIMEOUT_MS = 5_000;
const RULES = { bumpAfterBlocks: 3, mostPending: 16 } as const;

/** Connects to the chain, prepares the relayer and has it work until it is closed. */
export async function startRelayer(options: RelayerOptions): Promise<Relayer> {
  const { database, signer, chain, journalPath, policy, mayLeave, pauseMs } = options;
  const { chainId, confirmations, maxFeePerGasCapWei } = chain;
  const chainPolicy = chainPolicyOf(policy, chainId);
  const relayerId = String(chainId);
  const log = options.log.child({ relayerId });
  const nodes = chain.nodeUrls.map((url, index) => ({
    name: `node ${index + 1}`,
    rpc: createChainRpc([url], RPC_TIMEOUT_MS),
  }));
  const agreement = (nodes.length >> 1) + 1;
  const rpc = createAgreedRpc({
    nodes,
    agreement,
    onEvent: (event) => log.warn(event, 'The nodes of the chain'),
  });
  const { request } = rpc;
  await assertChain(request, chainPolicy);
  const { address } = signer;
  const journal = openJournal(journalPath);
  await prepareRelayer(database, journal, { relayerId, chainId, address, request });
  // Before anybody is answered, it is known whether the journal is missing or the database is an older one.
  await recover(database, journal, relayerId);
  const seen = remembering(createRelayChain({ request, nodes, confirmations }));
  const store = createRelayStore(database);
  const judge = createProposalJudge({ policy, database, request, nodes, maxFeePerGasCapWei });
  const rules: GasRules = { ...RULES, maxFeePerGasCapWei };
  const relaying = startRelaying({
    ...{ database, relayerId, chainId, address, journal, rules, pauseMs },
    ports: {
      store,
      chain: seen.chain,
      judge: createJudge({
        request,
        nodes,
        policy: policyOf(judge, database, relayerId),
        maxFeePerGasCapWei,
      }),
      sign: (order) => signOrder(signer, order),
      mayLeave,
    },
    afterRound: createWatch({
      ...{ database, relayerId, address, request, chainPolicy, maxFeePerGasCapWei },
      newest: seen.newest,
    }),
    onSendFailed: ({ hash }, error) => log.info({ hash, err: error }, 'A node did not take a transaction'),
    onFailed: (error) => log.warn({ err: error }, 'The relayer could not go on; it is tried again'),
  });
  return {
    ...{ relayerId, chainId, address, request, chainPolicy },
    judgeNew: (proposal, executionId) => judgeNew({ judge, database, relayerId }, proposal, executionId),
    headNumber: seen.headNumber,
    async look() {
      const { relayer, open } = await store.read(relayerId);
      return seen.chain.look(relayer, open.filter(isBound));
    },
    async reconcile() {
      const reconciled = await reconcile({ database, chain: seen.chain, rules, journal }, relayerId);
      relaying.wake();
      return reconciled;
    },
    wake: relaying.wake,
    async close() {
      await relaying.stop();
      rpc.close();
      journal.close();
    },
  };
}

/** What may be signed on a chain. A policy without it allows nothing there. */
function chainPolicyOf({ chains }: Policy, chainId: number): ChainPolicy {
  const found = chains.find((each) => each.chainId === chainId);
  if (found === undefined) throw new WrongChainError(`The policy names nothing for chain ${chainId}.`);
  return found;
}

/** The configured chain has another id, or no contract at a router's address: nothing may be signed. */
class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

async function assertChain(
  request: ChainRpc['request'],
  { chainId, routers }: Pick<ChainPolicy, 'chainId' | 'routers'>,
): Promise<void> {
  const found = Number(BigInt((await request({ method: 'eth_chainId', params: [] })) as Hex));
  if (found !== chainId)
    throw new WrongChainError(`The nodes are of chain ${found}, and the configuration says ${chainId}.`);
  for (const router of routers) {
    const code = await request({ method: 'eth_getCode', params: [router, 'latest'] });
    if (code === '0x')
      throw new WrongChainError(`There is no contract at ${router}, which the policy names as a router.`);
  }
}

/** Remembers the newest look at the chain. */
function remembering(chain: RelayChain) {
  let newest: Look | undefined;
  return {
    newest: () => newest,
    headNumber: () => newest?.head.number,
    chain: {
      ...chain,
      async look(relayer, bound) {
        newest = await chain.look(relayer, bound);
        return newest;
      },
    } satisfies RelayChain,
  };
}
