import { fileURLToPath } from 'node:url';
import { scale } from './properties.ts';
import axe, { type Result } from 'axe-core';
import type { Page } from 'playwright-core';

/** The folder for pictures of every page, for people to look at; not in git. */
const screenshots = fileURLToPath(new URL('../../../screenshots', import.meta.url));

/** Saves a picture of the page for people to look at; with `FC_SCALE=2` alone, because pictures take long. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (scale === 1) return;
  await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true });
}

/**
 * Finds breaches of WCAG and good practice, content wider than the screen, targets too small for a thumb, and addresses that
 * are cut off. `within`: a selector of the part that is looked at, where it covers the rest of the page.
 */
export async function faultsOf(page: Page, within = ':root'): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<Result[]>(`
    axe.run('${within}', { resultTypes: ['violations', 'incomplete'] })
      .then(({ violations, incomplete }) => [...violations, ...incomplete])`);
  const found = results.map(
    ({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
  const small = await page.evaluate<string[]>(`
    [...document.querySelectorAll('button, select, textarea, input[type=text], .choice > label, .confirm')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44)
      .map((element) => 'too small for a thumb: ' + element.outerHTML.slice(0, 80))`);
  // The whole of an address and of a hash is seen, not a part of it.
  const cut = await page.evaluate<string[]>(`
    [...document.querySelectorAll('#address, .address, .contract, dd .exact')]
      .filter((element) => element.checkVisibility() && element.clientWidth > 0 &&
        (element.scrollWidth > element.clientWidth || element.tagName === 'TEXTAREA' && element.scrollHeight > element.clientHeight))
      .map((element) => 'cut off: ' + element.outerHTML.slice(0, 80))`);
  return [...found, ...small, ...cut, ...((await scrollsSideways(page)) ? ['scrolls sideways'] : [])];
}

/** Whether the page is wider than its window. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
}
