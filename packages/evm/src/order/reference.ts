import type { SwapOrder } from '../types.ts';

type Calldata = `0x${string}`;
type Referenced = Pick<SwapOrder, 'reference'>;

/** Calldata followed by the order's reference. Contracts and decoders ignore bytes after the arguments they know. */
export function withReference(data: Calldata, { reference }: Referenced): Calldata {
  return reference === undefined ? data : `${data}${reference.slice(2)}`;
}

/** Calldata without the order's reference; undefined where it does not end with the reference. */
export function withoutReference(data: Calldata, { reference }: Referenced): Calldata | undefined {
  if (reference === undefined) return data;
  const bytes = reference.slice(2);
  return data.endsWith(bytes) ? (data.slice(0, data.length - bytes.length) as Calldata) : undefined;
}
