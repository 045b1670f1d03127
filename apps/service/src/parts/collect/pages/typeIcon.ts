import { type Html, html } from '@fairway/api';
import type { DestinationChoice } from './views.ts';

const PATHS: Readonly<Record<DestinationChoice['type'], string>> = {
  wallet:
    'M4 7.5A2.5 2.5 0 0 1 6.5 5H18v3M4 7.5A2.5 2.5 0 0 0 6.5 10H20v9H6.5A2.5 2.5 0 0 1 4 16.5zM16 14.5h.01',
  bank: 'M3.5 9.5 12 4.5l8.5 5zM5.5 12v5M10 12v5M14 12v5M18.5 12v5M3.5 19.5h17',
  emoney:
    'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2',
};

/** A drawing of a type of destination. It is decoration: a name stands beside it. */
export function typeIcon(type: DestinationChoice['type']): Html {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${PATHS[type]}"/></svg>`;
}
