import { encodeFunctionData, parseAbi } from 'viem';
import type { TestService } from './harness.ts';

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function approve(address, uint256)',
]);

/** The address that stands for the native currency (EIP-7528). */
export const NATIVE_TOKEN = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/** Quotes count what others tip. Transactions of tests do not change it. */
const NO_TIP = { maxPriorityFeePerGas: '0x0' };

/** A call as the API returns it. */
export type ApiInstruction = { readonly to: string; readonly data: string; readonly value: string };

/** Reads a chain and sends transactions to it, with accounts that the node has unlocked. */
export type Wallet = {
  /** The units that an account holds; wei for native currency. */
  balanceOf(holder: string, token: string): Promise<bigint>;
  allowanceOf(owner: string, token: string, spender: string): Promise<bigint>;
  approve(owner: string, token: string, spender: string, amount: bigint): Promise<void>;
  /** Executes instructions in order; resolves to the wei paid for gas. Throws when one is reverted. */
  execute(sender: string, instructions: readonly ApiInstruction[]): Promise<bigint>;
};

/** A wallet on the sandbox chain of a service. */
export function walletOn({ rpc }: TestService): Wallet {
  async function read(to: string, data: `0x${string}`): Promise<bigint> {
    return BigInt(await rpc<string>('eth_call', [{ to, data }, 'latest']));
  }

  async function send(from: string, { to, data, value }: ApiInstruction): Promise<bigint> {
    const transaction = {
      from,
      to,
      data,
      value: `0x${BigInt(value).toString(16)}`,
      gas: '0x989680',
      ...NO_TIP,
    };
    const receipt = await rpc<{ status: string; gasUsed: string; effectiveGasPrice: string }>(
      'eth_sendTransactionSync',
      [transaction],
    );
    if (receipt.status !== '0x1') throw new Error(`A transaction to ${to} was reverted`);
    return BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  }

  return {
    async balanceOf(holder, token) {
      if (token === NATIVE_TOKEN) return BigInt(await rpc<string>('eth_getBalance', [holder, 'latest']));
      const args = [holder as `0x${string}`] as const;
      return read(token, encodeFunctionData({ abi, functionName: 'balanceOf', args }));
    },
    allowanceOf(owner, token, spender) {
      const args = [owner as `0x${string}`, spender as `0x${string}`] as const;
      return read(token, encodeFunctionData({ abi, functionName: 'allowance', args }));
    },
    async approve(owner, token, spender, amount) {
      const args = [spender as `0x${string}`, amount] as const;
      const data = encodeFunctionData({ abi, functionName: 'approve', args });
      await send(owner, { to: token, data, value: '0' });
    },
    async execute(sender, instructions) {
      let gasCost = 0n;
      for (const instruction of instructions) gasCost += await send(sender, instruction);
      return gasCost;
    },
  };
}
