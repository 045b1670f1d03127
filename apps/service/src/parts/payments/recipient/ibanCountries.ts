import type { RecipientFacts } from '@fairway/recipients';
import { ibanLengths, ibanTerritories } from './ibanRegistry.ts';

/** Countries of the IBAN registry, and territories with IBANs of another country (ISO 3166-1 alpha-2). */
export const ibanCountries: ReadonlySet<string> = new Set([...ibanLengths.keys(), ...ibanTerritories]);

/** What decides the shape of a bank recipient in a country (ISO 3166-1 alpha-2, upper case). */
export function bankFacts(country: string): Extract<RecipientFacts, { type: 'bank' }> {
  return { type: 'bank', country, usesIban: ibanCountries.has(country) };
}
