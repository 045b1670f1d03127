import {
  createRecipientFormats,
  EVM_ADDRESS_PATTERN,
  type FormatCheck,
  withoutSeparators,
} from '@fairway/recipients';
import { isValidBIC, isValidIBAN } from 'ibantools';
import { hasWrongChecksum } from '@fairway/api';

const EVM_ADDRESS = new RegExp(EVM_ADDRESS_PATTERN);

/** The checks that a schema's patterns cannot do, by the name that a field's `format` has. */
export const recipientFormats: Readonly<Record<string, FormatCheck>> = createRecipientFormats({
  iban: (text) => isValidIBAN(withoutSeparators(text).toUpperCase(), { allowQRIBAN: false }),
  bic: (text) => isValidBIC(withoutSeparators(text)),
  'evm-address': (text) => EVM_ADDRESS.test(text) && !hasWrongChecksum(text),
});
