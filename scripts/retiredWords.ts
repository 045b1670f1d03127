/** A word that the code once used for something else's name, and the word that it uses now. */
type Retired = { readonly found: RegExp; readonly instead: string };

const RETIRED: readonly Retired[] = [
  { found: spelt('news'), instead: 'published event' },
  { found: spelt('deeds?'), instead: 'command, event or step' },
  { found: spelt('walls?', '(?![ -]?[cC]lock)'), instead: 'tenant guard' },
  { found: /saved[ _-]?recipient/i, instead: 'registered recipient' },
  { found: /catch_?up|caught_?up/i, instead: 'what is read: missed blocks, a range or a record' },
  { found: spelt('flights?'), instead: 'pending transaction' },
  { found: spelt('retells?|retold|untold'), instead: 'published again, reported again, or unreported' },
];

/** Codes of the API that have such a word. */
const CODES = /execution-in-flight/g;

/**
 * Says of a path, or a line of a file, which retired words it has and what to write in their place. Words are found in
 * sentences and in names, however these are spelt.
 */
export function retiredWords(text: string): readonly string[] {
  const own = text.replace(CODES, '');
  return RETIRED.flatMap(({ found, instead }) => {
    const word = found.exec(own)?.[0];
    return word === undefined ? [] : [`${word} is a retired word: write ${instead}`];
  });
}

/** A word on its own or as a part of a name in camel case, snake case or capitals. `next`: what must follow. */
function spelt(word: string, next = ''): RegExp {
  const capital = word.replace(/(^|\|)\w/g, (letter) => letter.toUpperCase());
  const loud = word.toUpperCase();
  const forms = `(?<![A-Za-z])(?:${word})(?![a-z])|(?:${capital})(?![a-z])|(?<![A-Z])(?:${loud})(?![A-Z])`;
  return new RegExp(`(?:${forms})${next}`);
}
