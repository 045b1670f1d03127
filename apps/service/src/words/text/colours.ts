/** A colour as the configuration writes it: `#` and six hexadecimal digits in lower case. */
export type Colour = `#${string}`;

/** The least contrast of text with what is behind it (WCAG 2.2, 1.4.3). */
export const LEAST_CONTRAST = 4.5;

const WHITE: Colour = '#ffffff';
const BLACK: Colour = '#000000';

/** How many steps a colour is moved in towards black or white until it can be read. */
const STEPS = 40;

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  const [less, more] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return ((more ?? 0) + 0.05) / ((less ?? 0) + 0.05);
}

/** Black or white, whichever reads better on a colour. On every colour the better one has a contrast of at least 4.58. */
export function inkOn(colour: Colour): Colour {
  return contrast(WHITE, colour) >= contrast(BLACK, colour) ? WHITE : BLACK;
}

/** A mixture of two colours: `share` of the second, from 0 to 1. */
export function mixed(first: Colour, second: Colour, share: number): Colour {
  const [one, other] = [channels(first), channels(second)];
  const digits = one.map((value, index) =>
    Math.round(value + ((other[index] ?? 0) - value) * share)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
}

/**
 * The colour, moved towards black or white as little as it takes until it has the least contrast with everything that
 * it is read on. `surfacesOf`: what a candidate is read on, either all light or all dark.
 */
export function readable(colour: Colour, surfacesOf: (candidate: Colour) => readonly Colour[]): Colour {
  const [first = WHITE] = surfacesOf(colour);
  const end = inkOn(first);
  for (let step = 0; step < STEPS; step += 1) {
    const candidate = mixed(colour, end, step / STEPS);
    if (surfacesOf(candidate).every((surface) => contrast(candidate, surface) >= LEAST_CONTRAST))
      return candidate;
  }
  return end;
}

/** The relative luminance of a colour, from 0 to 1 (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: Colour): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
