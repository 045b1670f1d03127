// The pages for integrators in a real browser: reference, guides, problems, the start page and the sandbox's mailbox.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { scale } from '@fairway/testing/properties';
import { OPERATION_IDS } from '@fairway/wire';
import { faultsOf, scrollsSideways, takePicture } from '@fairway/testing/pageChecks';
import { launchBrowser } from '@fairway/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { MAILBOX_POLICY, mailboxPage } from '../src/parts/sandbox/mailboxPage.ts';
import { startHarness } from './httpHarness.ts';
import { until } from './webhookReceivers.ts';

const harness = await startHarness();
await harness.server.listen({ port: 0, host: '127.0.0.1' });
const origin = `http://127.0.0.1:${(harness.server.server.address() as AddressInfo).port}`;
const browser = await launchBrowser();
after(async () => {
  await browser.close();
  await harness.close();
});

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** Runs with a page that may complain of nothing, such as a breach of its policy, and asks no other host. */
async function withPage(options: BrowserContextOptions, run: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^data:|^about:/.test(request.url()) && !request.url().startsWith(origin))
      complaints.push(request.url());
  });
  try {
    await run(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const MAIL = {
  ...{ id: '1', to: 'jo.citizen@example.com', subject: 'Where should the money go?' },
  text: 'Open the link.',
  html: '<!doctype html><html lang="en"><title>Mail</title><main><h1>Open the link.</h1></main></html>',
  links: [`https://pay.example/collect#${'x'.repeat(60)}`],
  at: '2026-11-21T00:00:00.000Z',
};

/** Opens the mailbox with an e-mail in it. The harness has none. */
async function openMailbox(page: Page): Promise<void> {
  await page.route('**/sandbox/mailbox?mail=1', (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': MAILBOX_POLICY },
      body: mailboxPage([MAIL], '1'),
    }),
  );
  await page.goto(`${origin}/sandbox/mailbox?mail=1`);
}

/** Everything at night; otherwise each screen in one scheme, with some entries of the reference, because axe is slow. */
const isWhole = scale > 1;
const LOOKED_AT = [
  'createPayment',
  'importStatement',
  'streamEvents',
  'events-payment_plan',
  'object-PaymentPlan',
];
/** Guides and one section of each, with code, lists and the widest table. */
const GUIDES = ['/docs/quick-start#payment', '/docs/payments#what-is-next', '/docs/webhooks#a-receiver'];
const schemes = (usual: 'light' | 'dark') => (isWhole ? (['light', 'dark'] as const) : [usual]);
const screens = {
  phone: { ...PHONE, schemes: schemes('light') },
  desktop: { ...DESKTOP, schemes: schemes('dark') },
};

for (const [screen, { schemes: chosen, ...options }] of Object.entries(screens))
  for (const colorScheme of chosen)
    test(`every page for integrators is accessible and fits a ${colorScheme} ${screen}`, async () => {
      await withPage({ ...options, colorScheme }, async (page) => {
        const faults: string[] = [];
        const check = async (name: string, within?: string) => {
          faults.push(...(await faultsOf(page, within)).map((fault) => `${name}: ${fault}`));
        };
        for (const path of [
          '/',
          '/problems',
          '/problems/validation-failed',
          '/docs/quick-start',
          ...GUIDES,
        ]) {
          await page.goto(`${origin}${path}`);
          await check(path);
          await takePicture(page, `docs${path.replaceAll(/[/#]/g, '-')}-${screen}-${colorScheme}`);
        }
        await openMailbox(page);
        await takePicture(page, `docs-mailbox-${screen}-${colorScheme}`);
        // No script may run in the frame, so that axe cannot look into it.
        await page.getByTitle('The mail as HTML').evaluate((frame) => frame.remove());
        await check('mailbox');
        // So high that the contents do not scroll: what lies outside of a scrolled part cannot be measured.
        await page.setViewportSize({ width: options.viewport.width, height: 6000 });
        await page.goto(`${origin}/docs`);
        if (!isWhole)
          await page.evaluate(`document.querySelectorAll('.entry').forEach((entry) => {
          if (!${JSON.stringify(LOOKED_AT)}.includes(entry.id)) entry.remove();
        })`);
        await check('reference');
        // A phone shows an entry at a time.
        if (screen === 'phone')
          for (const id of isWhole ? OPERATION_IDS : LOOKED_AT) {
            await page.goto(`${origin}/docs#${id}`);
            await check(id);
          }
        if (screen === 'phone') await page.getByRole('button', { name: 'Contents' }).click();
        await page.getByRole('searchbox', { name: 'Search' }).fill('payment');
        await check('results', '#contents');
        await page.setViewportSize(options.viewport);
        await takePicture(page, `docs-reference-${screen}-${colorScheme}`);
        assert.deepEqual(faults, []);
      });
    });

test('text of the reference and of guides at twice its size fits a phone', async () => {
  await withPage(PHONE, async (page) => {
    for (const path of ['/docs', ...GUIDES.map((section) => section.replace(/#.*/, ''))]) {
      await page.goto(`${origin}${path}`);
      await page.evaluate("document.documentElement.style.fontSize = '200%'");
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      // All sections at once, which a phone shows one at a time.
      await page.evaluate(
        "document.querySelectorAll('.part, .part > *').forEach((each) => { each.style.display = 'block'; })",
      );
      assert.equal(await scrollsSideways(page), false, path);
    }
  });
});

/** The titles of the sections and entries that are shown, in their order. */
const titles = (page: Page) =>
  page.locator('main').locator('.part > h2:visible, .entry h3:visible').allTextContents();

test('a phone shows a section of a guide at a time, and leads back and on', async () => {
  for (const javaScriptEnabled of [true, false])
    await withPage({ ...PHONE, javaScriptEnabled }, async (page) => {
      await page.goto(`${origin}/docs/webhooks`);
      assert.deepEqual(await titles(page), ['On this page', 'In short']);
      await page.locator('.contents').getByRole('link', { name: 'A receiver' }).click();
      assert.deepEqual(await titles(page), ['A receiver']);
      await page.getByRole('link', { name: 'Next: What is sent when' }).click();
      assert.deepEqual(await titles(page), ['What is sent when']);
      await page.getByRole('link', { name: 'Back: Webhooks' }).click();
      assert.deepEqual(await titles(page), ['On this page', 'In short']);
      await page.goBack();
      assert.deepEqual(await titles(page), ['What is sent when']);
    });
  await withPage(DESKTOP, async (page) => {
    await page.goto(`${origin}/docs/webhooks#a-receiver`);
    assert.ok((await titles(page)).includes('What is sent when'), 'a wide screen shows all of it');
    assert.equal(await page.getByText('Next: What is sent when').isVisible(), false);
  });
});

test('what is in a guide stands on the first screen of a phone, and the introduction leads on', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/docs`);
    const guides = page.locator('main').getByRole('link').and(page.locator('[href^="/docs/"]'));
    const paths = new Set(
      await guides.evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    );
    assert.ok(paths.size > 10);
    for (const path of paths) {
      await page.goto(`${origin}${path}`);
      const first = page.locator('.contents a').first();
      const place = await first.boundingBox();
      assert.ok((place?.y ?? Infinity) < PHONE.viewport.height, `${path}: ${place?.y}`);
      const title = (await first.textContent()) ?? '';
      await page.getByRole('link', { name: `Next: ${title}`, exact: true }).click();
      assert.deepEqual((await titles(page))[0], title);
    }
  });
});

test('a phone shows an operation of the reference at a time, and leads back and on', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/docs`);
    assert.deepEqual(await titles(page), ['Guides']);
    await page.locator('main').getByRole('link', { name: 'Trading' }).click();
    assert.deepEqual(await titles(page), ['Trading']);
    await page.locator('main').getByRole('link', { name: 'Quote a trade' }).click();
    assert.deepEqual(await titles(page), ['Trading', 'Quote a trade']);
    await page.getByRole('link', { name: 'Next: Plan a swap' }).click();
    assert.deepEqual(await titles(page), ['Trading', 'Plan a swap']);
    await page.getByRole('link', { name: 'Back: Trading' }).click();
    assert.deepEqual(await titles(page), ['Trading']);
  });
});

