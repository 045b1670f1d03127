import { Zip, ZipDeflate } from 'fflate';
import type { Cell } from './cells.ts';
import { escaped, rowXml, sheetBegin, sheetEnd, STYLES_XML } from './sheetXml.ts';
import type { FileFrame, Table, Writer } from './writer.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006';
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The parts of the file beside the sheet, the styles and the properties. */
const FIXED_PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/relationships/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/relationships/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="${DOCUMENT}/relationships/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': STYLES_XML,
};

function workbookXml(title: string): string {
  return `<workbook xmlns="${SHEET}" xmlns:r="${DOCUMENT}/relationships"><sheets><sheet name="${escaped(title)}" sheetId="1" r:id="rId1"/><sheet name="totals" sheetId="2" r:id="rId2"/></sheets></workbook>`;
}

/** When the file was made, by its own account: at the end of its period, whenever its bytes are written. */
function propertiesXml(title: string, toMs: number): string {
  const time = `${new Date(toMs).toISOString().slice(0, 19)}Z`;
  const stamp = (name: string) => `<dcterms:${name} xsi:type="dcterms:W3CDTF">${time}</dcterms:${name}>`;
  return `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escaped(title)}</dc:title>${stamp('created')}${stamp('modified')}</cp:coreProperties>`;
}

/**
 * Makes the writer of a workbook with a sheet of rows and one of their totals, whose cells have types. The same rows are the same bytes on every
 * machine, also when they come in other parts. The compression is fflate's, because that of Node differs between its
 * versions, and it is handed blocks of one size.
 */
export function xlsxWriter({ title, columns, toMs }: FileFrame): Writer {
  const archive = createArchive();
  let rowCount = 0;
  return {
    begin() {
      const rest = { 'xl/workbook.xml': workbookXml(title), 'docProps/core.xml': propertiesXml(title, toMs) };
      for (const [path, xml] of Object.entries({ ...FIXED_PARTS, ...rest })) archive.add(path, xml);
      archive.open('xl/worksheets/sheet1.xml', sheetBegin(columns));
      return archive.take();
    },
    rows(rows: readonly Cell[][]) {
      for (const row of rows) {
        rowCount += 1;
        archive.write(rowXml(row, rowCount + 1));
      }
      return archive.take();
    },
    end(totals) {
      archive.close(sheetEnd(columns.length, rowCount));
      archive.add('xl/worksheets/sheet2.xml', sheetXml(totals));
      archive.end();
      return archive.take();
    },
  };
}

/** A sheet as a whole. */
function sheetXml({ columns, rows }: Table): string {
  const inner = rows.map((row, index) => rowXml(row, index + 2)).join('');
  return `${sheetBegin(columns)}${inner}${sheetEnd(columns.length, rows.length)}`;
}

/** How much is compressed at once. Another size makes other bytes of the same rows. */
const BLOCK_BYTES = 65_536;
// The year with which ZIP begins, in the time zone of the machine, which ZIP does not know.
const [LEVEL, NO_TIME] = [6, new Date(1980, 0, 1)] as const;

/** A ZIP archive that is taken while it is written. */
function createArchive() {
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  let entry: ZipDeflate | undefined;
  const block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;

  function write(text: string): void {
    let left = Buffer.from(text);
    while (left.length > 0) {
      const part = left.subarray(0, BLOCK_BYTES - filled);
      block.set(part, filled);
      filled += part.length;
      left = left.subarray(part.length);
      if (filled === BLOCK_BYTES) flush(false);
    }
  }

  function flush(isLast: boolean): void {
    entry?.push(block.subarray(0, filled), isLast);
    filled = 0;
  }

  function open(path: string, begin: string): void {
    entry = new ZipDeflate(path, { level: LEVEL });
    entry.mtime = NO_TIME;
    zip.add(entry);
    write(`${DECLARATION}${begin}`);
  }

  return {
    open,
    write,
    /** Writes an entry as a whole. */
    add(path: string, text: string): void {
      open(path, text);
      flush(true);
    },
    /** Ends the entry. */
    close(end: string): void {
      write(end);
      flush(true);
    },
    end: () => zip.end(),
    /** What was written since the last call. */
    take(): Buffer {
      const taken = Buffer.concat(ready);
      ready = [];
      return taken;
    },
  };
}
