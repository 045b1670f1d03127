/** The style of code with a button, and of the form above it. */
export const CODE_STYLE = `
.code{display:flex;flex-wrap:wrap;gap:.25rem .5rem;justify-content:space-between;align-items:center}
.code p{margin:0;color:var(--soft);font-size:.875rem}
.code pre{flex:1 0 100%;order:1;min-width:0;margin-top:0}
.code button{margin-inline-start:auto;padding:.375rem .75rem;border-color:var(--line);background:transparent;color:var(--accent);font-size:.875rem}
form{display:grid;gap:.75rem;margin:.5rem 0}
form button{justify-self:start}
`;

/**
 * A section at a time on a phone: that to which the address leads, else the first. An entry is a section of a section.
 * Only the address decides, so this works without scripts, and the way back works.
 */
export const SECTIONS_STYLE = `
.onward,.inside{display:none}
@media (max-width:39.99rem){
.part:not(.start,:target,:has(:target)),main:has(:target) .start:not(:has(:target)){display:none}
.part:target>.entry,.part:has(.entry:target,.entry :target)>:not(h2,.entry:target,.entry:has(:target)){display:none}
main:has(:target)>h1,.part:has(.entry:target,.entry :target)>h2{margin:.5rem 0 0;color:var(--soft);font-size:1rem}
.part>h2:first-child{margin-top:.25rem}
.inside{display:block}
.onward{display:flex;flex-wrap:wrap;gap:0 1.5rem;margin:1.5rem 0 0;padding-top:.5rem;border-top:1px solid var(--line)}
.onward a,.inside a{display:block;min-width:0;padding:.625rem 0;overflow-wrap:anywhere}
}
@media print{.onward,.inside{display:none}}
`;

/** The style of guides: the text, and beside it the other guides where there is room. */
export const GUIDE_STYLE = `${CODE_STYLE}${SECTIONS_STYLE}
.guide{width:min(60rem,100% - 2*min(1.25rem,4vw));margin:0 auto}
.guide main{min-width:0}
.part{margin-bottom:2rem}
.contents{columns:18rem;list-style:none;padding:0;max-width:none}
.contents a,.guides a{display:block;padding:.375rem 0}
.guides ul{list-style:none;padding:0}
.contents li,.guides li{margin:0;break-inside:avoid}
.guides h2{margin-top:1rem;font-size:1rem}
.guides a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
.guide table{margin:0 0 1rem}
.guide thead td{border-bottom:1px solid var(--line)}
@media (max-width:39.99rem){
.stacked td:first-child{font-weight:600}
.stacked td:not([data-label=""])::before{content:attr(data-label);display:block;margin-top:.25rem;color:var(--soft);font-size:.8125rem}
}
@media (min-width:64rem){
body>header,body>footer,.guide{width:min(78rem,100% - 2*min(1.25rem,4vw))}
.guide{display:grid;grid-template-columns:minmax(0,1fr) 14rem;gap:3rem;align-items:start}
.guides{position:sticky;top:1rem}
.guide td code{overflow-wrap:break-word}
}
@media print{.guides,.contents{display:none}}
`;
