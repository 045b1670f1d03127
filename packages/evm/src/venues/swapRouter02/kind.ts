import { toFunctionSelector } from 'viem';
import type { VenueKind } from '../venue.ts';
import { MULTICALL_ABI } from './abi.ts';
import { buildCall, emptyCall } from './build.ts';
import { checkCall } from './check.ts';
import { checkDeployed } from './deployed.ts';
import { factoriesFault } from './routedKinds.ts';
import { deploymentAt } from './deployment.ts';
import { GAS } from './gas.ts';
import { leastOutput } from './leastOutput.ts';

/** Uniswap's SwapRouter02: paths over V2 and V3 pools of the factories it was built with. */
export const SWAP_ROUTER_02: VenueKind = {
  factoriesFault,
  gas: GAS,
  leastOutput,
  at(site) {
    const deployment = deploymentAt(site);
    const { router } = deployment;
    return {
      router,
      spender: router,
      selectors: MULTICALL_ABI.map((item) => toFunctionSelector(item)),
      build: (order) => buildCall(deployment, order),
      check: (order, instruction) => checkCall(deployment, order, instruction),
      emptyCall,
      checkDeployed: (request) => checkDeployed(request, deployment),
    };
  },
};
