import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import { formatDuration, formatMoment } from '../../../words/locales/formats.ts';

/** A moment in UTC. The script puts the reader's local time before it. */
export function moment({ language }: Catalogue, at: Date): Html {
  const text = formatMoment(language, at.getTime());
  return html`<time datetime="${at.toISOString()}" lang="${language.formats}" data-local>${text}</time>`;
}

/** A text with a placeholder for a moment, which the script also writes in the reader's local time. */
export function withMoment(catalogue: Catalogue, text: string, placeholder: string, at: Date): Html {
  const [before = '', after = ''] = text.split(placeholder);
  return html`${before}${moment(catalogue, at)}${after}`;
}

/** A duration in words, such as "27 seconds". */
export function waitText({ language }: Catalogue, seconds: number): string {
  return new Intl.NumberFormat(language.formats, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  }).format(Math.max(1, Math.ceil(seconds)));
}

/** How long a payment takes, in words, such as "1 minute to 1 day". */
export function settlementText(
  { language, pages }: Catalogue,
  { min, max }: { readonly min: string; readonly max: string },
): string {
  const [least, most] = [formatDuration(language, min), formatDuration(language, max)];
  if (/[1-9]/.test(min) && least !== most) return filled(pages.common.range, { least, most });
  return most;
}

/** A country's name in the catalogue's language. */
export function countryName({ language }: Catalogue, country: string): string {
  return new Intl.DisplayNames([language.formats], { type: 'region' }).of(country) ?? country;
}
