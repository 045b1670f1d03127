import { type Address, encodeFunctionData, type Hex, isAddressEqual, numberToHex, parseAbi } from 'viem';
import { operator, type SandboxToken } from './deploy.ts';
import type { Line } from './line.ts';
import { minedStatus } from './minedStatus.ts';
import { NodeUnreachable, type Rpc, RpcError } from './rpc.ts';

/** What to give to whom; amounts in smallest units. */
export type FaucetRequest =
  | { readonly address: Address; readonly token: Address; readonly amount: bigint }
  | { readonly address: Address; readonly native: true; readonly amount: bigint };

/**
 * The mined transaction, or the reason why nothing was given. An amount too large for a transaction is set as a
 * balance, without one. UNKNOWN_TOKEN: not a token of the sandbox. REFUSED: the chain cannot do it (an overflow, a
 * recipient that reverts). UNAVAILABLE: the chain is restarting, try again.
 */
export type FaucetResult =
  | { readonly ok: true; readonly transactionHash: Hex | undefined }
  | {
      readonly ok: false;
      readonly reason: 'UNKNOWN_TOKEN' | 'REFUSED' | 'UNAVAILABLE';
      readonly detail: string;
    };

/** Gives funds; resolves when they are mined. Concurrent calls are served one after the other. */
export type Faucet = (request: FaucetRequest) => Promise<FaucetResult>;

const TOKEN_ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function deposit() payable',
]);

const MAX_UINT256 = 2n ** 256n - 1n;
/** Wei that the operator keeps for gas. */
const GAS_RESERVE = 10n ** 24n;
/** anvil sends no more wei than this in one transaction. */
const LARGEST_VALUE = 2n ** 127n;

/**
 * Makes the faucet of these tokens; requests wait for each other in `line`. The node must impersonate the
 * operator, who owns the tokens.
 */
export function createFaucet(rpc: Rpc, tokens: readonly SandboxToken[], line: Line): Faucet {
  return async (request) => {
    try {
      return await line(() => give(rpc, tokens, request));
    } catch (error) {
      if (error instanceof NodeUnreachable)
        return { ok: false, reason: 'UNAVAILABLE', detail: error.message };
      if (error instanceof RpcError) return { ok: false, reason: 'REFUSED', detail: error.message };
      throw error;
    }
  };
}

async function give(
  rpc: Rpc,
  tokens: readonly SandboxToken[],
  request: FaucetRequest,
): Promise<FaucetResult> {
  const { address: recipient, amount } = request;
  if (amount <= 0n || amount > MAX_UINT256) {
    return { ok: false, reason: 'REFUSED', detail: `amount must be 1 to 2^256 - 1, not ${amount}` };
  }
  if ('native' in request) return giveNative(rpc, recipient, amount);
  const token = tokens.find((each) => isAddressEqual(each.address, request.token));
  if (token === undefined) {
    return { ok: false, reason: 'UNKNOWN_TOKEN', detail: `${request.token} is not a token of the sandbox` };
  }
  if (token.symbol === 'WETH') return giveWrapped(rpc, token.address, recipient, amount);
  return mined(rpc, { to: token.address, data: call('mint', recipient, amount) });
}

function call(functionName: 'mint' | 'transfer', recipient: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: TOKEN_ABI, functionName, args: [recipient, amount] });
}

async function giveNative(rpc: Rpc, recipient: Address, amount: bigint): Promise<FaucetResult> {
  const refusal = await fillOperator(rpc, recipient, amount);
  if (refusal !== undefined) return refusal;
  if (amount <= LARGEST_VALUE) return mined(rpc, { to: recipient, value: amount });
  const held = BigInt(await rpc.request<Hex>('eth_getBalance', [recipient, 'latest']));
  await rpc.request('anvil_setBalance', [recipient, numberToHex(held + amount)]);
  await rpc.request('evm_mine');
  return { ok: true, transactionHash: undefined };
}

async function giveWrapped(
  rpc: Rpc,
  token: Address,
  recipient: Address,
  amount: bigint,
): Promise<FaucetResult> {
  if (amount > LARGEST_VALUE) {
    return { ok: false, reason: 'REFUSED', detail: `At most ${LARGEST_VALUE} wei can be wrapped at once` };
  }
  const refusal = await fillOperator(rpc, token, amount);
  if (refusal !== undefined) return refusal;
  const deposit = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'deposit' });
  const wrapped = await mined(rpc, { to: token, data: deposit, value: amount });
  return wrapped.ok ? mined(rpc, { to: token, data: call('transfer', recipient, amount) }) : wrapped;
}

/** Makes sure that the operator can send `amount` to `receiver`; a refusal when a balance would overflow. */
async function fillOperator(rpc: Rpc, receiver: Address, amount: bigint): Promise<FaucetResult | undefined> {
  const [held, received] = (
    await rpc.batch<Hex>(
      [operator, receiver].map((who) => ({ method: 'eth_getBalance', params: [who, 'latest'] })),
    )
  ).map(BigInt);
  if ((received ?? 0n) + amount > MAX_UINT256) {
    return { ok: false, reason: 'REFUSED', detail: `${receiver} would hold more than 2^256 - 1` };
  }
  if (amount <= LARGEST_VALUE && (held ?? 0n) < amount + GAS_RESERVE) {
    await rpc.request('anvil_setBalance', [operator, numberToHex(amount + GAS_RESERVE)]);
  }
  return undefined;
}

type Order = { readonly to: Address; readonly data?: Hex; readonly value?: bigint };

/** Sends a transaction of the operator. The gas estimate refuses one that would revert, with the contract's reason. */
async function mined(rpc: Rpc, order: Order): Promise<FaucetResult> {
  const { to, data = '0x', value = 0n } = order;
  const fields = { from: operator, to, data, value: numberToHex(value) };
  const gas = await rpc.request<Hex>('eth_estimateGas', [fields]);
  const transactionHash = await rpc.request<Hex>('eth_sendTransaction', [{ ...fields, gas }]);
  switch (await minedStatus(rpc, transactionHash)) {
    case 'SUCCEEDED':
      return { ok: true, transactionHash };
    case 'REVERTED':
      return { ok: false, reason: 'REFUSED', detail: `transaction ${transactionHash} reverted` };
    case 'NOT_MINED':
      return {
        ok: false,
        reason: 'UNAVAILABLE',
        detail: `transaction ${transactionHash} was not mined in time`,
      };
  }
}
