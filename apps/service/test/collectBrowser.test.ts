// How readers use the collect pages, in a real browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { scale } from '@fairway/testing/properties';
import { faultsOf, scrollsSideways, takePicture } from '@fairway/testing/pageChecks';
import { contrast } from '../src/words/text/colours.ts';
import { TOKEN } from './collectStates.ts';
import { DESKTOP, PHONE, startCollectPages } from './collectPages.ts';

const { origin, states, posts, requests, withPage, close } = await startCollectPages();
after(close);

test('text at twice its size fits a phone', async () => {
  // By day in the language with the longest words.
  const names = Object.keys(states).filter((name) => scale > 1 || name.startsWith('de/'));
  await withPage({ viewport: { width: 360, height: 740 } }, async (page) => {
    for (const name of names) {
      await page.goto(`${origin}/${name}`);
      await page.evaluate("document.documentElement.style.fontSize = '200%'");
      assert.equal(await scrollsSideways(page), false, name);
    }
  });
});

test('the link opens by itself, and its token is in no address, history or request line', async () => {
  await withPage(PHONE, async (page) => {
    posts.length = 0;
    requests.length = 0;
    await page.goto(`${origin}/en/gone-unknown`);
    let addressWhileOpening = '';
    await page.route('**/collect/open', async (route) => {
      addressWhileOpening = page.url();
      await route.continue();
    });
    await page.goto(`${origin}/collect#${TOKEN}`);
    await page.waitForURL(`${origin}/collect/open`);
    assert.deepEqual(
      posts.map(({ path, body }) => [path, body.get('token')]),
      [['/collect/open', `#${TOKEN}`]],
    );
    assert.ok(requests.every((line) => !line.includes(TOKEN)));
    assert.equal(addressWhileOpening, `${origin}/collect`);
    await page.goBack();
    assert.ok(!page.url().includes(TOKEN));
  });
});

test('a link that is pasted into the address bar of the open page is opened', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/collect`);
    posts.length = 0;
    await page.evaluate(`location.replace('/collect#${TOKEN}')`);
    await page.waitForURL(`${origin}/collect/open`);
    assert.deepEqual(
      posts.map(({ body }) => body.get('token')),
      [`#${TOKEN}`],
    );
  });
});

test('the whole form is filled in and sent with the keyboard alone', async () => {
  await withPage(DESKTOP, async (page) => {
    posts.length = 0;
    await page.goto(`${origin}/en/details-au`);
    for (const text of ['Jane Doe', '062-000', '1234 5678']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Continue');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/collect/review`);
    assert.deepEqual(Object.fromEntries(posts[0]?.body ?? []), {
      token: TOKEN,
      type: 'bank',
      country: 'AU',
      name: 'Jane Doe',
      'account.bsb': '062-000',
      'account.accountNumber': '1234 5678',
    });
  });
});

test('a browser wallet is asked for its address alone, and without a wallet none is offered', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/en/details-wallet`);
    assert.equal(await page.locator('[data-wallets]').isVisible(), false);
    await page.addInitScript({ content: TWO_WALLETS });
    await page.goto(`${origin}/en/details-wallet`);
    await takePicture(page, 'en-details-wallet-offered-phone-light');
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole('button', { name: 'Take the address from No <b>Account</b>' }).click();
    await page.getByText('The wallet gave no address').waitFor();
    await page.getByRole('button', { name: 'Take the address from Example Wallet' }).click();
    await page.getByText('The address has been filled in').waitFor();
    assert.equal(await page.getByLabel('Wallet address').inputValue(), `0x${'Ab'.repeat(20)}`);
    const asked = await page.evaluate<string[]>('asked');
    assert.deepEqual(asked, ['eth_requestAccounts', 'eth_requestAccounts']);
  });
});

/** Announces two wallets in the browser by EIP-6963; the first wallet refuses. */
const TWO_WALLETS = `
globalThis.asked = [];
const announce = (name, accounts) => {
  const request = ({ method }) => { asked.push(method); return accounts(); };
  const detail = { info: { uuid: name, name, icon: 'data:,', rdns: 'org.example' }, provider: { request } };
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })));
};
announce('No <b>Account</b>', () => Promise.reject(new Error('User rejected the request.')));
announce('Example Wallet', () => Promise.resolve(['0x${'Ab'.repeat(20)}']));`;

test('an address is shown in groups and copied in one piece', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/en/review-wallet`);
    const copied = await page.evaluate<string>(
      "getSelection().selectAllChildren(document.querySelector('.address')), getSelection().toString()",
    );
    assert.equal(copied.trim(), '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045');
  });
});

