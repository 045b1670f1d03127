import { type Colour, inkOn } from '../../words/text/colours.ts';
import type { ContactWay } from '../../words/text/contactWays.ts';
import { type Html, html } from '@fairway/api';

/** A part of a mail. Texts may have placeholders; quotes, links and codes have none. */
export type LetterBlock =
  | { readonly kind: 'PARAGRAPH' | 'FOOTER'; readonly text: string }
  | { readonly kind: 'QUOTE'; readonly title: string; readonly quoted: string }
  | { readonly kind: 'LINK'; readonly url: string; readonly button: string; readonly copy: string }
  | { readonly kind: 'CODE'; readonly code: string }
  /** Ways to ask the sender. */
  | {
      readonly kind: 'CONTACT';
      readonly title: string;
      readonly ways: readonly ContactWay[];
    };

/** Who a mail is from, as its top shows it. It loads no picture: a name is seen in every mail program. */
export type Brand = { readonly name: string; readonly colour?: Colour };

const USUAL_COLOUR: Colour = '#0b4f8a';

type Fill = (text: string) => string;

/** The text part. */
export function letterText(blocks: readonly LetterBlock[], fill: Fill): string {
  return `${blocks.map((block) => blockText(block, fill)).join('\n\n')}\n`;
}

function blockText(block: LetterBlock, fill: Fill): string {
  switch (block.kind) {
    case 'PARAGRAPH':
      return fill(block.text);
    case 'FOOTER':
      // Mail programs read this line as the beginning of a signature.
      return `-- \n${fill(block.text)}`;
    case 'QUOTE':
      return `${fill(block.title)}\n> ${block.quoted}`;
    case 'LINK':
      return `${fill(block.button)}:\n${block.url}`;
    case 'CODE':
      return `    ${block.code}`;
    case 'CONTACT':
      // Mail programs make a link of the whole address of a page.
      return [
        fill(block.title),
        ...block.ways.map(({ text, url }) => (url.startsWith('https:') ? url : text)),
      ].join('\n');
  }
}

// Mail programs choose the colours, light or dark. An element with a background of its own also sets its text colour.
const BODY = 'margin:0;padding:24px 16px';
const LETTER =
  'max-width:34rem;margin:0 auto;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;overflow-wrap:break-word';
const PARAGRAPH = 'margin:0 0 16px';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;font-weight:600;text-decoration:none';
const LETTERHEAD =
  'margin:0 0 20px;padding:0 0 10px;font-size:18px;line-height:1.3;font-weight:700;overflow-wrap:anywhere';
const SMALL = 'margin:0 0 16px;font-size:14px;overflow-wrap:anywhere;word-break:break-word';
const QUOTE = 'margin:0 0 16px;padding:4px 0 4px 12px;border-left:3px solid #808a96;overflow-wrap:anywhere';
const CODE = 'margin:0 0 16px;font:600 28px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.15em';
const FOOTER = 'margin:24px 0 0;padding-top:12px;border-top:1px solid #808a96;font-size:14px';

/** A whole letter. `brand`: absent where it is not from an organisation to its recipient. */
type Letter = {
  readonly language: string;
  readonly title: string;
  readonly blocks: readonly LetterBlock[];
  readonly brand?: Brand;
};

/** The HTML part: a whole document that loads nothing. */
export function letterHtml(letter: Letter, fill: Fill): string {
  const { brand } = letter;
  const colour = brand?.colour ?? USUAL_COLOUR;
  return html`<!doctype html>
<html lang="${letter.language}" style="color-scheme:light dark">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${letter.title}</title>
</head>
<body style="${BODY}">
<div style="${LETTER}">
${brand === undefined ? undefined : html`<p style="${LETTERHEAD};border-bottom:3px solid ${colour}">${brand.name}</p>\n`}${letter.blocks.map((block) => blockHtml(block, fill, colour))}</div>
</body>
</html>
`.html;
}

function blockHtml(block: LetterBlock, fill: Fill, colour: Colour): Html {
  switch (block.kind) {
    case 'PARAGRAPH':
      return html`<p style="${PARAGRAPH}">${fill(block.text)}</p>\n`;
    case 'FOOTER':
      return html`<p style="${FOOTER}">${fill(block.text)}</p>\n`;
    case 'QUOTE':
      return html`<p style="margin:0 0 4px">${fill(block.title)}</p>\n<blockquote style="${QUOTE}">${block.quoted}</blockquote>\n`;
    case 'LINK':
      return html`<p style="${PARAGRAPH}"><a href="${block.url}" style="${BUTTON};background:${colour};color:${inkOn(colour)}">${fill(block.button)}</a></p>
<p style="${SMALL}">${fill(block.copy)}<br><a href="${block.url}">${block.url}</a></p>\n`;
    case 'CODE':
      return html`<p style="${CODE}">${block.code}</p>\n`;
    case 'CONTACT': {
      const ways = block.ways.map(({ text, url }) => html`<br><a href="${url}">${text}</a>`);
      return html`<p style="${PARAGRAPH}">${fill(block.title)}${ways}</p>\n`;
    }
  }
}
