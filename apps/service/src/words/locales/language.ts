/** A language, and how it writes numbers and dates. */
export type Language = {
  /** The name of the language in the language itself. */
  readonly name: string;
  /** The BCP 47 tag whose formats numbers and dates have. */
  readonly formats: string;
};
