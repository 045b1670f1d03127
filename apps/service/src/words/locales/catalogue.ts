import type { Language } from './language.ts';
import type { MailTexts } from './mailTexts.ts';
import type { MoneyTexts } from './moneyTexts.ts';
import type { PageTexts } from './pageTexts.ts';

/** Everything a recipient reads, in one language. `locale` is a BCP 47 tag. */
export type Catalogue = {
  readonly locale: string;
  readonly language: Language;
  readonly mail: MailTexts;
  readonly money: MoneyTexts;
  readonly pages: PageTexts;
};
