import type { SwapOrder } from '../types.ts';

type Calldata = `0x${string}`;
type Referenced = Pick<SwapOrder, 'reference'>;

/** Calldata with the order's reference behind it. Decoders of calldata read what they know and pass over the rest. */
export function withReference(data: Calldata, { reference }: Referenced): Calldata {
  return reference === undefined ? data : `${data}${reference.slice(2)}`;
}

/** Calldata without the order's reference; undefined where that is not what it ends with. */
export function withoutReference(data: Calldata, { reference }: Referenced): Calldata | undefined {
  if (reference === undefined) return data;
  const bytes = reference.slice(2);
  return data.endsWith(bytes) ? (data.slice(0, data.length - bytes.length) as Calldata) : undefined;
}
