import {
  type PicturedLeg,
  layOutRoute,
  type PicturedBand,
  type PicturedPath,
  type PicturedToken,
  ROOMY,
  type RouteLayout,
} from './routePicture.ts';
import { escaped } from '@fairway/api';
import { shortened } from '../textLines.ts';

/** What a picture of a route shows. */
export type RoutePicture = {
  readonly title: string;
  readonly notes: readonly string[];
  /** The amounts beside the first and the last token. */
  readonly paid: string;
  readonly received: string;
  /** Every path begins with the token sold and ends with the token bought. */
  readonly paths: readonly PicturedPath[];
};

const MARGIN = 24;
/** Room beside the first and the last token for their names and amounts. */
const SIDE = 150;
const TOKEN_WIDTH = 10;
const COLUMN = 330;
const LONGEST_LABEL = 38;
const LONGEST_NAME = 14;
const LONGEST_AMOUNT = 20;
const LONGEST_NOTE = 100;
const LONGEST_TITLE = 60;

const STYLE = `
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#1e293b}
.title{font-size:18px;font-weight:600}.note{fill:#64748b}.name{font-weight:600}
.middle{text-anchor:middle;paint-order:stroke;stroke:#ffffff;stroke-opacity:.75;stroke-width:3px;stroke-linejoin:round}.end{text-anchor:end}
.page{fill:#ffffff}.token{fill:#334155}
.band,.key{fill-opacity:.42}.v3{fill:#2f80ed}.v2{fill:#e08a1e}.band:hover{fill-opacity:.7}
@media (prefers-color-scheme:dark){text{fill:#e2e8f0}.note{fill:#94a3b8}.page{fill:#0f172a}.token{fill:#cbd5e1}.middle{stroke:#0f172a}.band,.key{fill-opacity:.6}}
`;

/**
 * Draws a route: tokens from left to right, and a band for each pool, as thick as the pool's share. The SVG stands
 * alone, without scripts or outside references.
 */
