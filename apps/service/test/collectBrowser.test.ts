// How readers use the collect pages, in a real browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TOKEN } from './collectStates.ts';
import { DESKTOP, PHONE, startCollectPages } from './collectPages.ts';
import { faultsOf, scrollsSideways, takePicture } from './pageChecks.ts';

const { origin, states, posts, requests, withPage, close } = await startCollectPages();
after(close);

test('text at twice its size fits a phone', async () => {
  await withPage({ viewport: { width: 360, height: 740 } }, async (page) => {
    for (const name of Object.keys(states)) {
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

test('without JavaScript the reader pastes the link, and every other step is a form', async () => {
  await withPage({ ...PHONE, javaScriptEnabled: false }, async (page) => {
    posts.length = 0;
    await page.goto(`${origin}/collect`);
    await page.getByLabel('Link from your e-mail').fill(`https://pay.example/collect#${TOKEN}`);
    await page.getByRole('button', { name: 'Open' }).click();
    assert.equal(posts[0]?.body.get('token'), `https://pay.example/collect#${TOKEN}`);
    await page.getByRole('radio', { name: 'Bank account' }).check();
    await page.getByLabel('Country of the bank account').selectOption('AU');
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.deepEqual(Object.fromEntries(posts[1]?.body ?? []), { token: TOKEN, type: 'bank', country: 'AU' });
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

test('a page with mistakes focuses their summary, and each mistake links to its field', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/en/details-de-mistyped`);
    // The browser sets the focus when it first draws the page, which may be after the content has loaded.
    await page.locator('[role=alert]:focus').waitFor();
    assert.match(await page.title(), /^Error: /);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'account-iban');
    assert.equal(await page.locator('#account-iban').inputValue(), 'DE89 3704 0044 0532 0130 01');
    const described = await page.getAttribute('#account-iban', 'aria-describedby');
    assert.equal(described, 'account-iban-hint account-iban-error');
    assert.match((await page.textContent('#account-iban-error')) ?? '', /typing error/);
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

test('times are written in the time zone of the reader', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/en/destination`);
    assert.equal(await page.locator('time').textContent(), '1 December 2026 at 01:00 GMT+8');
  });
});
