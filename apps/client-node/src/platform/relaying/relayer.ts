import type { ChainRpc } from '@fairway/evm';
import type { ChainPolicy, Policy, Refusal } from '@fairway/policies';
import {
  type Hex,
  isBound,
  type Look,
  type RelayChain,
  type RelayPorts,
  type NoSpeedUp,
  speedUp,
} from '@fairway/relay';
import type { ExecutionWait, RelayerState } from '@fairway/wire';
import { DatabaseUnavailableError } from '@fairway/postgres';
import type { Logger } from 'pino';
import { areNodesAway, type ChainConnection } from '../chains/connectChain.ts';
import { createRelayChain } from '../chains/relayChain.ts';
import type { Tokens } from '../chains/tokens.ts';
import { createRelayStore } from '../database/relayStore.ts';
import type { Database } from '../database/schema.ts';
import type { Journal } from '../journal/journal.ts';
import type { OpenSigner } from '../signers/openSigner.ts';
import type { Readable } from '../signers/readable.ts';
import { isSignerFault, signOrder } from '../signers/signer.ts';
import { signReadable } from '../signers/signReadable.ts';
import { createGas } from './gas.ts';
import { createJudge } from './judge.ts';
import { createProposalJudge, type Judged, judgeNew, policyOf, type ProposalJudge } from './judgeProposal.ts';
import { prepareRelayer } from './prepareRelayer.ts';
import { reconcile, type Reconciled } from './reconcile.ts';
import { recover } from './recover.ts';
import { startRelaying } from './relaying.ts';
import { createTopUps } from './topUps.ts';
import { createWatch, type Looked } from './watch.ts';
import { createWaits, type Waits, whyWaiting } from './whyWaiting.ts';

/** A key on one chain, at work. */
export type Relayer = {
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  /** What holds its key. */
  readonly signerKind: OpenSigner['kind'];
  /** Signs what people can read, after it was judged. */
  signReadable(readable: Readable, digest: Hex): Promise<Hex>;
  /** What the policy says of its chain. */
  readonly chainPolicy: ChainPolicy;
  /** What a unit of gas may cost at most on its chain: the configuration says so, and no operator can set more. */
  readonly maxFeePerGasWei: bigint;
  /** Whether it works, or what keeps it from it. While it is STARTING its chain was never reached by this process. */
  state(): RelayerState;
  /** Says why an instruction is not signed yet, and what ends that. */
  whyWaiting(relayTransactionId: string): Promise<ExecutionWait>;
  /** Judges calls that are to be taken on under an execution's id. */
  judgeNew(proposal: Parameters<ProposalJudge>[0], executionId: string): Promise<Judged>;
  readonly request: ChainRpc['request'];
  readonly tokens: Tokens;
  /** The newest block that was looked at; undefined before the first. */
  headNumber(): number | undefined;
  /** Reads what the chain has of it now. */
  look(): Promise<Look>;
  reconcile(): Promise<Reconciled>;
  /** Why it has not topped up an account; undefined where nothing is against it, or nothing has to be done. */
  topUpRefusalOf(to: string): Refusal | undefined;
  /** Signs a replacement of a transaction now, or says why there is none. */
  speedUp(relayTransactionId: string): Promise<'SIGNED' | NoSpeedUp>;
  /** Says that there is something to do. */
  wake(): void;
  close(): Promise<void>;
};

/** What a relayer is started with. */
export type RelayerOptions = {
  readonly database: Database;
  readonly signer: OpenSigner;
  readonly chain: ChainConnection;
  readonly journal: Journal;
  /** What may be signed. It names the chain. */
  readonly policy: Policy;
  /** Asked before a transaction leaves for the first time: false while somebody has to be told first. */
  readonly mayLeave: RelayPorts['mayLeave'];
  /** How long to wait for the next look where nobody wakes it. */
  readonly pauseMs: number;
  readonly metrics: {
    onRefused(relayerId: string, code: string): void;
    onBroadcast(relayerId: string, seconds: number): void;
  };
  readonly log: Logger;
};

/** The id of a key on a chain. */
export function relayerIdOf(chainId: number, address: Hex): string {
  return `${chainId}-${address}`;
}

/**
 * Prepares a relayer and has it work until it is closed. Where the nodes of its chain are away it is prepared when they are
 * back, and others work meanwhile.
 * @throws WrongChainError
 */
