import type { Abi } from 'viem';
import { decodeFunctionData, encodeFunctionData } from './callData.ts';

/** Decodes calldata, or undefined where encoding what was decoded does not give the same bytes again. */
export function decodeCanonical<const T extends Abi>(
  abi: T,
  data: `0x${string}`,
): ReturnType<typeof decodeFunctionData<T>> | undefined {
  try {
    const decoded = decodeFunctionData({ abi, data });
    const wide: Abi = abi;
    const { functionName, args } = decoded as { functionName: string; args?: readonly unknown[] };
    const again = encodeFunctionData({ abi: wide, functionName, args: args ?? [] });
    return again === data.toLowerCase() ? decoded : undefined;
  } catch {
    return undefined;
  }
}
