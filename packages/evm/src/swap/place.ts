import type { Address } from '@fairway/engine';
import type { Venue } from '../venues/venue.ts';

/** Where an order is executed. `wrappedNative` in lower case. */
export type SwapPlace = { readonly venue: Venue; readonly wrappedNative: Address };

/** Where an order is rehearsed. Addresses in lower case. */
export type RehearsalPlace = SwapPlace & { readonly multicall3: Address };
