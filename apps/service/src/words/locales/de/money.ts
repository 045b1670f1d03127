import type { MoneyTexts } from '../moneyTexts.ts';

/** Sentences about money in German. */
export const MONEY: MoneyTexts = {
  conversion: {
    offered:
      'Auf Bankkonten und E-Geld-Konten wird in einer anderen Währung ausgezahlt: {currency}. {custodian} rechnet die {amount} zu einem eigenen Kurs um. Wie viel das sein wird, steht noch nicht fest.',
    chosen:
      'Das Geld wird in einer anderen Währung ausgezahlt: {currency}. {custodian} rechnet die {amount} zu einem eigenen Kurs um. Wie viel das sein wird, steht noch nicht fest.',
    done: 'Das Geld wurde in einer anderen Währung ausgezahlt: {currency}. {custodian} hat die {amount} zu einem eigenen Kurs umgerechnet.',
  },
  estimate:
    'Geschätzt: etwa {estimate}, bei {rate} für 1 {token}, dem Kurs von {source} vom {asOf}. Der ausgezahlte Betrag kann davon abweichen.',
};
