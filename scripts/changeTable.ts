import { matchesGlob } from 'node:path';
import type { Finding } from './tidy.ts';

const DOCUMENT = 'docs/ARCHITECTURE.md';
const HEADING = 'Where to change what';
const FEWEST_ROWS = 12;

/**
 * Checks the table "Where to change what" of docs/ARCHITECTURE.md against the files of the tree (paths from the
 * root). Its tables, one beside each room, have at least twelve rows. Each row names a file, a folder or a pattern in backticks, and all that
 * is named exists. Text in backticks counts as a path when it has a slash or the ending of a file.
 */
export function changeTableFindings(document: string, files: readonly string[]): Finding[] {
  const lines = document.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^#+ ${HEADING}$`).test(line));
  if (start === -1) return [{ place: DOCUMENT, message: `the section "${HEADING}" is missing` }];
  const findings: Finding[] = [];
  const rows = rowsBelow(lines, start);
  for (const { line, lineNumber } of rows) {
    const place = `${DOCUMENT}:${lineNumber}`;
    const paths = pathsIn(line);
    if (paths.length === 0) findings.push({ place, message: 'the row names no file in backticks' });
    for (const path of paths.filter((named) => !exists(named, files))) {
      findings.push({ place, message: `${path} does not exist` });
    }
  }
  if (rows.length < FEWEST_ROWS) {
    const message = `the table "${HEADING}" has ${rows.length} rows: at least ${FEWEST_ROWS} are needed`;
    findings.push({ place: `${DOCUMENT}:${start + 1}`, message });
  }
  return findings;
}

/** The rows of the tables in a section, without their heads; line numbers count from 1. */
function rowsBelow(lines: readonly string[], start: number): { line: string; lineNumber: number }[] {
  const next = lines.findIndex((line, index) => index > start && /^##? /.test(line));
  return lines
    .map((line, index) => ({ line, lineNumber: index + 1, isHead: /^\|[-|]+$/.test(lines[index + 1] ?? '') }))
    .slice(start + 1, next === -1 ? undefined : next)
    .filter(({ line, isHead }) => line.startsWith('|') && !isHead && !/^\|[-|]+$/.test(line));
}

function pathsIn(line: string): string[] {
  return [...line.matchAll(/`([^`\s]+)`/g)]
    .map(([, text = '']) => text)
    .filter((text) => !/^[/@]/.test(text) && /\/|\.(?:ts|mjs|json|md|sql)$/.test(text));
}

function exists(path: string, files: readonly string[]): boolean {
  const folder = path.replace(/\/?$/, '/');
  return files.some((file) => file === path || file.startsWith(folder) || matchesGlob(file, path));
}
