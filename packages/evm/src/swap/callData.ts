import {
  type AbiFunction,
  decodeAbiParameters,
  decodeFunctionData as decodeNamed,
  encodeFunctionData as encodeNamed,
  getAbiItem,
  type GetAbiItemParameters,
  toFunctionSelector,
} from 'viem';

/** Selectors by function, because viem hashes the signature for each call: a tenth of what a swap costs. */
const selectors = new WeakMap<AbiFunction, `0x${string}`>();

function selectorOf(item: AbiFunction): `0x${string}` {
  const known = selectors.get(item);
  if (known !== undefined) return known;
  const selector = toFunctionSelector(item);
  selectors.set(item, selector);
  return selector;
}

/** Encodes a call of a function of a constant ABI, like viem's function of this name. */
export const encodeFunctionData: typeof encodeNamed = (call) => {
  const { abi, functionName: name, args } = call as GetAbiItemParameters & { functionName: string };
  const item = getAbiItem({ abi, name, args } as GetAbiItemParameters) as AbiFunction | undefined;
  if (item?.type !== 'function') return encodeNamed(call);
  return encodeNamed({ abi: [item], functionName: selectorOf(item), args } as Parameters<
    typeof encodeNamed
  >[0]);
};

/**
 * Decodes a call of a function of a constant ABI, like viem's function of this name.
 * @throws if the ABI has no such function, or the data are no arguments of it.
 */
export const decodeFunctionData: typeof decodeNamed = (call) => {
  const { abi, data } = call as { readonly abi: readonly AbiFunction[]; readonly data: `0x${string}` };
  const item = abi.find((each) => each.type === 'function' && selectorOf(each) === data.slice(0, 10));
  if (item === undefined) return decodeNamed(call);
  const args = item.inputs.length === 0 ? undefined : decodeAbiParameters(item.inputs, `0x${data.slice(10)}`);
  return { functionName: item.name, args } as ReturnType<typeof decodeNamed<typeof call.abi>>;
};