test('times are written in the time zone of the reader, and in UTC', async () => {
  const timesIn = (timezoneId: string) => async () => {
    const shown: (string | null)[] = [];
    await withPage({ ...PHONE, timezoneId }, async (page) => {
      await page.goto(`${origin}/en/destination`);
      shown.push(await page.locator('time').textContent());
    });
    return shown[0];
  };
  const another = '1 December 2026 at 01:00 GMT+8 (30 November 2026 at 17:00 UTC)';
  assert.equal(await timesIn('Asia/Manila')(), another);
  assert.equal(await timesIn('Europe/Berlin')(), '30 November 2026 at 18:00 CET (17:00 UTC)');
  assert.equal(await timesIn('UTC')(), '30 November 2026 at 17:00 UTC');
});

test('a box that is not ticked is seen as well as a field, in the light and in the dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const)
    await withPage({ ...PHONE, colorScheme }, async (page) => {
      await page.goto(`${origin}/en/code-kept`);
      const colourOf = async (selector: string, property: string) => {
        const shown = await page.evaluate<string>(
          `getComputedStyle(document.querySelector('${selector}')).${property}`,
        );
        const parts = shown.match(/\d+/g)?.slice(0, 3) ?? assert.fail(shown);
        return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}` as const;
      };
      const card = await colourOf('.card', 'backgroundColor');
      for (const field of ['#own', '#code']) {
        const [border, inside] = [
          await colourOf(field, 'borderTopColor'),
          await colourOf(field, 'backgroundColor'),
        ];
        assert.ok(contrast(border, card) >= 3 && contrast(border, inside) >= 3, `${field} ${colorScheme}`);
      }
      await page.locator('#own').check();
      assert.notEqual(await colourOf('#own', 'backgroundColor'), card, 'a ticked one is filled');
    });
});

test('a field that nobody has touched is not red after a mistake in another one', async () => {
  await withPage(PHONE, async (page) => {
    const borderOf = async (name: string) => {
      await page.goto(`${origin}/en/${name}`);
      await page.locator('#type-bank').check();
      return page.evaluate<string>("getComputedStyle(document.querySelector('#country')).border");
    };
    const usual = await borderOf('destination');
    assert.equal(await borderOf('destination-no-type'), usual);
    assert.notEqual(await borderOf('destination-no-country'), usual);
  });
});

test('an eMoney wallet is asked for by what its provider knows it by, without scripts too', async () => {
  await withPage({ ...PHONE, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${origin}/en/details-listed`);
    await page.getByLabel('Provider', { exact: true }).selectOption('Other Wallet');
    for (const [word, label] of [
      ['PHONE', 'Phone number'],
      ['EMAIL', 'E-mail address'],
      ['ACCOUNT_ID', 'Account ID'],
    ] as const) {
      await page.locator(`#idType-${word}`).check();
      assert.deepEqual(await page.locator('.choice .field label:visible').allTextContents(), [label]);
    }
    posts.length = 0;
    await page.locator('#idType-EMAIL').check();
    await page.locator('#idValue-EMAIL').fill('jo@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    const { provider, idType, 'idValue.EMAIL': idValue } = Object.fromEntries(posts[0]?.body ?? []);
    assert.deepEqual([provider, idType, idValue], ['Other Wallet', 'EMAIL', 'jo@example.com']);
  });
});

test('all of an address is seen on the smallest phone, and Enter sends it', async () => {
  const address = `0x${'D'.repeat(40)}`;
  await withPage(PHONE, async (page) => {
    for (const name of ['details-wallet', 'details-wallet-mistyped', 'review-wallet', 'receipt-wallet']) {
      await page.goto(`${origin}/de/${name}`);
      if (name.startsWith('details')) await page.locator('#address').fill(address);
      assert.deepEqual(await faultsOf(page), [], name);
    }
    await page.goto(`${origin}/en/details-wallet`);
    await page.locator('#address').fill(address);
    posts.length = 0;
    await page.locator('#address').press('Enter');
    await page.waitForURL(`${origin}/collect/review`);
    assert.equal(posts[0]?.body.get('address'), address);
  });
});

test('the colour of an organisation is that of its buttons, and a logo lies on no box', async () => {
  await withPage({ ...PHONE, colorScheme: 'dark' }, async (page) => {
    await page.goto(`${origin}/en/destination`);
    const of = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);
    assert.equal(await of('button', 'backgroundColor'), 'rgb(232, 131, 58)');
    assert.equal(await of('button', 'color'), 'rgb(0, 0, 0)');
    assert.equal(await of('header img', 'backgroundColor'), 'rgba(0, 0, 0, 0)');
    assert.equal(await page.locator('header').textContent(), '');
    await page.goto(`${origin}/en/destination-plain`);
    assert.equal(await of('button', 'backgroundColor'), 'rgb(143, 196, 246)');
  });
});
