import type { FeePips } from '@fairway/engine';
import type { Factory } from '../src/pools/poolKinds.ts';
import type { RouterDeployment } from '../src/venues/swapRouter02/deployment.ts';
import type { Venue } from '../src/venues/venue.ts';
import { venueOf } from '../src/venues/venueKinds.ts';

/** The factories that a router of a test was built with, as a configuration names them. */
export function factoriesOf({ v2Factory, v3Factory }: RouterDeployment): readonly Factory[] {
  const feeTiers = [100, 500, 3000, 10_000] as FeePips[];
  const v3 = { kind: 'UNISWAP_V3', name: 'uniswap-v3', address: v3Factory, feeTiers } as const;
  if (v2Factory === undefined) return [v3];
  const feePips = 3000 as FeePips;
  return [{ kind: 'UNISWAP_V2', name: 'uniswap-v2', address: v2Factory, feePips }, v3];
}

/** The venue of a test's router. */
export function venueOfTest(deployment: RouterDeployment): Venue {
  return venueOf('SWAP_ROUTER_02', { ...deployment, factories: factoriesOf(deployment) });
}
