// Runs in the browser, on the reference page: search, the contents on small screens, and the language of samples.

/** How many results are listed. */
const LISTED = 30;

const menu = document.querySelector('.menu');
const contents = document.querySelector('#contents');
const form = document.querySelector('.search');
const field = document.querySelector('#search');
const found = document.querySelector('#found');
const results = document.querySelector('.results');
const groups = document.querySelector('.groups');

/** @param {boolean} isOpen */
function showContents(isOpen) {
  contents?.classList.toggle('open', isOpen);
  menu?.setAttribute('aria-expanded', String(isOpen));
}

if (menu instanceof HTMLElement) {
  menu.hidden = false;
  menu.addEventListener('click', () => showContents(menu.getAttribute('aria-expanded') !== 'true'));
}
contents?.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a') !== null) showContents(false);
});
addEventListener('hashchange', () => showContents(false));
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || menu?.getAttribute('aria-expanded') !== 'true') return;
  showContents(false);
  if (menu instanceof HTMLElement) menu.focus();
});

/** @typedef {{ id: string, title: string, place: string, text: string }} Entry */

/** @type {Entry[] | undefined} */
let entries;

/** What can be found: operations, types of events, and objects. Read from the page when somebody first searches. */
function allEntries() {
  entries ??= [...document.querySelectorAll('.entry, .entry li[id]')].map((element) => {
    const title = element.querySelector('h3, code')?.textContent ?? '';
    return {
      ...{ id: element.id, title },
      place: element.querySelector('.endpoint')?.textContent ?? '',
      text: textOf(element.querySelector('.columns > div') ?? element),
    };
  });
  return entries;
}

/**
 * The texts within an element, with a space between any two.
 * @param {Element} element
 */
function textOf(element) {
  const texts = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) texts.push(walker.currentNode.nodeValue);
  return texts.join(' ').replaceAll(/\s+/g, ' ');
}

/**
 * How well an entry fits all of the words: 0 for not at all; words of the title, the path or the id count most.
 * @param {Entry} entry
 * @param {string[]} words
 */
function fit({ id, title, place, text }, words) {
  const name = `${title} ${place} ${id}`.toLowerCase();
  const rest = text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (name.includes(word)) sum += title.toLowerCase().startsWith(word) ? 12 : 10;
    else if (rest.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

/**
 * A text with the words marked.
 * @param {string} name
 * @param {string} text
 * @param {string[]} words
 */
function marked(name, text, words) {
  const element = document.createElement(name);
  let rest = text;
  while (rest !== '') {
    const lower = rest.toLowerCase();
    const next = words
      .map((word) => ({ at: lower.indexOf(word), word }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (next === undefined) break;
    const mark = document.createElement('mark');
    mark.textContent = rest.slice(next.at, next.at + next.word.length);
    element.append(rest.slice(0, next.at), mark);
    rest = rest.slice(next.at + next.word.length);
  }
  element.append(rest);
  return element;
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function resultOf({ id, title, place, text }, words) {
  const link = document.createElement('a');
  link.href = `#${id}`;
  link.append(marked('b', title, words));
  if (place !== '') link.append(marked('small', place, words));
  const hidden = words.find((word) => !`${title} ${place}`.toLowerCase().includes(word));
  const at = hidden === undefined ? -1 : text.toLowerCase().indexOf(hidden);
  if (at >= 0) link.append(marked('small', `… ${text.slice(Math.max(0, at - 30), at + 60)} …`, words));
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function search() {
  if (!(field instanceof HTMLInputElement) || !(results instanceof HTMLElement)) return;
  const words = field.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fitting =
    words.length === 0
      ? []
      : allEntries()
          .map((entry) => ({ entry, points: fit(entry, words) }))
          .filter(({ points }) => points > 0)
          .sort((a, b) => b.points - a.points);
  results.replaceChildren(...fitting.slice(0, LISTED).map(({ entry }) => resultOf(entry, words)));
  results.hidden = words.length === 0;
  if (groups instanceof HTMLElement) groups.hidden = words.length > 0;
  const more = fitting.length > LISTED ? `, the first ${LISTED} are shown` : '';
  if (found !== null) found.textContent = words.length === 0 ? '' : `${fitting.length} found${more}`;
}

if (form instanceof HTMLElement) form.hidden = false;
field?.addEventListener('input', search);
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const first = results?.querySelector('a');
  if (first instanceof HTMLElement) first.click();
});

/** Keeps the language of the samples in the history entry, for a reload. Each link within the page makes another entry. */
function keepLanguage() {
  const chosen = document.querySelector('input[name=language]:checked');
  if (chosen instanceof HTMLInputElement) history.replaceState({ language: chosen.value }, '');
}

for (const choice of document.querySelectorAll('input[name=language]')) {
  if (!(choice instanceof HTMLInputElement)) continue;
  if (choice.value === history.state?.language) choice.checked = true;
  choice.addEventListener('change', keepLanguage);
}
addEventListener('hashchange', keepLanguage);

/** The links of the contents to what can be read, by its id. */
const links = new Map(
  [...document.querySelectorAll('.groups a')].map((link) => [link.getAttribute('href')?.slice(1), link]),
);
/** @type {Element | undefined} */
let current;

/** Marks the link to what is being read: the last entry that begins in the upper part of the window. */
const observer = new IntersectionObserver(
  (changes) => {
    const begun = changes.findLast(({ isIntersecting }) => isIntersecting)?.target.id;
    const link = links.get(begun);
    if (link === undefined || link === current) return;
    current?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    current = link;
    const list = link.closest('#contents');
    const { top = 0, bottom = 0 } = list?.getBoundingClientRect() ?? {};
    const at = link.getBoundingClientRect();
    if (at.top < top || at.bottom > bottom) list?.scrollBy(0, at.top - (top + bottom) / 2);
  },
  { rootMargin: '0px 0px -75% 0px' },
);
for (const entry of document.querySelectorAll('.entry')) observer.observe(entry);
