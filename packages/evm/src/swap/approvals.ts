import type { Address, Amount } from '@fairway/engine';
import { getAddress, numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { Instruction } from '../types.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import { decodeCanonical } from '../calls/decodeCanonical.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';

/** An allowance to be raised to what a swap can take. */
export type ApprovalRequest = {
  readonly token: Address;
  readonly owner: Address;
  readonly spender: Address;
  readonly current: Amount;
  readonly required: Amount;
  /** The block at which `current` was read. */
  readonly blockHash: string;
};

/**
 * The approvals to execute before a swap. There are none when the allowance suffices. Otherwise there is one of
 * exactly the required amount. A reset to zero comes before it for tokens that refuse to change an allowance in use,
 * which a call shows. Never rejects. When the token cannot be asked, the reset is included, which every ordinary
 * token accepts.
 */
export async function buildApprovals(
  request: RpcRequest,
  approval: ApprovalRequest,
): Promise<readonly Instruction[]> {
  const { token, spender, current, required } = approval;
  if (current >= required) return [];
  const approve = approveInstruction(token, spender, required);
  if (current === 0n || (await changesAllowance(request, approval, approve))) return [approve];
  return [approveInstruction(token, spender, 0n as Amount), approve];
}

function approveInstruction(token: Address, spender: Address, amount: Amount): Instruction {
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [spender, amount] });
  return { to: getAddress(token), data, value: 0n };
}

/** What an approval that succeeds returns: some tokens, like USDT, return nothing. */
const ACCEPTED: readonly unknown[] = ['0x', numberToHex(1n, { size: 32 })];

async function changesAllowance(
  request: RpcRequest,
  { token, owner, blockHash }: ApprovalRequest,
  { data }: Instruction,
): Promise<boolean> {
  try {
    const params = [{ from: owner, to: token, data }, { blockHash }];
    return ACCEPTED.includes(await request({ method: 'eth_call', params }));
  } catch {
    return false;
  }
}

/**
 * Whether approvals, read back from their bytes, are of this token, to this spender, the reset first and the exact
 * amount last.
 */
export function verifyApprovals(approval: ApprovalRequest, instructions: readonly Instruction[]): boolean {
  const amounts = instructions.map((instruction) => approvedAmount(approval, instruction));
  const [first, second, extra] = amounts;
  if (amounts.length === 0) return approval.current >= approval.required;
  if (extra !== undefined || amounts.length > 2) return false;
  return amounts.length === 1 ? first === approval.required : first === 0n && second === approval.required;
}

function approvedAmount(
  { token, spender }: ApprovalRequest,
  { to, data, value }: Instruction,
): bigint | undefined {
  const call = decodeCanonical(TOKEN_ABI, data);
  if (call?.functionName !== 'approve' || value !== 0n || to.toLowerCase() !== token) return undefined;
  return call.args[0].toLowerCase() === spender ? call.args[1] : undefined;
}
