import type { VenueGas } from '../src/types.ts';

/** Gas of a made-up router, besides that of hops: as much for every route. */
export const routerGas: VenueGas = {
  ...{ swapUnits: 50_000, tokenReturnUnits: 0, nativeReturnUnits: 0 },
  ...{ checkUnits: 0, uncheckedKinds: new Set() },
};
