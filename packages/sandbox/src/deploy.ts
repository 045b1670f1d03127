import {
  type Address,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  sliceHex,
  stringToHex,
} from 'viem';
import { type ContractArtifact, multicall3Bytecode, ownContract, publishedContract } from './artifacts.ts';
import { type TokenSymbol, TOKEN_PLANS } from './tokens.ts';

/** A transaction of the set-up; the node sends it for an impersonated sender. Gas and value in wei. */
export type SetupTransaction = {
  readonly label: string;
  readonly from: Address;
  readonly to?: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly value?: bigint;
};

/** Addresses of the sandbox's contracts, EIP-55. */
export type SandboxContracts = {
  readonly v2Factory: Address;
  readonly v2Router: Address;
  readonly v3Factory: Address;
  readonly swapRouter02: Address;
  readonly quoterV2: Address;
  readonly positionManager: Address;
  readonly weth9: Address;
  readonly multicall3: Address;
};

/** A token of the sandbox; the address is EIP-55. */
export type SandboxToken = {
  readonly address: Address;
  readonly symbol: TokenSymbol;
  readonly name: string;
  readonly decimals: number;
};

/** The transactions that deploy everything, and the addresses, which are known before any transaction is sent. */
export type Deployment = {
  readonly contracts: SandboxContracts;
  readonly tokens: readonly SandboxToken[];
  readonly transactions: readonly SetupTransaction[];
};

/**
 * The account that deploys, seeds, owns the tokens and pays for the faucet. Nobody has its key: the node impersonates
 * it. So no user's transaction can use its nonces, and every start gives the same addresses.
 */
export const operator: Address = getAddress(sliceHex(keccak256(stringToHex('fairway sandbox operator')), 12));

/** The account that deploys Multicall3 on every chain; from its first nonce the address is the canonical one. */
export const MULTICALL3_DEPLOYER: Address = '0x05f32B3cC3888453ff71B01135B34FF8e41263F2';

const DEPLOY_GAS = 8_000_000n;

const FACTORY_ABI = parseAbi(['function enableFeeAmount(uint24 fee, int24 tickSpacing)']);

type Deployer = {
  readonly transactions: SetupTransaction[];
  deploy(label: string, artifact: ContractArtifact, args?: readonly unknown[]): Address;
};

/** Collects deployments and computes each address from the operator's nonce. */
function createDeployer(): Deployer {
  const transactions: SetupTransaction[] = [];
  return {
    transactions,
    deploy(label, artifact, args = []) {
      const address = getContractAddress({ from: operator, nonce: BigInt(transactions.length) });
      const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args });
      transactions.push({ label: `deploy ${label}`, from: operator, data, gas: DEPLOY_GAS });
      return address;
    },
  };
}

function deployTokens({ deploy }: Deployer): readonly SandboxToken[] {
  const artifacts = {
    SandboxToken: ownContract('SandboxToken'),
    ResetApprovalToken: ownContract('ResetApprovalToken'),
    WETH9: publishedContract('weth9'),
  };
  return TOKEN_PLANS.map(({ symbol, name, decimals, contract }) => {
    const args = contract === 'WETH9' ? [] : [name, symbol, decimals, operator];
    return { address: deploy(symbol, artifacts[contract], args), symbol, name, decimals };
  });
}

/**
 * Plans the deployment of every contract. Reads artifacts from disk; sends nothing.
 *
 * @example
 * ```ts
 * import { planDeployment } from '@fairway/sandbox';
 *
 * const { contracts, tokens } = planDeployment();
 * console.log(contracts.swapRouter02, tokens.find(({ symbol }) => symbol === 'USDC')?.address);
 * ```
 */
export function planDeployment(): Deployment {
  const deployer = createDeployer();
  const { deploy, transactions } = deployer;
  const tokens = deployTokens(deployer);
  const weth9 = addressOfToken(tokens, 'WETH');
  const v2Factory = deploy('UniswapV2Factory', publishedContract('v2Factory'), [operator]);
  const v2Router = deploy('UniswapV2Router02', publishedContract('v2Router'), [v2Factory, weth9]);
  const v3Factory = deploy('UniswapV3Factory', publishedContract('v3Factory'));
  // The descriptor only draws pictures of positions. Without one, tokenURI reverts and everything else works.
  const positionManager = deploy('NonfungiblePositionManager', publishedContract('positionManager'), [
    v3Factory,
    weth9,
    '0x0000000000000000000000000000000000000000',
  ]);
  const swapRouter02 = deploy('SwapRouter02', publishedContract('swapRouter02'), [
    v2Factory,
    v3Factory,
    positionManager,
    weth9,
  ]);
  const quoterV2 = deploy('QuoterV2', publishedContract('quoterV2'), [v3Factory, weth9]);
  transactions.push({
    label: 'enable the 0.01 % tier',
    from: operator,
    to: v3Factory,
    data: encodeFunctionData({ abi: FACTORY_ABI, functionName: 'enableFeeAmount', args: [100, 1] }),
    gas: 200_000n,
  });
  const multicall3 = getContractAddress({ from: MULTICALL3_DEPLOYER, nonce: 0n });
  const multicallCreation: SetupTransaction = {
    label: 'deploy Multicall3',
    from: MULTICALL3_DEPLOYER,
    data: multicall3Bytecode(),
    gas: DEPLOY_GAS,
  };
  return {
    contracts: {
      v2Factory,
      v2Router,
      v3Factory,
      swapRouter02,
      quoterV2,
      positionManager,
      weth9,
      multicall3,
    },
    tokens,
    transactions: [...transactions, multicallCreation],
  };
}

/** The address of the token with this symbol. */
export function addressOfToken(tokens: readonly SandboxToken[], symbol: TokenSymbol): Address {
  const token = tokens.find((each) => each.symbol === symbol);
  if (token === undefined) throw new Error(`No sandbox token ${symbol}`);
  return token.address;
}

/** The CREATE2 address that the V2 factory gives a pair. `token0` sorts before `token1`. */
export function v2PairAddress(
  factory: Address,
  token0: Address,
  token1: Address,
  initCodeHash: Hex,
): Address {
  const salt = keccak256(concatHex([token0, token1]));
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: initCodeHash });
}
