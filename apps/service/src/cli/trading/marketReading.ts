import {
  type BlockReadingRefusal,
  type MarketAtBlock,
  type NodesEvent,
  type ReadingProgress,
  readMarketAt,
  venueOf,
} from '@fairway/evm';
import { connectNodes } from '../../platform/chains/connectNodes.ts';
import { type MarketPlace, readMarketPlace } from '../../platform/config/marketPlace.ts';
import type { ChainConfig } from '../../platform/config/file.ts';
import { CommandError } from '../commandError.ts';
import type { EnvironmentVariables } from '../../platform/config/variables.ts';
import type { TextStream } from '../terminal.ts';

/** How long a node may take for one answer: archive nodes are slow. */
const RPC_TIMEOUT_MS = 20_000;
/** How often a long reading reports its progress. */
const REPORT_INTERVAL_MS = 2000;

/** Chooses the chain that a command reads: the named chain, or the only one. @throws ConfigError, CommandError */
export async function chooseChain(
  id: string | undefined,
  flags: Parameters<typeof readMarketPlace>[0],
  environment: EnvironmentVariables,
): Promise<ChainConfig> {
  const chains = await chainsOf(readMarketPlace(flags, environment));
  const [only, ...others] = chains;
  if (id === undefined && others.length === 0 && only !== undefined) return only;
  const chosen = chains.find(({ chainId }) => String(chainId) === id);
  if (chosen !== undefined) return chosen;
  const known = chains.map(({ chainId, name }) => `${chainId} (${name})`).join(', ');
  throw new CommandError(
    'CHAIN_UNKNOWN',
    id === undefined
      ? `Which chain? Give --chain with one of ${known}.`
      : `--chain ${id}: use one of ${known}.`,
  );
}

/** The chains of a place. The chain of the sandbox is known by its URL alone. */
export async function chainsOf(place: MarketPlace): Promise<readonly ChainConfig[]> {
  if (place.kind === 'CONFIGURED') return place.chains;
  // Imported only when needed: the sandbox package contains contracts under the GPL.
  const { runningSandboxChain } = await import('../../parts/sandbox/sandbox.ts');
  return [runningSandboxChain(place.rpcUrl)];
}

/** Reads a chain's market at a block, or the latest one; a long reading notes its progress. @throws CommandError */
export async function readMarketOf(
  chain: ChainConfig,
  blockHash: string | undefined,
  notes: TextStream,
): Promise<MarketAtBlock> {
  const rpc = connectNodes(chain, RPC_TIMEOUT_MS, (event) => noteNodes(event, notes));
  let status = 'looking for pools';
  const reporting = setInterval(() => {
    notes.write(`Reading ${chain.name}: ${status} ...\n`);
  }, REPORT_INTERVAL_MS);
  const onProgress = (head: MarketAtBlock['head'], { pools, poolsRead }: ReadingProgress): void => {
    status = `block ${head.number}, ${poolsRead} of ${pools} pools`;
  };
  try {
    const { spender } = venueOf(chain.routerKind, chain);
    const reading = await readMarketAt({ ...chain, spender, request: rpc.request }, blockHash, onProgress);
    if (reading.ok) return reading;
    throw new CommandError(reading.refusal.reason, sentenceOf(reading.refusal, chain, blockHash));
  } finally {
    clearInterval(reporting);
    rpc.close();
  }
}

/** Notes which node said what when nodes contradict each other. Too few answers end the command with a reason. */
export function noteNodes(event: NodesEvent, notes: TextStream): void {
  if (event.type === 'NODE_FAILED') return;
  const { type, method, said } = event;
  const sayings = 'node' in said ? [said] : said;
  const what =
    type === 'NODE_OUTVOTED' ? 'One node contradicts the others' : 'The nodes contradict each other';
  const told = sayings.map(({ node, said: text }) => `  ${node}: ${text}`).join('\n');
  notes.write(`${what} (${method}):\n${told}\n`);
}

function sentenceOf(refusal: BlockReadingRefusal, chain: ChainConfig, blockHash = 'latest'): string {
  switch (refusal.reason) {
    case 'NODE_UNREACHABLE':
      return `${chain.name}: ${refusal.detail}`;
    case 'OTHER_CHAIN':
      return `The node is of chain ${refusal.chainId}, not of chain ${chain.chainId}: correct its URL.`;
    case 'BLOCK_UNKNOWN':
      return (
        `The node of ${chain.name} knows no block ${blockHash}. Take the hash from route.blockHash of a quote ` +
        'of this chain; a restarted sandbox has another chain.'
      );
    case 'BLOCK_NOT_CANONICAL':
      return (
        `Block ${blockHash} is not part of ${chain.name} any more: a reorganisation put ${refusal.instead} ` +
        `in its place as block ${refusal.blockNumber}.`
      );
    case 'STATE_UNAVAILABLE':
      return (
        `The node has dropped the state of block ${refusal.blockNumber} ("${refusal.detail}"). ` +
        'Use an archive node: put its URL first in the list of URLs of its node. A sandbox loses its old states when it is started again.'
      );
    case 'NO_MULTICALL':
      return (
        `There is no Multicall3 contract at ${chain.multicall3} at block ${refusal.blockNumber}, and reads need ` +
        'one: take a later block, or correct multicall3 in the configuration.'
      );
    case 'NODE_REFUSES':
      return `The node's answer cannot be used: ${refusal.detail}`;
  }
}