test("the reader's own credential is filled into code, if it means the same in every language", async () => {
  await withPage(DESKTOP, async (page) => {
    for (const [path, code] of [
      ['/docs/quick-start', '#quote pre'],
      ['/docs/webhooks', '.start pre'],
      ['/docs', '#getQuote .in-curl pre'],
    ] as const) {
      await page.goto(`${origin}${path}`);
      const shown = async () => (await page.locator(code).first().textContent()) ?? '';
      assert.match(await shown(), /'ID:PASSWORD'/);
      await page.getByLabel('User name (credential id)').fill('cred_01');
      assert.match(await shown(), /'ID:PASSWORD'/, 'one half is not enough');
      await page.getByLabel('Password').fill('s-e_cret~1');
      assert.match(await shown(), /'cred_01:s-e_cret~1'/);
      await page.getByLabel('Password').fill("'; rm -r");
      assert.match(await shown(), /'ID:PASSWORD'/);
      assert.equal(page.url(), `${origin}${path}`);
    }
  });
});

const found = (page: Page) =>
  page.locator('.results a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));

test('search finds operations, events and objects by title, path, id and field', async () => {
  await withPage(DESKTOP, async (page) => {
    await page.goto(`${origin}/docs`);
    const field = page.getByRole('searchbox', { name: 'Search' });
    for (const [words, first] of [
      ['end a plan', '#endPayment'],
      ['/v1/swap', '#planSwap'],
      ['rotatewebhooksecret', '#rotateWebhookSecret'],
      ['payment_plan.returned', '#event-payment_plan.returned'],
      ['SwapIssues', '#object-SwapIssues'],
    ] as const) {
      await field.fill(words);
      assert.equal((await found(page))[0], first, words);
    }
    await field.fill('providerReference');
    assert.ok((await found(page)).includes('#recordRefund'));
    await field.fill('xylophone');
    assert.deepEqual([await found(page), await page.locator('#found').textContent()], [[], '0 found']);
    await field.fill('record refund');
    await field.press('Enter');
    assert.ok(page.url().endsWith('#recordRefund'));
    assert.match((await page.locator('#found').textContent()) ?? '', /^\d+ found/);
    await field.fill('');
    assert.equal(await page.getByRole('link', { name: 'End a plan' }).first().isVisible(), true);
  });
});

test('the language of all samples is chosen once, with the keyboard, and its code is copied', async () => {
  await withPage({ ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(`${origin}/docs`);
    const shown = () => page.locator('#createPayment .code:visible p').allTextContents();
    assert.deepEqual(await shown(), ['curl']);
    await page.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await shown(), ['TypeScript']);
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await shown(), ['Python']);
    assert.equal(await page.locator('.code:visible').count(), OPERATION_IDS.length);
    await page.locator('#createPayment').getByRole('button', { name: 'Copy' }).click();
    await page.locator('#createPayment').getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await page.locator('#createPayment .in-Python pre').textContent());
    assert.match(copied, /^import base64\n/);
    await page.reload();
    assert.deepEqual(await shown(), ['Python']);
    await page.locator('.groups a[href="#createPayment"]').click();
    const kept = () => page.evaluate<string | undefined>('history.state?.language');
    await until('the language in the new entry of the history', async () => (await kept()) === 'Python');
    await page.reload();
    assert.deepEqual(await shown(), ['Python'], 'also where a link within the page has led');
  });
});

