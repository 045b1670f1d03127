/**
 * A catalogue's text with its placeholders filled. What a value holds is never read as a placeholder.
 * @throws Error for a placeholder without a value: the text asks for what its place does not have.
 */
export function filled(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Nothing to fill {${name}} with`);
    return value;
  });
}
