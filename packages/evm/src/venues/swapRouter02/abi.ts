import type { Address } from '@fairway/engine';
import { parseAbi } from 'viem';

/**
 * The functions of Uniswap's SwapRouter02 that instructions may use, as its sources declare them
 * (@uniswap/swap-router-contracts 1.3.1). Anything else in calldata is refused.
 */
export const ROUTER_ABI = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct ExactOutputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
  'struct ExactOutputParams { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)',
  'function exactInput(ExactInputParams params) payable returns (uint256 amountOut)',
  'function exactOutputSingle(ExactOutputSingleParams params) payable returns (uint256 amountIn)',
  'function exactOutput(ExactOutputParams params) payable returns (uint256 amountIn)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256 amountOut)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to) payable returns (uint256 amountIn)',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function sweepToken(address token, uint256 amountMinimum) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function unwrapWETH9(uint256 amountMinimum) payable',
  'function refundETH() payable',
  'function wrapETH(uint256 value) payable',
  'function pull(address token, uint256 value) payable',
]);

/** The router's entry point: every instruction is one of these, so that every one has a deadline. */
export const MULTICALL_ABI = parseAbi([
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
]);

/** What the router answers about the contracts it was built with. */
export const ROUTER_STATE_ABI = parseAbi([
  'function factory() view returns (address)',
  'function factoryV2() view returns (address)',
  'function WETH9() view returns (address)',
]);

/** Reserved recipient the router reads as whoever called it (its Constants.MSG_SENDER). */
export const CALLER = '0x0000000000000000000000000000000000000001' as Address;

/** Reserved recipient the router reads as itself (its Constants.ADDRESS_THIS). */
export const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002' as Address;

/** Input amount the router reads as its whole balance of the token (its Constants.CONTRACT_BALANCE). */
export const WHOLE_BALANCE = 0n;
