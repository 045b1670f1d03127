import { commentsOf } from './sourceText.ts';

/**
 * A sentence of a comment on one line, and the line of the file where it begins (from 1). `opens` when it is the
 * first of its paragraph or list item.
 */
export type Sentence = { text: string; lineNumber: number; opens: boolean };

/** A line of a comment without its marks; `starts` when it does not go on with the line before. */
type CommentLine = { text: string; lineNumber: number; starts: boolean };

const CODE_BLOCK = /```[\s\S]*?(?:```|$)/g;
const MARKS = /^\s*(?:\/\*+|\*(?!\/)|\/\/+)|\*+\/\s*$/g;
const PARAGRAPH = /^\s*(?:[-*•|@]|\d+[.)] |\(?[a-z]\) |$)/;
const ENDS = /(?<!\b(?:e\.g|i\.e))[.!?][)\]'"”]*$/;
const BEGINS = /^['"“([{]*[A-Z\d]|^`/;
const INVERTED =
  /^(?:Of|Whoever|Whatever|Whichever|Nor|Nowhere|Neither (?:do|does|did)|So (?:is|are|was|were|do|does|did|has|have|can|may|must|many|much|often))\b/;
const RELATIVE = /^(?:What|Which|Who|Whose)\b(?!.*\?$)/;

/**
 * Lists the sentences of the comments in a source file. Line comments right below each other are one text; a list
 * is read item by item, and code blocks are not read. Text without a full stop, such as a heading, counts too.
 */
export function sentencesOf(source: string): Sentence[] {
  const sentences: Sentence[] = [];
  let isOpen = false;
  for (const { text, lineNumber, starts } of commentLines(source)) {
    if (starts || PARAGRAPH.test(text)) isOpen = false;
    for (const word of text.split(/\s+/).filter((part) => part !== '')) {
      const last = sentences.at(-1);
      const goesOn = last !== undefined && isOpen && !(endsSentence(last.text) && BEGINS.test(word));
      if (goesOn) last.text += ` ${word}`;
      else sentences.push({ text: word, lineNumber, opens: !isOpen });
      isOpen = true;
    }
  }
  return sentences;
}

/** Counts the words of a sentence. Code between backticks is one word, the address of a page none. */
export function countWords(sentence: string): number {
  const plain = sentence.replace(/`[^`]*`/g, 'code').replace(/\bhttps?:\/\/\S+/g, '');
  return plain.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length;
}

/**
 * True when a sentence does not begin with its subject: "Of a token…", "Whoever…", "So is…". A first sentence may
 * begin with "What", because it names what stands below; a later one may not: "What is unclear is not counted."
 */
export function isTurnedAround({ text, opens }: Sentence): boolean {
  return INVERTED.test(text) || (!opens && RELATIVE.test(text));
}

/** True when a full stop closes the text, outside of code. */
function endsSentence(text: string): boolean {
  return ENDS.test(text) && text.split('`').length % 2 === 1;
}

function commentLines(source: string): CommentLine[] {
  let lineEnd = source.length;
  return commentsOf(source).flatMap(({ text, index }) => {
    const isLine = text.startsWith('//');
    const goesOn = isLine && /^\n[ \t]*$/.test(source.slice(lineEnd, index));
    const first = source.slice(0, index).split('\n').length;
    lineEnd = isLine ? index + text.length : source.length;
    const withoutCode = text.replace(CODE_BLOCK, (code) => code.replace(/[^\n]/g, ''));
    return withoutCode.split('\n').map((line, offset) => ({
      text: line.replace(MARKS, ''),
      lineNumber: first + offset,
      starts: offset === 0 && !goesOn,
    }));
  });
}
