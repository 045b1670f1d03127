import { withoutSeparators } from '@fairway/plan';
import { EVM_ADDRESS_PATTERN, type RecipientFormat } from '@fairway/wire';
import { isValidBIC, isValidIBAN } from 'ibantools';
import { hasWrongChecksum } from '../text/eip55.ts';

/** The checks that a schema's patterns cannot do. Each stands alone: it also refuses what no pattern has read yet. */
export const recipientFormats: Readonly<Record<RecipientFormat, (text: string) => boolean>> = {
  iban: (text) => isValidIBAN(withoutSeparators(text).toUpperCase(), { allowQRIBAN: false }),
  bic: (text) => isValidBIC(withoutSeparators(text)),
  'aba-routing-number': (text) => isRoutingNumber(withoutSeparators(text)),
  clabe: (text) => isClabe(withoutSeparators(text)),
  'evm-address': (text) => evmAddress.test(text) && !hasWrongChecksum(text),
  'email-address': isEmailAddress,
};

const evmAddress = new RegExp(EVM_ADDRESS_PATTERN);

/**
 * Nine digits: the first two are a Federal Reserve district (01 to 12), thrift (21 to 32), electronic (61 to 72)
 * or traveller's cheque (80) prefix, and the sum with weights 3, 7, 1 ends in 0 (ABA routing number policy).
 */
function isRoutingNumber(digits: string): boolean {
  if (!/^[0-9]{9}$/.test(digits)) return false;
  const prefix = Number(digits.slice(0, 2));
  const known =
    (prefix >= 1 && prefix <= 12) ||
    (prefix >= 21 && prefix <= 32) ||
    (prefix >= 61 && prefix <= 72) ||
    prefix === 80;
  return known && weightedSum(digits) % 10 === 0;
}

/**
 * Eighteen digits: bank 3, place 3, account 11, check digit 1, which brings the sum with weights 3, 7, 1 to a
 * multiple of 10. Banxico takes each product modulo 10 first; the sum ends in the same digit without.
 */
function isClabe(digits: string): boolean {
  if (!/^[0-9]{18}$/.test(digits)) return false;
  return (weightedSum(digits.slice(0, 17)) + Number(digits.at(-1))) % 10 === 0;
}

/** The sum of digits with the weights 3, 7, 1 over and over. */
function weightedSum(digits: string): number {
  const weights = [3, 7, 1];
  return Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * (weights[index % 3] ?? 0), 0);
}

/**
 * One address as mail servers route it: a dot-atom (RFC 5321) of at most 64 characters, and a domain of at least two
 * labels (RFC 1035) whose last is not a number. Quoted local parts and address literals are no one's real address.
 */
function isEmailAddress(text: string): boolean {
  if (text.length > 254) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || local.length > 64 || domain.length > 253) return false;
  const labels = domain.split('.');
  return (
    local.split('.').every((atom) => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(atom)) &&
    labels.length >= 2 &&
    labels.every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label) && !/^-|-$/.test(label)) &&
    /^[A-Za-z]/.test(labels.at(-1) ?? '') &&
    (labels.at(-1) ?? '').length >= 2
  );
}
