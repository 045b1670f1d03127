import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Abi, Hex } from 'viem';

/** A compiled contract: its ABI and its creation code. */
export type ContractArtifact = { readonly abi: Abi; readonly bytecode: Hex };

const resolver = createRequire(import.meta.url);

/** File paths inside the npm packages that carry the real contracts' compiled code. */
const PUBLISHED_PATHS = {
  v2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  v2Pair: '@uniswap/v2-core/build/UniswapV2Pair.json',
  v2Router: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  weth9: '@uniswap/v2-periphery/build/WETH9.json',
  v3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  v3Pool: '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  positionManager:
    '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  quoterV2: '@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  swapRouter02: '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
} as const;

/** The names of the published contracts the sandbox deploys or talks to. */
export type PublishedContract = keyof typeof PUBLISHED_PATHS;

function readArtifact(path: string): ContractArtifact {
  const file = JSON.parse(readFileSync(path, 'utf8')) as { abi: Abi; bytecode: string };
  const bytecode = file.bytecode.startsWith('0x') ? file.bytecode : `0x${file.bytecode}`;
  return { abi: file.abi, bytecode: bytecode as Hex };
}

/** Reads a published contract from its npm package; nothing of it is copied into this repository. */
export function publishedContract(name: PublishedContract): ContractArtifact {
  return readArtifact(resolver.resolve(PUBLISHED_PATHS[name]));
}

/** Reads one of this package's own contracts, compiled from contracts/ by `npm run contracts`. */
export function ownContract(name: 'SandboxToken' | 'ResetApprovalToken'): ContractArtifact {
  return readArtifact(join(import.meta.dirname, '..', 'artifacts', `${name}.json`));
}

/** Multicall3's creation code. viem carries it but does not export it, so it is read out of viem's own file. */
export function multicall3Bytecode(): Hex {
  const file = join(dirname(resolver.resolve('viem/package.json')), '_esm', 'constants', 'contracts.js');
  const match = /multicall3Bytecode = '(0x[0-9a-f]+)'/.exec(readFileSync(file, 'utf8'));
  if (match?.[1] === undefined) throw new Error(`Multicall3's creation code is not in ${file}`);
  return match[1] as Hex;
}
