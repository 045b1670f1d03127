import { parseAbi } from 'viem';

/** The wrapped native token's own exchange functions. */
export const WRAPPED_NATIVE_ABI = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 amount)',
]);

/** The part of ERC-20 that swaps need. */
export const TOKEN_ABI = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
]);

/** The part of Multicall3 that swaps need. */
export const MULTICALL3_ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
  'function getEthBalance(address addr) view returns (uint256 balance)',
]);
