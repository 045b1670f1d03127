/**
 * A catalogue's text with its placeholders filled. A value is never searched for placeholders.
 * @throws Error for a placeholder without a value: that is a bug in the catalogue or in the page.
 */
export function filled(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Nothing to fill {${name}} with`);
    return value;
  });
}
