// Headers as banks of several countries write them, with one row and with two. A proposed map has the text of the payment.
// It never takes our own account for that of the other side.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestMap } from './suggestMap.ts';

/** A file, the account that its rows show to be ours, and what else its map has. */
type File = {
  readonly header: string;
  readonly rows: readonly [string, string];
  readonly account: string | undefined;
  readonly columns: Readonly<Record<string, string>>;
};

const FILES: Readonly<Record<string, File>> = {
  'German, of a savings bank': {
    header:
      'Auftragskonto;Buchungstag;Valutadatum;Buchungstext;Verwendungszweck;Glaeubiger ID;Mandatsreferenz;Kundenreferenz (End-to-End);Beguenstigter/Zahlungspflichtiger;Kontonummer/IBAN;BIC (SWIFT-Code);Betrag;Waehrung;Info',
    rows: [
      'DE89370400440532013000;24.11.26;24.11.26;ONLINE-UEBERWEISUNG;Miete INV-7;;;FW1;Jo Citizen;DE02120300000000202051;BYLADEM1001;-77,70;EUR;Umsatz gebucht',
      'DE89370400440532013000;25.11.26;25.11.26;ONLINE-UEBERWEISUNG;Miete INV-8;;;FW2;Zoe Ann;DE02120300000000202052;BYLADEM1001;-12,00;EUR;Umsatz gebucht',
    ],
    account: 'DE89370400440532013000',
    columns: {
      ...{ bookedOn: 'Buchungstag', valueOn: 'Valutadatum', amount: 'Betrag', text: 'Verwendungszweck' },
      ...{ endToEndId: 'Kundenreferenz (End-to-End)', name: 'Beguenstigter/Zahlungspflichtiger' },
      account: 'Kontonummer/IBAN',
    },
  },
  'German, of a cooperative bank': {
    header:
      'Bezeichnung Auftragskonto;IBAN Auftragskonto;BIC Auftragskonto;Bankname Auftragskonto;Buchungstag;Valutadatum;Name Zahlungsbeteiligter;IBAN Zahlungsbeteiligter;BIC (SWIFT-Code) Zahlungsbeteiligter;Buchungstext;Verwendungszweck;Betrag;Waehrung;Saldo nach Buchung',
    rows: [
      'Geschaeftskonto 1;DE89370400440532013000;GENODEF1S02;Volksbank;24.11.2026;24.11.2026;Jo Citizen;DE02120300000000202051;BYLADEM1001;Basislastschrift;Miete INV-7;-77,70;EUR;922,30',
      'Geschaeftskonto 1;DE89370400440532013000;GENODEF1S02;Volksbank;25.11.2026;25.11.2026;Jo Citizen;DE02120300000000202051;BYLADEM1001;Basislastschrift;Miete INV-8;-12,00;EUR;910,30',
    ],
    account: 'DE89370400440532013000',
    columns: {
      ...{ bookedOn: 'Buchungstag', valueOn: 'Valutadatum', amount: 'Betrag', balance: 'Saldo nach Buchung' },
      ...{ name: 'Name Zahlungsbeteiligter', account: 'IBAN Zahlungsbeteiligter', text: 'Verwendungszweck' },
    },
  },
  Dutch: {
    header:
      '"IBAN/BBAN","Munt","BIC","Datum","Rentedatum","Bedrag","Saldo na trn","Tegenrekening IBAN/BBAN","Naam tegenpartij","Transactiereferentie","Omschrijving-1"',
    rows: [
      '"NL02TEST0123456789","EUR","RABONL2U","2026-11-24","2026-11-24","-77,70","922,30","NL91ABNA0417164300","Jo Citizen","FW1","Huur INV-7"',
      '"NL02TEST0123456789","EUR","RABONL2U","2026-11-25","2026-11-25","-12,00","910,30","NL91ABNA0417164300","Jo Citizen","FW2","Huur INV-8"',
    ],
    account: 'NL02TEST0123456789',
    columns: {
      ...{ bookedOn: 'Datum', valueOn: 'Rentedatum', amount: 'Bedrag', balance: 'Saldo na trn' },
      ...{ account: 'Tegenrekening IBAN/BBAN', name: 'Naam tegenpartij' },
      ...{ reference: 'Transactiereferentie', text: 'Omschrijving-1' },
    },
  },
  Polish: {
    header:
      'Data operacji;Data księgowania;Opis operacji;Tytuł;Dane kontrahenta;Nr rachunku kontrahenta;Nazwa banku;Kwota;Waluta;Saldo po operacji',
    rows: [
      '2026-11-23;2026-11-24;PRZELEW;Faktura INV-7;Jo Citizen;PL61109010140000071219812874;Bank A;-77,70;PLN;922,30',
      '2026-11-24;2026-11-25;PRZELEW;Faktura INV-8;Jo Citizen;PL61109010140000071219812874;Bank A;-12,00;PLN;910,30',
    ],
    account: undefined,
    columns: {
      ...{ bookedOn: 'Data księgowania', amount: 'Kwota', balance: 'Saldo po operacji', text: 'Tytuł' },
      ...{ name: 'Dane kontrahenta', account: 'Nr rachunku kontrahenta' },
    },
  },
  Australian: {
    header: 'Bank Account,Date,Narrative,Debit Amount,Credit Amount,Balance,Categories,Serial',
    rows: [
      '062000778812345,24/11/2026,"DIRECT CREDIT J CITIZEN INV-7",77.70,,922.30,PAYMENT,',
      '062000778812345,25/11/2026,"DIRECT CREDIT Z ANN INV-8",12.00,,910.30,PAYMENT,',
    ],
    account: undefined,
    columns: {
      ...{ bookedOn: 'Date', debit: 'Debit Amount', credit: 'Credit Amount', balance: 'Balance' },
      text: 'Narrative',
    },
  },
};

for (const [name, { header, rows, account, columns }] of Object.entries(FILES))
  for (const count of [1, 2])
    test(`a map of a file that is ${name}, with ${count} rows`, () => {
      const text = [header, ...rows.slice(0, count)].join('\n');
      const found = suggestMap(text, {});
      assert.ok(found.ok);
      // Only the rows themselves can show it, where the header does not say whose account it is.
      const shown = name === 'Australian' && count === 2 ? '062000778812345' : account;
      assert.deepEqual([found.map.account, found.map.columns], [shown, columns]);
      const known = suggestMap(text, { account: account ?? '062000778812345', currency: 'EUR' });
      assert.ok(known.ok);
      assert.deepEqual([known.map.columns, known.fault], [columns, undefined]);
    });

test('the account of the only payee is not taken for ours without a doubt', () => {
  const text = 'Datum;Empfaenger;IBAN;Betrag\n24.11.2026;Jo;DE02120300000000202051;-1,00\n';
  const twice = `${text}25.11.2026;Jo;DE02120300000000202051;-2,00\n`;
  const known = { account: 'DE89370400440532013000', currency: 'EUR' };
  for (const file of [text, twice]) {
    const found = suggestMap(file, known);
    assert.deepEqual([found.ok && found.map.columns.account, found.ok && found.doubts], ['IBAN', []]);
  }
  const one = suggestMap(text, {});
  assert.deepEqual(one.ok && [one.map.account, one.map.columns.account], [undefined, undefined]);
  const two = suggestMap(twice, {});
  assert.match(two.ok ? two.doubts.join() : '', /^account: all rows have the account in the column "IBAN"/);
});
