/**
 * An answer of a node with its hexadecimal texts in lower case, so that equal values are equal texts for every reader.
 */
export function inLowerCase(answer: unknown): unknown {
  if (typeof answer === 'string') return /^0x/i.test(answer) ? answer.toLowerCase() : answer;
  if (Array.isArray(answer)) return answer.map(inLowerCase);
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, inLowerCase(value)]));
}
