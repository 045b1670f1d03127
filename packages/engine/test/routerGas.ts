import type { VenueGas } from '../src/types.ts';

/** Gas of a made-up router, besides that of hops: as much for every route. */
export const routerGas: VenueGas = () => 50_000;
