/** A word that stands for something that has another name, and that name: one meaning a word, one word a meaning. */
type Retired = { readonly found: RegExp; readonly instead: string };

const RETIRED: readonly Retired[] = [
  { found: spelt('news'), instead: 'published event' },
  { found: spelt('deeds?'), instead: 'command, event or step' },
  { found: spelt('walls?', '(?![ -]?[cC]lock)'), instead: 'tenant guard' },
  { found: /saved[ _-]?recipient/i, instead: 'registered recipient' },
  {
    found: /saved[ _-]?(?:plan|payment|event|endpoint|report|statement|entry|entries|link|credential|row)/i,
    instead: 'kept or written: only a file is saved',
  },
  { found: /catch_?up|caught_?up/i, instead: 'what is read: missed blocks, a range or a record' },
  { found: spelt('flights?'), instead: 'pending transaction' },
  { found: spelt('retells?|retold|untold'), instead: 'published again, reported again, or unreported' },
  {
    found: /(?:domain|outgoing|outbound|emitted)[ _-]?events?/i,
    instead: 'published event, or event of a plan',
  },
  { found: /ledger[ _-]?(?:entry|entries|lines?)/i, instead: 'movement' },
  { found: /(?:accounting|accountant)[ _-]?(?:report|export|file)/i, instead: 'report' },
  { found: /account[ _-]?statement|bank(?:'s|’s)?[ _-]file/i, instead: 'bank statement' },
  { found: /payout[ _-]?(?:file|export)/i, instead: 'payout statement' },
  { found: /(?:sql|prepared)[ _-]?statement/i, instead: 'query' },
  { found: /pool[ _-]?types?(?![A-Za-z])/i, instead: 'pool kind' },
  { found: /next_?action/i, instead: 'next' },
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
