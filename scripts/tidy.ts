import { spellingFaults } from './constants.ts';
import { retiredWords } from './retiredWords.ts';
import { countWords, isTurnedAround, sentencesOf } from './sentences.ts';

/** One breach of the house style: where (`path:line`), and what to do about it. */
export type Finding = { place: string; message: string };

const VAGUE_NAMES = /^(utils?|helpers?|common|managers?|misc|shared)(\.|$)/i;
const PUBLIC_SOURCE = /^(apps|packages)\/[^/]+\/src\/|^scripts\//;
const EXPORTED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|type|interface) (\w+)/;
const CLASS = /^(?:export )?(?:abstract )?class (\w+)(?:<.*>)?(?: extends (\w+))?/;
const TEST_NAME =
  /(?<![\w.])(?:t\.|context\.)?(?:test|it|describe|suite)(?:\.(?:only|skip|todo))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g;
const LONGEST_TEST_NAME = 90;
const MOST_WORDS = 25;
const WORD_LIST = /^scripts\/retiredWords(?:\.test)?\.ts$/;
const SILENCED = /(?:oxlint|eslint)-disable(?!.*--\s*\S)|biome-ignore(?!.*:\s*\S)/;

/**
 * Reads one source file for what the linter has no rule for. Everything exported has a docstring, classes are for
 * errors, and names say something. Constants are spelt by what they are, test names are short, and every silenced
 * rule has its reason. Sentences of comments are short and begin with their subject, and no name or sentence has a
 * retired word. Works on text, which the formatter has made regular.
 */
export function tidyFindings(path: string, source: string): Finding[] {
  const lines = source.split('\n');
  const findings = lines.flatMap((line, index) => lineFindings(path, line, index + 1));
  const vague = path.split('/').find((part) => VAGUE_NAMES.test(part));
  if (vague !== undefined)
    findings.push({ place: path, message: `${vague} says nothing: name what it holds` });
  if (PUBLIC_SOURCE.test(path) && !path.endsWith('.test.ts'))
    findings.push(...undocumentedExports(path, lines));
  for (const { lineNumber, message } of spellingFaults(source)) {
    findings.push({ place: `${path}:${lineNumber}`, message });
  }
  findings.push(...longTestNames(path, source));
  findings.push(...hardSentences(path, source));
  findings.push(...retiredFindings(path, source));
  return findings;
}

/** Lists the retired words in the path and the text of a file: code, or documents. */
export function retiredFindings(path: string, source: string): Finding[] {
  if (WORD_LIST.test(path)) return [];
  const ofPath = retiredWords(path).map((message) => ({ place: path, message }));
  const ofLines = source
    .split('\n')
    .flatMap((line, index) =>
      retiredWords(line).map((message) => ({ place: `${path}:${index + 1}`, message })),
    );
  return [...ofPath, ...ofLines];
}

/** Lists the sentences of comments that a reader has to read twice. */
function hardSentences(path: string, source: string): Finding[] {
  return sentencesOf(source).flatMap((sentence) => {
    const place = `${path}:${sentence.lineNumber}`;
    const beginning = sentence.text.split(' ').slice(0, 5).join(' ');
    const count = countWords(sentence.text);
    const findings: Finding[] = [];
    if (count > MOST_WORDS)
      findings.push({
        place,
        message: `a sentence of ${count} words, "${beginning}…": make several, of at most ${MOST_WORDS}`,
      });
    if (isTurnedAround(sentence))
      findings.push({ place, message: `a sentence turned around, "${beginning}…": begin with its subject` });
    return findings;
  });
}

/** Lists the tests whose name, as it is written, does not fit on one line of a report. */
function longTestNames(path: string, source: string): Finding[] {
  return [...source.matchAll(TEST_NAME)].flatMap(({ index, 2: written = '' }) => {
    const { length } = written.replace(/\\(.)/g, '$1');
    if (length <= LONGEST_TEST_NAME) return [];
    const place = `${path}:${source.slice(0, index).split('\n').length}`;
    return [{ place, message: `a test name of ${length} characters: at most ${LONGEST_TEST_NAME}` }];
  });
}

/** Lists the exported declarations without a docstring right above; overloads share the first one's. */
function undocumentedExports(path: string, lines: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  const documented = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const name = EXPORTED.exec(line)?.[1];
    if (name === undefined || documented.has(name)) continue;
    if (endsDocstring(lines, index - 1)) documented.add(name);
    else findings.push({ place: `${path}:${index + 1}`, message: `${name} is exported without a docstring` });
  }
  return findings;
}

/** True when the line closes a comment that was opened with two stars and says something. */
function endsDocstring(lines: readonly string[], lastIndex: number): boolean {
  if (!lines[lastIndex]?.trimEnd().endsWith('*/')) return false;
  for (let index = lastIndex; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    if (!line.includes('/*')) continue;
    return line.includes('/**') && /[A-Za-z]/.test(lines.slice(index, lastIndex + 1).join(''));
  }
  return false;
}

function lineFindings(path: string, line: string, lineNumber: number): Finding[] {
  const place = `${path}:${lineNumber}`;
  const findings: Finding[] = [];
  const [, className, parent] = CLASS.exec(line) ?? [];
  if (className !== undefined && !parent?.endsWith('Error')) {
    findings.push({ place, message: `class ${className}: classes are for errors, use functions and types` });
  }
  if (SILENCED.test(line))
    findings.push({ place, message: 'a rule is silenced without a reason: add -- why' });
  return findings;
}
