/**
 * How every page of the service looks: colours, type and corners, as custom properties of a style. Pages for recipients
 * may have the organisation's colour in the place of `--accent`, `--button` and `--tint`.
 */
type Palette = {
  /** Text, and text of less weight. */
  readonly ink: string;
  readonly soft: string;
  /** What lies behind: the page, and a card on it. */
  readonly paper: string;
  readonly card: string;
  /** Lines between things, and around what can be filled in. */
  readonly line: string;
  readonly field: string;
  /** Links and what is chosen; buttons with their text; a shade behind what stands out. */
  readonly accent: string;
  readonly button: string;
  readonly 'on-button': string;
  readonly tint: string;
  /** What went well, went wrong, needs care, each with its shade. */
  readonly good: string;
  readonly 'good-tint': string;
  readonly bad: string;
  readonly 'bad-tint': string;
  readonly care: string;
  readonly 'care-tint': string;
};

/** The colours of the light scheme. */
const LIGHT: Palette = {
  ...{
    ink: '#17202b',
    soft: '#4f5c6b',
    paper: '#f2f4f7',
    card: '#ffffff',
    line: '#d3dae1',
    field: '#76838f',
  },
  ...{ accent: '#0b4f8a', button: '#0b4f8a', 'on-button': '#ffffff', tint: '#eaf2f9' },
  ...{ good: '#14623a', 'good-tint': '#e8f4ed', bad: '#a1231b', 'bad-tint': '#fcedeb' },
  ...{ care: '#6d4300', 'care-tint': '#fdf3df' },
};

/** The colours of the dark scheme. */
const DARK: Palette = {
  ...{
    ink: '#e8edf2',
    soft: '#abb7c3',
    paper: '#0e1318',
    card: '#171e26',
    line: '#313d49',
    field: '#7c8a97',
  },
  ...{ accent: '#8fc4f6', button: '#8fc4f6', 'on-button': '#0b1926', tint: '#1b2a39' },
  ...{ good: '#8bd8ab', 'good-tint': '#15281e', bad: '#f6aca5', 'bad-tint': '#331b1a' },
  ...{ care: '#f0c981', 'care-tint': '#2d2513' },
};

/** The fonts of the reader's device, and the sizes and corners that pages share. */
const TYPE = [
  '--sans:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif',
  '--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace',
  '--small:.9375rem;--body:1.0625rem;--title:1.5625rem;--wide-title:1.8125rem;--heading:1.125rem',
  '--corner:.5rem;--card-corner:.875rem',
].join(';');

/** The custom properties, for the beginning of a page's style. */
export const IDENTITY = `
:root{color-scheme:light dark;${propertiesOf(LIGHT)};${TYPE}}
@media (prefers-color-scheme:dark){:root{${propertiesOf(DARK)}}}
`;

function propertiesOf(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}
