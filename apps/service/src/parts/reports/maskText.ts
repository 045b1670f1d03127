import type { PeriodMovement } from '@fairway/store';
import { eip55 } from '@fairway/api';

/** A masked recipient on one line. */
export function maskText(payee: NonNullable<PeriodMovement['payee']>): string {
  switch (payee.type) {
    case 'bank':
      return `${payee.name} ${payee.country} …${payee.account.accountNumberLast4}`;
    case 'wallet':
      return eip55(payee.address);
    case 'emoney':
      return `${payee.name} ${payee.provider} ${payee.idType} …${payee.idValueLast4}`;
    case 'email':
      return payee.email;
  }
}
