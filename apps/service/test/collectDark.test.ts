// Every collect page in every state and language, on small and large screens, in a real browser with the dark scheme.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { scale } from '@fairway/testing/properties';
import { faultsOf, scrollsSideways, takePicture } from '@fairway/testing/pageChecks';
import type { Page } from 'playwright-core';
import { CATALOGUES } from '../src/words/locales/index.ts';
import { DESKTOP, PHONE, startCollectPages } from './collectPages.ts';

/**
 * The nightly run looks at everything; the daily run looks at the phone in the languages with longer words. English is
 * looked at in the light scheme. Each scheme has every second one of the pages that are looked at for all faults.
 */
const isWhole = scale > 1;
const screens = isWhole ? { phone: PHONE, desktop: DESKTOP } : { phone: PHONE };
const catalogues = CATALOGUES.filter(({ locale }) => isWhole || locale !== 'en');
/** The language whose pages are looked at for all faults, and have their picture taken: both take most of the time. */
const THOROUGH = CATALOGUES[1]?.locale;

const { origin, states, withPage, close } = await startCollectPages();
after(close);

for (const { locale } of catalogues) {
  for (const [screen, options] of Object.entries(screens)) {
    const isThorough = (index: number) => isWhole || (locale === THOROUGH && index % 2 === 0);
    const what = isThorough(0) ? 'is accessible and fits' : 'fits';
    test(`every page ${what} a dark ${screen} in ${locale}`, async () => {
      await withPage({ ...options, colorScheme: 'dark' }, async (page) => {
        const faults: string[] = [];
        const names = Object.keys(states).filter((each) => each.startsWith(`${locale}/`));
        for (const [index, name] of names.entries()) {
          await page.goto(`${origin}/${name}`);
          const found = isThorough(index) ? await faultsOf(page) : [];
          if (isThorough(index)) await takePicture(page, `${name.replace('/', '-')}-${screen}-dark`);
          found.push(...(await widthFaultsOf(page)));
          faults.push(...found.map((fault) => `${name}: ${fault}`));
        }
        assert.deepEqual(faults, []);
      });
    });
  }
}

/**
 * The elements that are too wide even if no word is broken. Given values, such as account numbers, are broken where they
 * must be.
 */
async function widthFaultsOf(page: Page): Promise<string[]> {
  if (await scrollsSideways(page)) return ['scrolls sideways'];
  await page.evaluate(`for (const { style } of document.querySelectorAll('main *:not(dd, dd *, blockquote *, .exact)'))
    style.overflowWrap = 'normal'`);
  return (await scrollsSideways(page)) ? ['a word does not fit'] : [];
}
