import { createHash } from 'node:crypto';
import { type Colour, inkOn, mixed, readable } from '../../../words/text/colours.ts';

/** The style of every collect page, made for phones first. It uses the fonts of the reader's device. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#17202b;--soft:#4f5c6b;--paper:#f2f4f7;--card:#fff;--line:#d3dae1;--field:#76838f;--accent:#0b4f8a;--button:#0b4f8a;--on-button:#fff;--tint:#eaf2f9;--good:#14623a;--good-tint:#e8f4ed;--bad:#a1231b;--bad-tint:#fcedeb;--care:#6d4300;--care-tint:#fdf3df}
@media (prefers-color-scheme:dark){:root{--ink:#e8edf2;--soft:#abb7c3;--paper:#0e1318;--card:#171e26;--line:#313d49;--field:#7c8a97;--accent:#8fc4f6;--button:#8fc4f6;--on-button:#0b1926;--tint:#1b2a39;--good:#8bd8ab;--good-tint:#15281e;--bad:#f6aca5;--bad-tint:#331b1a;--care:#f0c981;--care-tint:#2d2513}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
header,main,footer{width:100%;max-width:37rem;margin:0 auto;padding:0 min(1rem,5vw)}
header{display:flex;align-items:center;gap:.75rem;padding-top:1rem;padding-bottom:1rem;min-height:4.5rem}
header img{display:block;width:auto;height:2.75rem;max-width:min(14rem,80vw);object-fit:contain;object-position:left}
header strong{min-width:0;overflow-wrap:anywhere;font-size:1.1875rem;line-height:1.25}
main{flex:1 0 auto}
main:first-child{padding-top:1.25rem}
footer{color:var(--soft);font-size:.9375rem;padding-top:1.5rem;padding-bottom:2rem}
footer p{margin:0 0 .75rem}
h1{font-size:1.5625rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 1rem;text-wrap:balance;overflow-wrap:anywhere}
h2.first{margin-top:0}
h2{font-size:1.125rem;line-height:1.35;margin:1.75rem 0 .5rem}
p{margin:0 0 1rem}
a{color:var(--accent);text-underline-offset:.15em}
.card{background:var(--card);border:1px solid var(--line);border-radius:.875rem;padding:1.25rem min(1rem,5vw)}
.card>:last-child,.card form>:last-child{margin-bottom:0}
.card+.card,.card+form,form+.card{margin-top:1rem}
.soft{color:var(--soft)}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none!important}
.step{display:flex;align-items:center;gap:.75rem;margin:0 0 .75rem;color:var(--soft);font-size:.9375rem}
.step span[aria-hidden]{display:flex;flex:1;gap:.25rem;max-width:12rem}
.step i{flex:1;height:.3125rem;border-radius:1rem;background:var(--line)}
.step i.done{background:var(--accent)}
.pays{display:flex;flex-wrap:wrap;gap:0 .35rem;margin:0 0 1rem;padding-bottom:1rem;border-bottom:1px solid var(--line);color:var(--soft);overflow-wrap:anywhere}
blockquote{margin:0 0 1rem;padding:.75rem 1rem;border-inline-start:.25rem solid var(--accent);border-radius:.25rem .5rem .5rem .25rem;background:var(--tint)}
blockquote strong{display:block;font-size:.9375rem;overflow-wrap:anywhere}
blockquote p{margin:.25rem 0 0;white-space:pre-line;overflow-wrap:anywhere}
.notice{margin:0 0 1.25rem;padding:.875rem 1rem;border:1px solid;border-inline-start-width:.375rem;border-radius:.5rem}
.notice p:last-child,.notice ul:last-child{margin-bottom:0}
.notice p:has(+ul){margin-bottom:.25rem}
.notice ul{margin:0;padding-inline-start:1.125rem}
.notice li{margin:.25rem 0}
.notice{background:var(--tint);border-color:var(--accent)}
.notice.bad{background:var(--bad-tint);border-color:var(--bad)}
.notice.bad strong,.notice.bad a{color:var(--bad)}
.notice.care{background:var(--care-tint);border-color:var(--care)}
.notice.good{background:var(--good-tint);border-color:var(--good)}
form,fieldset{margin:0}
fieldset{min-width:0;padding:0;border:0}
legend{padding:0;font-weight:650}
fieldset.group{margin:1.75rem 0 0}
fieldset.group>legend{margin-bottom:1rem;font-size:1.125rem}
.field{margin:0 0 1.375rem}
.field label,.field legend{display:block;margin-bottom:.125rem;font-weight:650}
.field>label span{font-weight:400;color:var(--soft)}
.hint{margin:0 0 .4375rem;color:var(--soft);font-size:.9375rem;line-height:1.45}
.error{display:flex;gap:.5rem;margin:0 0 .4375rem;color:var(--bad);font-size:.9375rem;font-weight:600;line-height:1.45}
.error::before{content:"!";flex:none;width:1.25rem;height:1.25rem;margin-top:.0625rem;border-radius:50%;background:var(--bad);color:var(--card);font-weight:800;line-height:1.25rem;text-align:center}
.wrong{margin-inline-start:-.75rem;padding-inline-start:.5rem;border-inline-start:.25rem solid var(--bad)}
input,select,textarea,button{font:inherit;color:inherit}
input[type=text],textarea,select{display:block;width:100%;min-height:3rem;padding:.625rem .75rem;border:1px solid var(--field);border-radius:.5rem;background:var(--card)}
select{text-overflow:ellipsis}
.wrong>input[type=text],.wrong>textarea,.wrong>select{border:2px solid var(--bad)}
.exact{overflow-wrap:anywhere;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace!important;letter-spacing:.01em}
input.exact{font-size:1rem;letter-spacing:0}
#address{height:4.625rem;font-size:1rem;line-height:1.5;overflow:hidden;resize:none;word-break:break-all}
#code{max-width:14rem;min-height:3.5rem;font-size:1.625rem;letter-spacing:.2em}
input[type=radio],input[type=checkbox]{appearance:none;flex:none;display:grid;place-content:center;width:1.375rem;height:1.375rem;margin:.0625rem 0 0;border:2px solid var(--field);border-radius:.3125rem;background:var(--card)}
input[type=radio]{border-radius:50%}
input[type=radio]:checked,input[type=checkbox]:checked{border-color:var(--accent)}
input[type=checkbox]:checked{background:var(--accent)}
input[type=radio]:checked::before{content:"";width:.75rem;height:.75rem;border-radius:50%;background:var(--accent)}
input[type=checkbox]:checked::before{content:"";width:.4375rem;height:.75rem;margin-top:-.1875rem;border:solid var(--card);border-width:0 .1875rem .1875rem 0;transform:rotate(45deg)}
.choice{position:relative;margin:0 0 .75rem;border:1px solid var(--field);border-radius:.75rem;background:var(--card)}
.choice>label{display:flex;gap:.75rem;padding:.875rem;cursor:pointer;font-weight:400;margin:0}
.choice label>span,.confirm>span,.error>span{flex:1;min-width:0;overflow-wrap:anywhere}
.choice b{display:block;font-weight:650}
.choice>label .hint{display:block;margin:.125rem 0 0}
.choice svg{flex:0 1 1.75rem;min-width:0;height:1.75rem;margin-inline-start:auto;fill:none;stroke:var(--soft);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.choice .field{margin:0 .875rem .875rem;padding-top:.875rem;border-top:1px solid var(--line)}
.choice:has(>label input:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.choice:has(>label input:checked) svg{stroke:var(--accent)}
.choice:has(>label input:not(:checked)) .field{display:none}
.small .choice{border-radius:.5rem;margin-bottom:.5rem}
.small .choice>label{padding:.625rem .75rem}
.confirm{display:flex;gap:.75rem;padding:.75rem 0;font-weight:650;cursor:pointer}
.actions{display:flex;flex-direction:column;gap:.75rem;margin-top:1.5rem}
button{min-height:3rem;width:100%;padding:.625rem 1.25rem;border:1px solid var(--accent);border-radius:.625rem;background:var(--button);color:var(--on-button);font-weight:650;line-height:1.3;cursor:pointer}
button.second{background:transparent;color:var(--accent)}
button:hover{box-shadow:0 2px 10px rgb(0 0 0/.3)}
button.second:hover{background:var(--tint);box-shadow:none}
button:active{transform:translateY(1px)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
input[type=radio]:focus-visible,input[type=checkbox]:focus-visible{outline-offset:3px}
.notice:focus-visible{outline-color:currentcolor}
ol.next{margin:0;padding-inline-start:1.375rem}
ol.next li{margin:.375rem 0;padding-inline-start:.25rem;overflow-wrap:anywhere}
dl{margin:0 0 1.25rem}
dl div{padding:.6875rem 0;border-bottom:1px solid var(--line)}
dl div:first-child{padding-top:0}
dl div:last-child{padding-bottom:0;border-bottom:0}
dt{color:var(--soft);font-size:.9375rem}
dd{margin:0;font-weight:600;overflow-wrap:anywhere}
dd .exact{font-weight:500}
.contract{display:block;margin-top:.375rem}
.contract .exact{font-size:.875rem}
.contact{display:grid;justify-items:start;gap:.125rem}
.contact a{max-width:100%;padding:.125rem 0;overflow-wrap:anywhere}
.address{margin:0 0 1rem;padding:.75rem .875rem;border:1px solid var(--line);border-radius:.5rem;background:var(--tint);font-size:1.0625rem;line-height:1.9}
.grouped span{display:inline-block;margin-inline-end:.55em}
.picker{margin-bottom:1.5rem}
.picker div{display:grid;gap:.625rem;justify-items:start}
.picker [role=status]:not(:empty){margin:.75rem 0 0;font-weight:600}
.status{display:flex;gap:.875rem;align-items:flex-start}
.status h1{margin-bottom:.5rem}
.status svg{flex:none;width:2.25rem;height:2.25rem;margin-top:-.125rem;fill:none;stroke:currentcolor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.status .good{color:var(--good)}
.status .bad{color:var(--bad)}
.status .under-way{color:var(--accent)}
.opening #collect{display:none}
@media (min-width:40rem){
header,main,footer{padding-left:1.5rem;padding-right:1.5rem}
header,main:first-child{padding-top:1.75rem}
h1{font-size:1.8125rem}
.card{padding:1.75rem}
dl div{display:grid;grid-template-columns:11rem 1fr;gap:1rem}
.actions{flex-direction:row;flex-wrap:wrap}
.actions button,button{width:auto;min-width:9rem}
}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important;scroll-behavior:auto!important}button:active{transform:none}}
@media (forced-colors:active){input[type=radio],input[type=checkbox]{appearance:auto}.step i.done{background:Highlight}.error::before{border:1px solid}}
@media print{body{background:#fff}.actions,footer{display:none}}
`;

/** The path of the style with an organisation's colour. */
export function colourPath(colour: Colour): string {
  return `/collect/colour/${colour.slice(1)}.css`;
}

