import type { RpcRequest } from '../rpc/endpoint.ts';

/** A node by its configured name, and how it is asked. Its answers are in lower case. */
export type AskedNode = { readonly name: string; readonly request: RpcRequest };

/** In which order nodes are asked. */
export type AskingOrder = {
  /** Those without a recent fault first, else in the order of the configuration. */
  nodes(): readonly AskedNode[];
  /** Notes that a node was silent, slow or outvoted. */
  distrust(name: string): void;
};

/** A node with a fault is asked last for so long. */
const DISTRUST_MS = 30_000;

/** Starts with the order of the configuration. */
export function createAskingOrder(nodes: readonly AskedNode[]): AskingOrder {
  const distrustedSinceMs = new Map<string, number>();
  return {
    nodes() {
      const now = performance.now();
      const isDistrusted = ({ name }: AskedNode) =>
        now - (distrustedSinceMs.get(name) ?? Number.NEGATIVE_INFINITY) < DISTRUST_MS;
      return [...nodes.filter((node) => !isDistrusted(node)), ...nodes.filter(isDistrusted)];
    },
    distrust(name) {
      distrustedSinceMs.set(name, performance.now());
    },
  };
}
