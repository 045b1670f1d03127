// Every collect page in every state and language, on small and large screens, in a real browser with the light
// scheme.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { scale } from '@fairway/testing/properties';
import { faultsOf, takePicture } from '@fairway/testing/pageChecks';
import { CATALOGUES } from '../src/words/locales/index.ts';
import { DESKTOP, PHONE, startCollectPages } from './collectPages.ts';

/**
 * The nightly run looks at everything. The daily run looks at every second page on the desktop in English here, and the
 * phone in the dark scheme.
 */
const isWhole = scale > 1;
const screens = isWhole ? { phone: PHONE, desktop: DESKTOP } : { desktop: DESKTOP };
const catalogues = CATALOGUES.filter(({ locale }) => isWhole || locale === 'en');

const { origin, states, withPage, close } = await startCollectPages();
after(close);

for (const { locale } of catalogues) {
  for (const [screen, options] of Object.entries(screens)) {
    test(`every page is accessible and fits a light ${screen} in ${locale}`, async () => {
      await withPage({ ...options, colorScheme: 'light' }, async (page) => {
        const faults: string[] = [];
        const names = Object.keys(states).filter((each) => each.startsWith(`${locale}/`));
        for (const name of names.filter((_, index) => isWhole || index % 2 === 1)) {
          await page.goto(`${origin}/${name}`);
          faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
          await takePicture(page, `${name.replace('/', '-')}-${screen}-light`);
        }
        assert.deepEqual(faults, []);
      });
    });
  }
}
