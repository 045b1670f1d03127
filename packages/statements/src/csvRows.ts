import type { ColumnMap } from './columnMap.ts';
import { FaultError, FILE_LIMITS } from './statement.ts';

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34];

/**
 * The text of a CSV file as it is. It is refused at the first row that is longer or has more columns than any row of
 * a bank. The library keeps a whole row before it tells of it, and a file may be one row of millions of columns.
 */
export async function* csvRows(
  parts: AsyncIterable<string> | Iterable<string>,
  { delimiter }: Pick<ColumnMap, 'delimiter'>,
): AsyncGenerator<string> {
  const separator = delimiter.charCodeAt(0);
  let [line, length, columns] = [1, 0, 1];
  let [isQuoted, isAfterReturn] = [false, false];
  const look = (code: number): void => {
    const isEnd = code === LINE_FEED || code === CARRIAGE_RETURN;
    if (isEnd && !(code === LINE_FEED && isAfterReturn)) line += 1;
    isAfterReturn = code === CARRIAGE_RETURN;
    if (isEnd && !isQuoted) {
      length = 0;
      columns = 1;
      return;
    }
    length += 1;
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === separator && !isQuoted) columns += 1;
    if (length > FILE_LIMITS.rowLength)
      throw new FaultError(
        `line ${line}: a row is longer than ${FILE_LIMITS.rowLength} characters. Look for a quotation mark that is not closed.`,
      );
    if (columns > FILE_LIMITS.columns)
      throw new FaultError(`line ${line}: a row has more than ${FILE_LIMITS.columns} columns.`);
  };
  for await (const part of parts) {
    for (let index = 0; index < part.length; index += 1) look(part.charCodeAt(index));
    yield part;
  }
}
