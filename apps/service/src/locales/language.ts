/** A language, and how it writes numbers and dates. */
export type Language = {
  /** Its own name for itself. */
  readonly name: string;
  /** The BCP 47 tag whose numbers and dates are written. */
  readonly formats: string;
};
