import { CODE_STYLE, SECTIONS_STYLE } from '../guides/style.ts';

/** The style of the reference besides that of all pages: a sidebar, and code beside the words where there is room. */
export const REFERENCE_STYLE = `${CODE_STYLE}${SECTIONS_STYLE}
body>header,body>footer{width:min(93.5rem,100% - 2*min(1.25rem,4vw))}
.reference{max-width:96rem;margin:0 auto}
main{min-width:0;padding:0 min(1.25rem,4vw)}
main>h2{margin-top:3rem;font-size:var(--title)}
.sidebar{background:var(--paper);border-bottom:1px solid var(--line)}
.bar{display:flex;flex-wrap:wrap;gap:.5rem;justify-content:space-between;align-items:center;padding:.5rem min(1.25rem,4vw)}
.languages{display:flex;flex-wrap:wrap;min-width:0;margin:0;padding:.1875rem;border:1px solid var(--line);border-radius:var(--corner);background:var(--card)}
.languages label{display:block;position:relative;cursor:pointer}
.languages input{position:absolute;inset:0;opacity:0;margin:0;cursor:pointer}
.languages span{display:block;padding:.5rem .625rem;border-radius:.3125rem;font-size:.875rem;line-height:1.25rem}
.languages input:checked+span{background:var(--button);color:var(--on-button)}
.languages input:focus-visible+span{outline:3px solid var(--accent);outline-offset:2px}
.menu{padding:.5rem .875rem;background:transparent;color:var(--accent)}
#contents{padding:.25rem min(1.25rem,4vw) 1rem}
#contents ul,.results{list-style:none;margin:0;padding:0}
#contents li{margin:0}
#contents a{display:block;padding:.3125rem .625rem;border-radius:.375rem;color:var(--ink);font-size:var(--small);line-height:1.35;text-decoration:none}
#contents a:has(.verb){display:flex;gap:.5rem;justify-content:space-between;align-items:baseline}
#contents a:hover{background:var(--tint)}
#contents a[aria-current]{background:var(--tint);color:var(--accent);font-weight:600}
#contents .group{margin-top:.875rem;font-weight:650}
#contents details{margin:0;padding-inline-start:.625rem}
#contents summary{color:var(--soft);font-size:var(--small);font-weight:400}
.verb{color:var(--soft);font:.6875rem var(--mono)}
.search{margin:.25rem 0 0}
#found{margin:.375rem 0 0;font-size:.875rem}
.results b,.results small{display:block;overflow-wrap:anywhere}
.results b{font-weight:600}
.results small{color:var(--soft);font-size:.8125rem}
mark{background:var(--care-tint);color:var(--care);font-weight:600}
.entry{margin-top:1rem}
.entry h3{margin-top:0;font-size:1.25rem}
.entry:target{border-color:var(--accent)}
.entry li:target{background:var(--tint)}
.entry h3 a{color:inherit;text-decoration:none}
.entry h3 a:hover{text-decoration:underline}
.endpoint code{font-size:.9375rem;font-weight:600}
.fields{margin:0 0 1rem;border-top:1px solid var(--line)}
.fields>div{padding:.5rem 0;border-bottom:1px solid var(--line)}
.fields code{font-weight:600}
.fields dd{margin:.125rem 0 0;font-size:var(--small)}
.fields dd code,.type code{font-weight:400}
.type{color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
.optional{margin-inline-start:.25rem;padding:0 .4375rem;border:1px solid var(--line);border-radius:1rem;color:var(--soft);font-size:.8125rem;font-weight:400}
.plain{list-style:none;padding:0;font-size:var(--small)}
.plain li{margin:.375rem 0}
:root:has(#in-curl:checked) .code:not(.in-curl),:root:has(#in-TypeScript:checked) .code:not(.in-TypeScript),:root:has(#in-Python:checked) .code:not(.in-Python){display:none}
output pre{margin:0}
@media (max-width:63.99rem){
.sidebar{position:sticky;top:0;z-index:2}
html{scroll-padding-top:7.5rem}
@media (scripting:none){.sidebar{position:static}}
@media not (scripting:none){#contents:not(.open){display:none}#contents{max-height:80vh;overflow-y:auto;overscroll-behavior:contain}}
}
@media (min-width:64rem){
html{scroll-padding-top:1rem}
.reference{display:grid;grid-template-columns:18rem minmax(0,1fr);align-items:start}
.sidebar{position:sticky;top:0;display:flex;flex-direction:column;max-height:100vh;border:0}
.sidebar .menu{display:none}
#contents{overflow-y:auto;overscroll-behavior:contain}
}
@media (min-width:75rem){
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,27rem);gap:2rem;align-items:start}
.samples{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto}
}
@media print{.sidebar,.samples{display:none}}
`;
