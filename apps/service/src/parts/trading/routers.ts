import {
  type CallTarget,
  NodeNonsenseError,
  NodesDisagreeError,
  RpcAnswerError,
  RpcUnreachableError,
} from '@fairway/evm';
import { type Answer, eip55, refuse, type Registrar, tryLater } from '@fairway/api';
import type { Router } from '@fairway/wire';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { nodesDisagree } from './tradeProblems.ts';

/** Registers the list of the contracts that instructions call, as the chains have them now. */
export function registerRouters(registrar: Registrar, chains: readonly ChainService[]): void {
  const ordered = [...chains].sort((a, b) => a.chainId - b.chainId);
  registrar.find('listRouters', {
    async answer(): Promise<Answer<Router[]>> {
      const body: Router[] = [];
      for (const chain of ordered) {
        const read = await targetsOf(chain);
        if (!read.ok) return read;
        body.push(...read.targets.map((target) => routerBody(chain.chainId, target)));
      }
      return { ok: true, body };
    },
  });
}

async function targetsOf({ chainId, readCallTargets }: ChainService) {
  try {
    return { ok: true as const, targets: await readCallTargets() };
  } catch (error) {
    if (error instanceof NodesDisagreeError)
      return refuse(tryLater('nodes-disagree', nodesDisagree(chainId), 2));
    if (
      error instanceof RpcUnreachableError ||
      error instanceof RpcAnswerError ||
      error instanceof NodeNonsenseError
    )
      return refuse(tryLater('upstream-unavailable', `Chain ${chainId} does not answer at the moment.`, 2));
    throw error;
  }
}

function routerBody(chainId: number, { address, kind, codeHash, selectors, spenders }: CallTarget): Router {
  return {
    ...{ chainId, address: eip55(address), kind, codeHash },
    selectors: [...selectors],
    spenders: spenders.map(eip55),
  };
}
