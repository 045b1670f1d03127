/** A check of a text that may still hold the spaces its pattern allows. It also refuses what the pattern refuses. */
export type FormatCheck = (text: string) => boolean;

/** The checks that need a library. This package has none, so they are given to it. */
export type GivenFormat = 'iban' | 'bic' | 'evm-address';
