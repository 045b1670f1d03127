import type { Cell } from './cells.ts';

/** The styles of cells, by their place in STYLES_XML. */
const [HEADER, GUARDED, TIME, DAY, DECIMAL] = [1, 2, 3, 4, 5];

/**
 * The styles: everything else, the header, texts that look like a formula, times, days and decimal numbers. A spreadsheet would take
 * such a text for a formula once somebody edits it. `quotePrefix` is what an apostrophe before a text becomes in a
 * spreadsheet.
 */
export const STYLES_XML = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="166" formatCode="#,##0.00################"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

/** The begin of a sheet: its header stays in sight, and columns are as wide as what they usually have. */
export function sheetBegin(columns: readonly string[]): string {
  const header = columns.map((column, index) => textXml(`${letters(index)}1`, HEADER, column)).join('');
  const widths = columns.map((column, index) => {
    const place = index + 1;
    return `<col min="${place}" max="${place}" width="${widthOf(column)}" customWidth="1"/>`;
  });
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${widths.join('')}</cols><sheetData><row r="1">${header}</row>`;
}

/** How wide columns are, in characters. Rows are not asked: they come when the begin of the sheet is written. */
const WIDTHS: readonly (readonly [names: RegExp, width: number])[] = [
  [/^txHash$/, 68],
  [/^(movementId|executionId|reverses|planId|stepId|recipientId|statementEntry)$/, 46],
  [/^(address|tokenIn|tokenOut)$/, 44],
  [/^(clientReference|description|recipientMasked|providerReference|endToEndId|note|metadata\..*)$/, 36],
  [/(At|Time)$/, 25],
  [/(Amount|Amount(In|Out)|Rate|Decimal)$|^(amount|debit|credit|balance|entryNumber|gasCost)$/, 23],
];
/** The least width, and the place of a filter's button. */
const [LEAST, BUTTON] = [12, 4];

function widthOf(column: string): number {
  const [, width = LEAST] = WIDTHS.find(([names]) => names.test(column)) ?? [];
  return Math.max(width, column.length + BUTTON);
}

/** A row of a sheet. `place`: its number, from 1. */
export function rowXml(cells: readonly Cell[], place: number): string {
  const inner = cells.map((cell, index) => cellXml(`${letters(index)}${place}`, cell)).join('');
  return `<row r="${place}">${inner}</row>`;
}

/** The end of a sheet: its columns have filters, and that amounts are texts is no mistake to be marked. */
export function sheetEnd(columnCount: number, rowCount: number): string {
  const all = `A1:${letters(columnCount - 1)}${rowCount + 1}`;
  return `</sheetData><autoFilter ref="${all}"/><ignoredErrors><ignoredError sqref="${all}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
}

/** The letters of a column, which is counted from 0: 0 is A, 26 is AA. */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : `${letters(Math.floor(index / 26) - 1)}${last}`;
}

function cellXml(place: string, cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  // Spreadsheets calculate with 15 digits. Amounts in smallest units have more, so they are texts.
  if (typeof cell === 'bigint') return textXml(place, 0, String(cell));
  if (typeof cell === 'string') return textXml(place, /^[=+\-@\t\r\n]/.test(cell) ? GUARDED : 0, cell);
  if ('decimal' in cell) {
    // Bps have no point, and are no amounts.
    const style = cell.decimal.includes('.') ? ` s="${DECIMAL}"` : '';
    return `<c r="${place}"${style}><v>${cell.decimal}</v></c>`;
  }
  return 'day' in cell
    ? dateXml(place, DAY, Date.parse(cell.day), cell.day)
    : dateXml(place, TIME, cell.timeMs, new Date(cell.timeMs).toISOString());
}

const [DAY_MS, DAYS_BEFORE_1970] = [86_400_000, 25_569];
/** 1 March 1900: spreadsheets count the days before it wrongly. */
const FIRST_SERIAL = 61;

/** A date as spreadsheets have it: days since the end of 1899. One that they cannot count is a text. */
function dateXml(place: string, style: number, timeMs: number, text: string): string {
  const serial = timeMs / DAY_MS + DAYS_BEFORE_1970;
  return serial < FIRST_SERIAL
    ? textXml(place, 0, text)
    : `<c r="${place}" s="${style}"><v>${serial}</v></c>`;
}

function textXml(place: string, style: number, text: string): string {
  const styled = style === 0 ? '' : ` s="${style}"`;
  return `<c r="${place}"${styled} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

// What XML cannot hold, and what looks like the way in which spreadsheets write it.
const UNPRINTABLE = /(?![\t\n])\p{Cc}|\p{Cs}|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text in XML. Characters that XML cannot hold are written as spreadsheets do it: `_x000B_`. */
export function escaped(text: string): string {
  return text
    .replace(UNPRINTABLE, (found) => `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (found) => ENTITIES[found] ?? found);
}
