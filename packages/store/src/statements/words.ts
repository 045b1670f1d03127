/** How many words of the text of one unit are looked at, and how many a reference may have. */
const [MOST_WORDS, MOST_IN_A_RUN] = [16, 4];
/** What can be a reference of ours. */
const WORD_LENGTHS = { least: 3, most: 128 } as const;

/** What of a text may be a reference: up to four words, or what stands after a sign that banks set before references. Each with a digit. */
export function wordsOf(text: string): readonly string[] {
  const words = text.split(/\s+/, MOST_WORDS);
  const runs = words.flatMap((_, first) =>
    Array.from({ length: MOST_IN_A_RUN }, (__, more) => words.slice(first, first + more + 1).join(' ')),
  );
  const parts = words.flatMap((word) => word.split(/[+:;,/|=?]+/, MOST_WORDS));
  const bare = runs.map(withoutPunctuation);
  return [...new Set([...runs, ...bare, ...parts])].filter(
    (run) => run.length >= WORD_LENGTHS.least && run.length <= WORD_LENGTHS.most && /\d/.test(run),
  );
}

const PUNCTUATION = new Set('.,;:()"\'!?');

/** A run of words without the punctuation around it. An expression would try the end of each dot of a row of dots. */
function withoutPunctuation(run: string): string {
  let [begin, end] = [0, run.length];
  while (begin < end && PUNCTUATION.has(run[begin] ?? '')) begin += 1;
  while (end > begin && PUNCTUATION.has(run[end - 1] ?? '')) end -= 1;
  return run.slice(begin, end);
}
