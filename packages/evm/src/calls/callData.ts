import {
  type Abi,
  type AbiFunction,
  decodeAbiParameters,
  decodeFunctionData as decodeNamed,
  encodeFunctionData as encodeNamed,
  getAbiItem,
  toFunctionSelector,
} from 'viem';

/** Selectors by function. viem hashes the signature for each call, so that the calldata of a swap takes it 3.8 times as long. */
const selectors = new WeakMap<AbiFunction, string>();

function selectorOf(item: AbiFunction): string {
  const known = selectors.get(item);
  if (known !== undefined) return known;
  const selector = toFunctionSelector(item);
  selectors.set(item, selector);
  return selector;
}

type Call = { readonly abi: Abi; readonly functionName: string; readonly args?: readonly unknown[] };

function encode({ abi, functionName, args = [] }: Call): `0x${string}` {
  const item = getAbiItem({ abi, name: functionName, args });
  const isKnown = item?.type === 'function';
  const only: Abi = isKnown ? [item] : abi;
  return encodeNamed({ abi: only, functionName: isKnown ? selectorOf(item) : functionName, args });
}

function decode(call: { readonly abi: Abi; readonly data: `0x${string}` }): object {
  const { abi, data } = call;
  for (const item of abi) {
    if (item.type !== 'function' || selectorOf(item) !== data.slice(0, 10)) continue;
    const rest: `0x${string}` = `0x${data.slice(10)}`;
    const args = item.inputs.length === 0 ? undefined : decodeAbiParameters(item.inputs, rest);
    return { functionName: item.name, args };
  }
  return decodeNamed(call);
}

// Both have viem's types, which infer the arguments from the ABI.

/** Encodes a call of a function of a constant ABI, like viem's function of this name. */
export const encodeFunctionData = encode as unknown as typeof encodeNamed;

/** Decodes a call of a function of a constant ABI, like viem's function of this name. It throws as that does. */
export const decodeFunctionData = decode as unknown as typeof decodeNamed;
