/**
 * The countries whose BICs go with the IBANs of another country, by the country of the IBAN. The banks of the Crown
 * dependencies have British IBANs. Those of the French territories have French ones, those of Åland Finnish ones,
 * those of Svalbard Norwegian ones. Banks in Monaco belong to French ones, and either may have the other's BIC.
 */
const OTHER_BIC_COUNTRIES: Readonly<Record<string, readonly string[]>> = {
  FI: ['AX'],
  FR: ['BL', 'GF', 'GP', 'MC', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'],
  GB: ['GG', 'IM', 'JE'],
  MC: ['FR'],
  NO: ['SJ'],
};

/**
 * The countries that the BIC could have, if it is of a country whose banks do not have this IBAN; undefined if it fits.
 */
export function bicOfOtherCountry(iban: string, bic: string): readonly string[] | undefined {
  const country = iban.slice(0, 2);
  const permitted = [country, ...(OTHER_BIC_COUNTRIES[country] ?? [])];
  return permitted.includes(bic.slice(4, 6)) ? undefined : permitted;
}
