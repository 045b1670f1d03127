/**
 * The countries of the IBAN registry (ISO 13616), release 103 of September 2026. Each has what follows the first four
 * characters of its IBANs: n are digits, a letters, c either.
 */
const COUNTRIES =
  'AD:8n12c AE:19n AL:8n16c AT:16n AZ:4a20c BA:16n BE:12n BG:4a6n8c BH:4a14c BI:23n BR:8c15n2c BY:4c4n16c CH:5n12c CR:18n ' +
  'CY:8n16c CZ:20n DE:18n DJ:23n DK:14n DO:4c20n EE:16n EG:25n ES:20n FI:14n FK:2a12n FO:14n FR:10n11c2n GB:4a14n GE:2a16n ' +
  'GI:4a15c GL:14n GR:7n16c GT:24c HN:4a20n HR:17n HU:24n IE:4a14n IL:19n IQ:4a15n IS:22n IT:1a10n12c JO:4a4n18c KW:4a22c ' +
  'KZ:3n13c LB:4n20c LC:4a24c LI:5n12c LT:16n LU:3n13c LV:4a13c LY:21n MC:10n11c2n MD:20c ME:18n MK:3n10c2n MN:16n MR:23n ' +
  'MT:4a5n18c MU:4a19n3a NI:4a20n NL:4a10n NO:11n OM:3n16c PK:4a16c PL:24n PS:4a21c PT:21n QA:4a21c RO:4a16c RS:18n ' +
  'RU:14n15c SA:2n18c SC:4a20n3a SD:14n SE:20n SI:15n SK:20n SM:1a10n12c SO:19n ST:21n SV:4a20n TL:19n TN:20n TR:6n16c ' +
  'UA:6n19c VA:18n VG:4a16n XK:16n YE:4a4n18c';

/** Territories whose banks issue IBANs that begin with FI or FR, as the registry says. */
export const ibanTerritories: readonly string[] = 'AX BL GF GP MF MQ NC PF PM RE TF WF YT'.split(' ');

const CHARACTERS: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' };

/** The countries with IBANs, and what their IBANs look like. */
const forms: ReadonlyMap<string, RegExp> = new Map(
  COUNTRIES.split(' ').map((each) => {
    const [country = '', parts = ''] = each.split(':');
    const form = parts.replaceAll(
      /(\d+)([nac])/g,
      (_, count: string, kind: string) => `${CHARACTERS[kind]}{${count}}`,
    );
    // Check digits are 02 to 98: 00, 01 and 99 have the remainders of 97, 98 and 02.
    return [country, new RegExp(`^[A-Z]{2}(?!00|01|99)[0-9]{2}${form}$`)];
  }),
);

/** The countries of the registry (ISO 3166-1 alpha-2, and XK), each with the length of its IBANs. */
export const ibanLengths: ReadonlyMap<string, number> = new Map(
  COUNTRIES.split(' ').map((each) => [
    each.slice(0, 2),
    [...each.matchAll(/\d+/g)].reduce((length, [count]) => length + Number(count), 4),
  ]),
);

/** Whether a text without spaces, in capitals, has the form of its country and the check digits of ISO 13616. */
export function isRegisteredIban(iban: string): boolean {
  if (forms.get(iban.slice(0, 2))?.test(iban) !== true) return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}