/** What a coloured text is read on: the page, a card, and a card with a shade of the colour. */
const SURFACES = {
  light: { plain: ['#f2f4f7', '#ffffff'], card: '#ffffff', share: 0.08 },
  dark: { plain: ['#0e1318', '#171e26'], card: '#171e26', share: 0.12 },
} as const;

/**
 * The style that puts an organisation's colour in the place of the usual one. Buttons have the colour itself, with a text
 * of black or white. Text and lines in the colour are made darker, or lighter in a dark scheme, until they can be
 * read.
 */
export function colourStyle(colour: Colour): string {
  const button = `--button:${colour};--on-button:${inkOn(colour)}`;
  const inScheme = ({ plain, card, share }: (typeof SURFACES)[keyof typeof SURFACES]) => {
    const accent = readable(colour, (candidate) => [...plain, mixed(card, candidate, share)]);
    return `:root{--accent:${accent};--tint:${mixed(card, accent, share)};${button}}`;
  };
  return `${inScheme(SURFACES.light)}\n@media (prefers-color-scheme:dark){${inScheme(SURFACES.dark)}}\n`;
}

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** The Content-Security-Policy of every collect page. */
export const COLLECT_POLICY = `default-src 'none'; style-src 'self' 'sha256-${styleHash}'; script-src 'self'; img-src data:; connect-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
