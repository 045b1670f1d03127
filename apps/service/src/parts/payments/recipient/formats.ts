import {
  createRecipientFormats,
  EVM_ADDRESS_PATTERN,
  type FormatCheck,
  withoutSeparators,
} from '@fairway/recipients';
import { isQRIBAN, isValidBIC, validateIBAN, ValidationErrorsIBAN } from 'ibantools';
import { hasWrongChecksum } from '@fairway/api';
import { isRegisteredIban } from './ibanRegistry.ts';

const EVM_ADDRESS = new RegExp(EVM_ADDRESS_PATTERN);

/** The checks that a schema's patterns cannot do, by the name that a field's `format` has. */
export const recipientFormats: Readonly<Record<string, FormatCheck>> = createRecipientFormats({
  iban: (text) => isIban(withoutSeparators(text).toUpperCase()),
  bic: (text) => isValidBIC(withoutSeparators(text)),
  'evm-address': (text) => EVM_ADDRESS.test(text) && !hasWrongChecksum(text),
});

/** An IBAN of the registry. A QR-IBAN of Switzerland takes no payment without its QR reference. */
function isIban(iban: string): boolean {
  return isRegisteredIban(iban) && !isQRIBAN(iban) && !hasWrongNationalDigits(iban);
}

/** Whether check digits of the country itself are wrong. Only the library knows them; its forms may be older. */
function hasWrongNationalDigits(iban: string): boolean {
  const { errorCodes } = validateIBAN(iban);
  const { WrongAccountBankBranchChecksum, WrongBBANFormat, WrongBBANLength } = ValidationErrorsIBAN;
  const knowsForm = !errorCodes.includes(WrongBBANFormat) && !errorCodes.includes(WrongBBANLength);
  return knowsForm && errorCodes.includes(WrongAccountBankBranchChecksum);
}