export async function startRelayer(options: RelayerOptions): Promise<Relayer> {
  const { database, signer, chain, journal, policy, mayLeave, pauseMs, metrics } = options;
  const { chainId, request, maxFeePerGasCapWei } = chain;
  const chainPolicy = chainPolicyOf(policy, chainId);
  const gas = createGas(database, chain);
  const { address } = signer;
  const relayerId = relayerIdOf(chainId, address);
  const log = options.log.child({ relayerId });
  const { prepare, isPrepared } = preparing(options, relayerId, chainPolicy);
  await prepare().catch((error: unknown) => {
    if (!areNodesAway(error)) throw error;
    log.warn(factsOf(error), 'The nodes of the chain are away; the relayer starts when they are back');
  });
  const seen = remembering(createRelayChain(chain));
  const store = createRelayStore(database, (seconds) => metrics.onBroadcast(relayerId, seconds));
  const { judge, judgeAnew, waits } = judging(options, relayerId, gas);
  const sign: RelayPorts['sign'] = (order) => signOrder(signer, order);
  const watch = createWatch({ database, relayerId, chainPolicy, gas, newest: seen.newest });
  const topUps = createTopUps({
    ...{ database, relayerId, chainId, address, request, log, judgeNew: judgeAnew },
    entries: chainPolicy.topUps.filter(({ from }) => from === address),
    newest: () => seen.newest()?.look,
    wake: () => relaying.wake(),
  });
  const relaying = startRelaying({
    ...{ database, prepare, relayerId, chainId, address, journal, rules: gas, pauseMs },
    ports: { store, chain: seen.chain, judge, sign, mayLeave },
    async afterRound() {
      await watch();
      await topUps.look();
    },
    onSendFailed: ({ hash }, error) => log.info({ hash, err: error }, 'A node did not take a transaction'),
    onFailed: (error) => log.warn(factsOf(error), 'The relayer could not go on; it is tried again'),
  });
  const state = () => (isPrepared() ? stateOf(relaying.failure()) : 'STARTING');
  return {
    ...{ relayerId, chainId, address, signerKind: signer.kind, request, chainPolicy },
    tokens: chain.tokens,
    maxFeePerGasWei: maxFeePerGasCapWei,
    signReadable: (readable, digest) => signReadable(signer, readable, digest),
    state,
    whyWaiting: (relayTransactionId) =>
      whyWaiting({ database, relayerId, chainId, state, waits }, relayTransactionId),
    judgeNew: judgeAnew,
    topUpRefusalOf: topUps.refusalOf,
    headNumber: seen.headNumber,
    async look() {
      const { relayer, open } = await store.read(relayerId);
      return seen.chain.look(relayer, open.filter(isBound));
    },
    async reconcile() {
      const rules = await gas();
      const reconciled = await reconcile({ database, chain: seen.chain, rules, journal }, relayerId);
      relaying.wake();
      return reconciled;
    },
    async speedUp(relayTransactionId) {
      const ports = { store, chain: seen.chain, sign };
      const done = await speedUp({ relayerId, relayTransactionId }, ports, await gas());
      if (done === 'SIGNED') relaying.wake();
      return done;
    },
    wake: relaying.wake,
    close: relaying.stop,
  };
}

/** How calls are judged: when they are asked for, and before they are signed. */
function judging(
  { database, chain, policy, metrics }: RelayerOptions,
  relayerId: string,
  gas: ReturnType<typeof createGas>,
) {
  const { request, nodes, tokens } = chain;
  const waits = createWaits();
  const onRefused = (code: string) => metrics.onRefused(relayerId, code);
  const judgeProposal = createProposalJudge({ policy, database, request, nodes, gas, tokens });
  const judgeAnew: Relayer['judgeNew'] = async (proposal, executionId) => {
    const judged = await judgeNew({ judge: judgeProposal, database, relayerId }, proposal, executionId);
    if (!judged.allowed) for (const { code } of judged.refusals) onRefused(code);
    return judged;
  };
  const ofPolicy = policyOf(judgeProposal, database, relayerId);
  const judge = noticing(createJudge({ nodes, policy: ofPolicy }), onRefused, waits);
  return { judge, judgeAnew, waits };
}

/** What has to be done once before the first look at a chain. */
function preparing(
  { database, journal, signer: { address }, chain: { chainId, request } }: RelayerOptions,
  relayerId: string,
  chainPolicy: ChainPolicy,
) {
  let isDone = false;
  return {
    isPrepared: () => isDone,
    async prepare(): Promise<void> {
      if (isDone) return;
      await assertChain(request, chainPolicy);
      await prepareRelayer(database, journal, { relayerId, chainId, address, request });
      // Before anybody is answered, it is known whether the journal is missing or the database is an older one.
      await recover(database, journal, relayerId);
      isDone = true;
    },
  };
}

function noticing(
  judge: ReturnType<typeof createJudge>,
  onRefused: (code: string) => void,
  waits: Pick<Waits, 'note'>,
): RelayPorts['judge'] {
  return async (...given) => {
    const verdict = await judge(...given);
    if (verdict.may === 'NEVER') onRefused(verdict.refusal.code);
    waits.note(given[0].relayTransactionId, verdict.may === 'WAIT' ? verdict.why : undefined);
    return verdict;
  };
}

/** Where a fault lies is only told of faults of the node itself. */
function factsOf(error: unknown): object {
  const isElsewhere =
    areNodesAway(error) || isSignerFault(error) || error instanceof DatabaseUnavailableError;
  return isElsewhere ? { reason: (error as Error).message } : { err: error };
}

function stateOf(failure: unknown): RelayerState {
  if (failure === undefined) return 'WORKING';
  if (areNodesAway(failure)) return 'NODES_AWAY';
  return isSignerFault(failure) ? 'SIGNER_AWAY' : 'FAILING';
}

/** What may be signed on a chain. A policy without it allows nothing there. */
function chainPolicyOf({ chains }: Policy, chainId: number): ChainPolicy {
  const found = chains.find((each) => each.chainId === chainId);
  if (found === undefined) throw new WrongChainError(`The policy names nothing for chain ${chainId}.`);
  return found;
}

/** The configured chain has another id, or no contract at a router's address: nothing may be signed. */
export class WrongChainError extends Error {
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
  let newest: Looked | undefined;
  return {
    newest: () => newest,
    headNumber: () => newest?.look.head.number,
    chain: {
      ...chain,
      async look(relayer, bound) {
        const look = await chain.look(relayer, bound);
        newest = { look, bound };
        return look;
      },
    } satisfies RelayChain,
  };
}
