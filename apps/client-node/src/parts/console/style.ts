/** The style of the page, beside that of all pages. */
export const CONSOLE_STYLE = `
.relayers{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
.relayers{margin-bottom:1rem}
.relayers .card{margin:0;padding:1.25rem min(1.25rem,4vw)}
.relayers h3{display:flex;flex-wrap:wrap;gap:.375rem .75rem;align-items:center;margin:0 0 .5rem}
.relayers code{display:block}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.75rem 1.25rem;margin:1rem 0}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.good{background:var(--good-tint);color:var(--good)}
.care{background:var(--care-tint);color:var(--care)}
.plain{background:var(--tint);color:var(--ink)}
.todo{margin:.75rem 0 0;padding:.75rem 1rem;background:var(--care-tint);color:var(--care);border-radius:var(--corner)}
.todo p{margin:0}
.todo p+p{margin-top:.5rem}
td{overflow-wrap:anywhere}
td:nth-child(n+3){font-variant-numeric:tabular-nums}
td a{display:inline-block;padding:.125rem 0;text-underline-offset:.3em}
body>header nav a,p a,.pages a{display:inline-flex;align-items:center;min-height:2.75rem}
.pages{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.75rem 0 0}
@media (max-width:39.99rem){
.stacked td{display:grid;grid-template-columns:7rem 1fr;gap:.75rem}
td a{display:inline-flex;align-items:center;min-width:2.75rem;min-height:2.75rem}
td:has(a){align-items:center}
.stacked td:has(.usual){display:none}
.stacked td::before{content:attr(data-label);color:var(--soft)}
}
`;
