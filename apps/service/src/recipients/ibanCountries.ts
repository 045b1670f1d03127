import type { RecipientFacts } from '@fairway/recipients';
import { getCountrySpecifications } from 'ibantools';

/** Countries of the IBAN registry, and territories with IBANs of another country (ISO 3166-1 alpha-2). */
export const ibanCountries: ReadonlySet<string> = new Set(
  Object.entries(getCountrySpecifications())
    .filter(([, { IBANRegistry }]) => IBANRegistry === true)
    .map(([country]) => country),
);

/** What decides the shape of a bank recipient in a country (ISO 3166-1 alpha-2, upper case). */
export function bankFacts(country: string): Extract<RecipientFacts, { type: 'bank' }> {
  return { type: 'bank', country, usesIban: ibanCountries.has(country) };
}
