import type { Plan } from '@fairway/plan';

/** A type of destination that a recipient can choose. */
export type DestinationType = 'wallet' | 'bank' | 'emoney';

/** The types of destination that the corridor offers and the integrator allows, the most usual first. */
export function offeredTypes({ corridor, options }: Plan): readonly DestinationType[] {
  const { wallet = false, bankCountries = [], emoney = false } = corridor.destinations ?? {};
  const offered = { wallet, bank: bankCountries.length > 0, emoney };
  const allowed = options.collect?.allowedDestinations;
  return (['bank', 'emoney', 'wallet'] as const).filter(
    (type) => offered[type] && (allowed?.includes(type) ?? true),
  );
}
