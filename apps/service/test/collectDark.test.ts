// Every collect page in every state and language, on small and large screens, in a real browser with the dark scheme.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CATALOGUES } from '../src/locales/index.ts';
import { DESKTOP, PHONE, startCollectPages } from './collectPages.ts';
import { faultsOf, takePicture } from './pageChecks.ts';

/** Both screens with FC_SCALE; otherwise the phone here and the desktop in the light scheme. */
const screens = process.env['FC_SCALE'] === undefined ? { phone: PHONE } : { phone: PHONE, desktop: DESKTOP };

const { origin, states, withPage, close } = await startCollectPages();
after(close);

for (const { locale } of CATALOGUES) {
  for (const [screen, options] of Object.entries(screens)) {
    test(`every page is accessible and fits a dark ${screen} in ${locale}`, async () => {
      await withPage({ ...options, colorScheme: 'dark' }, async (page) => {
        const faults: string[] = [];
        for (const name of Object.keys(states).filter((each) => each.startsWith(`${locale}/`))) {
          await page.goto(`${origin}/${name}`);
          faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
          await takePicture(page, `${name.replace('/', '-')}-${screen}-dark`);
        }
        assert.deepEqual(faults, []);
      });
    });
  }
}