export function routeSvg({ title, notes, paid, received, paths }: RoutePicture): string {
  const layout = layOutRoute(paths);
  const width = 2 * MARGIN + 2 * SIDE + ((layout.layers - 1) / 2) * COLUMN;
  const top = MARGIN + 24 + 18 * notes.length + 24;
  const height = top + layout.height + MARGIN + 20;
  const place: Place = {
    x: (layer) => MARGIN + SIDE + (layer * COLUMN) / 2,
    y: (y) => top + y,
  };
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${tenths(width)} ${tenths(height)}" width="${tenths(width)}" height="${tenths(height)}" role="img">`,
    `<title>${safe(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="100%" height="100%"/>`,
    textAt(MARGIN, MARGIN + 14, 'title', shortened(title, LONGEST_TITLE)),
    ...notes.map((note, index) =>
      textAt(MARGIN, MARGIN + 36 + 18 * index, 'note', shortened(note, LONGEST_NOTE)),
    ),
    ...layout.bands.map((band) => bandSvg(band, place)),
    ...layout.tokens.flatMap((token) => tokenSvg(token, layout, place, { paid, received })),
    ...layout.bands.map((band) => bandLabel(band, place)),
    ...legend(layout, height - MARGIN),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** Turns the layout's units into the picture's. */
type Place = { readonly x: (layer: number) => number; readonly y: (y: number) => number };

/**
 * The area of a band, between two equal curves through all places that the band passes. The curves are level where
 * the label stands.
 */
function bandSvg(band: PicturedBand, place: Place): string {
  const { leg, from, to, passes, named, leavesAt, arrivesAt } = band;
  const end = TOKEN_WIDTH / 2;
  const middles: Point[] = [[place.x(from.slot.layer) + end, place.y(leavesAt)]];
  for (const pass of passes) {
    const x = place.x(pass.layer);
    const level = pass === named ? (COLUMN - 140) / 2 : 20;
    middles.push([x - level, place.y(pass.y)], [x + level, place.y(pass.y)]);
  }
  middles.push([place.x(to.slot.layer) - end, place.y(arrivesAt)]);
  const half = named.thickness / 2;
  const above = middles.map(([x, y]): Point => [x, y - half]);
  const below = middles.map(([x, y]): Point => [x, y + half]).reverse();
  const kind = BAND_CLASSES[leg.kind];
  const area = `M${curveThrough(above)}L${curveThrough(below)}Z`;
  return `<path class="band ${kind}" d="${area}"><title>${safe(leg.detail)}</title></path>`;
}

/** The CSS class of the bands of each kind of pool. */
const BAND_CLASSES: Readonly<Record<PicturedLeg['kind'], string>> = { UNISWAP_V2: 'v2', UNISWAP_V3: 'v3' };

type Point = readonly [x: number, y: number];

/** The path data of a curve through points, level at each point. */
function curveThrough(points: readonly Point[]): string {
  return points
    .map(([x, y], index) => {
      const [lastX, lastY] = points[index - 1] ?? [x, y];
      const middle = tenths((lastX + x) / 2);
      const here = `${tenths(x)} ${tenths(y)}`;
      return index === 0 ? here : `C${middle} ${tenths(lastY)} ${middle} ${tenths(y)} ${here}`;
    })
    .join('');
}

function bandLabel({ leg, share, named }: PicturedBand, place: Place): string {
  const isInside = named.thickness >= ROOMY;
  const y = place.y(named.y) + (isInside ? 4 : -named.thickness / 2 - 4);
  const text = shortened(`${percent(share)}  ${leg.label}`, LONGEST_LABEL);
  return textAt(place.x(named.layer), y, 'middle', text);
}

function tokenSvg(
  { name, slot }: PicturedToken,
  { layers }: RouteLayout,
  place: Place,
  { paid, received }: Pick<RoutePicture, 'paid' | 'received'>,
): string[] {
  const x = place.x(slot.layer);
  const top = place.y(slot.y - slot.thickness / 2);
  const bar = `<rect class="token" x="${tenths(x - TOKEN_WIDTH / 2)}" y="${tenths(top)}" width="${TOKEN_WIDTH}" height="${tenths(slot.thickness)}" rx="2"><title>${safe(name)}</title></rect>`;
  const shown = shortened(name, LONGEST_NAME);
  const middle = place.y(slot.y);
  if (slot.layer === 0)
    return [
      bar,
      textAt(x - 14, middle - 2, 'name end', shown),
      textAt(x - 14, middle + 15, 'note end', shortened(paid, LONGEST_AMOUNT)),
    ];
  if (slot.layer === layers - 1)
    return [
      bar,
      textAt(x + 14, middle - 2, 'name', shown),
      textAt(x + 14, middle + 15, 'note', shortened(received, LONGEST_AMOUNT)),
    ];
  return [bar, textAt(x, top - 5, 'name middle', shown)];
}

/** Explains the colours when the picture has two. */
function legend({ bands }: RouteLayout, y: number): string[] {
  if (new Set(bands.map(({ leg }) => leg.kind)).size < 2) return [];
  return [
    `<rect class="key v3" x="${MARGIN}" y="${tenths(y - 10)}" width="12" height="12" rx="2"/>`,
    textAt(MARGIN + 18, y, 'note', 'concentrated liquidity (V3)'),
    `<rect class="key v2" x="${MARGIN + 200}" y="${tenths(y - 10)}" width="12" height="12" rx="2"/>`,
    textAt(MARGIN + 218, y, 'note', 'constant product (V2)'),
  ];
}

function textAt(x: number, y: number, classes: string, text: string): string {
  return `<text class="${classes}" x="${tenths(x)}" y="${tenths(y)}">${safe(text)}</text>`;
}

/** A share in percent with three significant digits. */
function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

function tenths(value: number): string {
  return String(Math.round(10 * value) / 10);
}

/** Makes a text safe for SVG: escapes markup and leaves out characters that XML forbids. */
function safe(text: string): string {
  return escaped(text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ''));
}