test('on a phone the contents open and close by a button, by Escape and by following a link', async () => {
  await withPage(PHONE, async (page) => {
    await page.goto(`${origin}/docs`);
    const button = page.getByRole('button', { name: 'Contents' });
    const link = page.locator('.groups').getByRole('link', { name: 'End a plan' });
    assert.equal(await link.isVisible(), false);
    await button.click();
    assert.deepEqual([await link.isVisible(), await button.getAttribute('aria-expanded')], [true, 'true']);
    await page.keyboard.press('Escape');
    assert.deepEqual([await link.isVisible(), await button.getAttribute('aria-expanded')], [false, 'false']);
    assert.equal(await button.evaluate((element) => element === element.ownerDocument.activeElement), true);
    await button.click();
    await link.click();
    assert.equal(await link.isVisible(), false);
    assert.equal(await isBelowTheBar(page, '#endPayment h3'), true);
  });
});

/** Whether an element is in the window, and the bar that stays at the top does not cover it. */
function isBelowTheBar(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { x, y, height } = document.querySelector('${selector}').getBoundingClientRect();
    const top = document.elementFromPoint(x + 2, y + height / 2);
    return top !== null && top.closest('.sidebar') === null && top.closest('${selector}') !== null;
  })()`);
}

test('links lead to operations, types of events and objects, also from elsewhere', async () => {
  for (const options of [PHONE, DESKTOP])
    await withPage(options, async (page) => {
      for (const [id, inside] of [
        ['approvePayment', '#approvePayment h3'],
        ['event-payment_plan.returned', '[id="event-payment_plan.returned"] code'],
        ['object-PaymentPlan', '#object-PaymentPlan h3'],
      ] as const) {
        await page.goto('about:blank');
        await page.goto(`${origin}/docs#${id}`);
        assert.equal(await isBelowTheBar(page, inside), true, id);
      }
      const broken = await page.evaluate<string[]>(`[...document.querySelectorAll('a[href^="#"]')]
        .map((link) => link.getAttribute('href').slice(1)).filter((id) => document.getElementById(id) === null)`);
      assert.deepEqual(broken, []);
    });
});

test('without JavaScript everything can be read, and nothing is shown that needs it', async () => {
  for (const options of [PHONE, DESKTOP])
    await withPage({ ...options, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${origin}/docs`);
      assert.equal(await page.locator('.groups').getByRole('link', { name: 'End a plan' }).isVisible(), true);
      assert.equal(await page.getByRole('searchbox').count(), 0);
      assert.equal(await page.getByRole('button', { name: /Contents|Copy/ }).count(), 0);
      await page.goto(`${origin}/docs#endPayment`);
      await page.getByRole('radio', { name: 'Python' }).check({ force: true });
      assert.deepEqual(await page.locator('#endPayment .code:visible p').allTextContents(), ['Python']);
    });
});

test('a form sends its request with the credential, and shows the answer', async () => {
  await withPage(DESKTOP, async (page) => {
    await page.goto(`${origin}/docs`);
    await page.getByLabel('User name (credential id)').fill('full');
    await page.getByLabel('Password').fill('secret');
    const operation = page.locator('#listChains');
    await operation.getByText('Try it').click();
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.locator('output pre').waitFor();
    assert.match((await operation.locator('output pre').textContent()) ?? '', /^200 [\s\S]*"chainId": 31337/);
  });
});
