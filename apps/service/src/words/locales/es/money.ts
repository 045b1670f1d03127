import type { MoneyTexts } from '../moneyTexts.ts';

/** Sentences about money in Spanish. */
export const MONEY: MoneyTexts = {
  conversion: {
    offered:
      'En las cuentas bancarias y de dinero electrónico, el dinero se recibe en otra moneda: {currency}. {custodian} convierte {amount} a su propio tipo de cambio. Todavía no se sabe cuánto será.',
    chosen:
      'El dinero se paga en otra moneda: {currency}. {custodian} convierte {amount} a su propio tipo de cambio. Todavía no se sabe cuánto será.',
    done: 'El dinero se pagó en otra moneda: {currency}. {custodian} convirtió {amount} a su propio tipo de cambio.',
  },
  estimate:
    'Estimación: unos {estimate}, a {rate} por 1 {token}, según el tipo de cambio de {source} del {asOf}. El importe que reciba puede ser distinto.',
};
