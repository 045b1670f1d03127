// The operator's page in a real browser, beside a whole service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pageHeaders, policyOf } from '@fairway/api';
import { createRandom } from '@fairway/testing';
import { launchBrowser } from '@fairway/testing/browser';
import { faultsOf, takePicture } from '@fairway/testing/pageChecks';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { consolePage } from '../src/parts/console/page.ts';
import { CONSOLE_STYLE } from '../src/parts/console/style.ts';
import { ask } from './asking.ts';
import { KIND } from './ground.ts';
import { startLyingService } from './lyingService.ts';
import { AMOUNT, give, pay, paymentOf } from './plans.ts';
import { createProcesses, type NodePlace, type Place, type ServicePlace } from './processes.ts';
import { startUnkindNode } from './unkindNode.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };
const SCREENS = [
  ['phone', PHONE],
  ['desktop', DESKTOP],
] as const;

const processes = await createProcesses();
let browser: Browser;
let service: ServicePlace;
let node: NodePlace;

before(async () => {
  browser = await launchBrowser();
  service = (await processes.service()).ready;
  node = service.clientNode;
});
after(async () => {
  await browser.close();
  await processes.close();
});

/** Runs with the page, which may complain of nothing, such as a breach of its policy, and asks no other host. */
async function withConsole(
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
  { url, username, password }: Place = node,
): Promise<void> {
  const context = await browser.newContext({ ...options, httpCredentials: { username, password } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && !request.url().startsWith(url)) complaints.push(request.url());
  });
  try {
    await page.goto(`${url}/relay/console`);
    await run(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** Links that a thumb does not hit: lower than 44 pixels. */
const smallLinksOf = (page: Page) =>
  page
    .locator('header a, main a')
    .evaluateAll((links: { getBoundingClientRect(): { height: number }; textContent: string | null }[]) =>
      links.filter((link) => link.getBoundingClientRect().height < 44).map(({ textContent }) => textContent),
    );

const textOf = (page: Page, id: string) => page.locator(`[aria-labelledby="${id}"]`).innerText();

test('strangers see nothing, and browsers are asked for the credential', async () => {
  const { status, headers } = await fetch(`${node.url}/relay/console`);
  assert.equal(status, 401);
  assert.match(headers.get('www-authenticate') ?? '', /^Basic /);
});

test('a relayer that works is shown with its balance, and where nothing is to do that is said', async () => {
  await withConsole(DESKTOP, async (page) => {
    const [relayer] = node.relayers;
    const card = await page.locator('article').innerText();
    assert.match(card, /Working/);
    assert.ok(card.toLowerCase().includes(relayer?.address.toLowerCase() ?? '?'), card);
    assert.match(card, /Balance\s+100 ETH/);
    assert.match(card, /encrypted file/);
    assert.match(
      await textOf(page, 'gas'),
      /Chain \d+: a unit costs at most 1,000 gwei\. .* As configured\./,
    );
    assert.match(await textOf(page, 'signatures'), /No message and no typed data was signed yet/);
    assert.match(await textOf(page, 'policy'), /USDC \(0x[0-9a-f]{40}\): any amount in one execution/);
    assert.match(await textOf(page, 'pending'), /Nothing waits/);
    assert.match(await textOf(page, 'history'), /Nothing has ended yet/);
    assert.deepEqual(await faultsOf(page), []);
  });
});

test('what waits and what has ended is listed, in pages, on every screen and scheme', async () => {
  const [relayer] = node.relayers;
  await give(service, relayer?.address, 60n * AMOUNT);
  const bodies = Array.from({ length: 27 }, (_, count) =>
    paymentOf('sent', `CONSOLE-${count}`, service.chainId),
  );
  for (const wait of [0, 30]) for (const body of bodies) await pay(node, body, wait);
  await ask(node, `/relay/relayers/${relayer?.relayerId}/pause`, { body: {} });
  const waiting = await pay(node, paymentOf('sent', 'CONSOLE-<b>', service.chainId), 1);
  assert.equal(waiting.body.execution?.status, 'ACCEPTED', JSON.stringify(waiting.body));
  for (const [name, screen] of SCREENS)
    for (const colorScheme of ['light', 'dark'] as const)
      await withConsole({ ...screen, colorScheme }, async (page) => {
        assert.deepEqual(await faultsOf(page), []);
        assert.deepEqual(name === 'phone' ? await smallLinksOf(page) : [], []);
        await takePicture(page, `console-${name}-${colorScheme}`);
      });
  await withConsole(DESKTOP, async (page) => {
    const card = await page.locator('article').innerText();
    assert.match(card, /Paused/);
    assert.match(card, /To be signed\s+1\b/);
    assert.ok(card.includes(`POST /relay/relayers/${relayer?.relayerId}/resume`), card);
    const rows = page.locator('[aria-labelledby="history"] tbody tr');
    assert.equal(await rows.count(), 25);
    const first = await rows.first().innerText();
    assert.match(first, /Confirmed/);
    assert.match(first, /0\.0\d+ ETH/, 'what its gas has cost');
    assert.equal(await page.locator('[aria-labelledby="pending"] tbody tr').count(), 1);
    await page.getByRole('link', { name: 'Older ones' }).click();
    assert.equal(await rows.count(), 2);
    assert.equal(await page.getByRole('link', { name: 'Older ones' }).count(), 0);
    await page.getByRole('link', { name: 'The newest' }).click();
    assert.equal(await rows.first().innerText(), first);
    await rows.first().getByRole('link').click();
    assert.match(page.url(), /\/relay\/transactions\/pay_/);
    assert.match(await page.content(), /"status":"CONFIRMED"/);
  });
  assert.equal((await ask(node, '/relay/console?before=x')).status, 400);
  await ask(node, `/relay/relayers/${relayer?.relayerId}/resume`, { body: {} });
});

/** The page of two relayers with all that can be wrong, and texts of others that are markup. */
function troubledPage(): string {
  const hash = `0x${'ab'.repeat(32)}`;
  const relayer = {
    ...{ relayerId: '1', chainId: 1, address: `0x${'a1'.repeat(20)}`, signer: 'KEYSTORE' as const },
    state: 'WORKING' as const,
    ...{ balance: '1234567000000000000000', nonceLatest: 7, nonceFinal: 7, nextNonce: 9, pending: 2 },
    ...{ oldestPendingSec: 7_500, paused: false, lowBalance: true, stuckNonce: 7 },
    disabledReason: 'KEY_USED_ELSEWHERE',
  } as const;
  const {
    balance: _,
    nonceLatest: __,
    nonceFinal: ___,
    ...away
  } = { ...relayer, relayerId: '2', state: 'NODES_AWAY' as const };
  const row = { relayerId: '1', chainId: 1, instructionIndex: 0, attempts: 4, txHash: hash };
  const topUp = { from: `0x${'b2'.repeat(20)}`, below: String(10n ** 17n), amount: String(10n ** 18n) };
  const failure = { code: 'WINDOW_COUNT', detail: 'The window has 4 spendings, and at most 4 are allowed.' };
  return consolePage({
    ...{ at: '2026-11-28T12:00:00.000Z', environment: 'production', hasMorePending: true },
    ...{
      relayers: [{ ...relayer, topUp: { ...topUp, failure } }, away],
      olderThan: undefined,
      next: undefined,
    },
    ...{ gas: [{ chainId: 1, maxFeePerGasCapWei: 2n * 10n ** 11n, bumpAfterBlocks: 3, changedBy: '<b>' }] },
    ...{ hasMoreSignatures: true, policy: { hash: 'ab'.repeat(32), inWords: ['Chain 1: <b>'] } },
    symbols: new Map([[1, 'ETH']]),
    signatures: [
      { relayerId: '1', kind: 'TYPED_DATA', digest: hash, credentialId: '<img src=x>', signedAtMs: 0 },
    ],
    pending: [7, 8].map((nonce) => ({
      ...{ ...row, nonce, status: 'BROADCAST', relayTransactionId: `exe_${'0'.repeat(40)}_${nonce}` },
      offeredWei: 12_345_678_901n,
    })),
    history: [
      {
        ...{ ...row, nonce: 6, status: 'REJECTED', relayTransactionId: 'x"><script>alert(1)</script>' },
        failure: { code: '<img src=x>', detail: '"><b>' },
        offeredWei: undefined,
      },
    ],
  });
}

test('what is wrong with a relayer is shown with what to do, and no text of others is markup', async () => {
  const body = troubledPage();
  for (const [name, screen] of SCREENS)
    await withConsole(screen, async (page) => {
      await page.route('**/relay/console', (route) =>
        route.fulfill({ body, headers: pageHeaders(policyOf(CONSOLE_STYLE)) }),
      );
      await page.reload();
      assert.deepEqual(await faultsOf(page), []);
      await takePicture(page, `console-trouble-${name}`);
      const [first = '', second = ''] = await page.locator('article').allInnerTexts();
      for (const said of [
        /No top-up/,
        /WINDOW_COUNT/,
        /Topped up with 1 ETH below 0\.1 ETH/,
        /KEY_USED_ELSEWHERE/,
        /Low balance/,
        /Stuck/,
        /1,234\.567\b/,
        /2 h/,
        /reconcile/,
      ])
        assert.match(first, said);
      assert.match(second, /Nodes away/);
      assert.match(second, /not known/);
      const pending = page.locator('[aria-labelledby="pending"] tbody tr');
      assert.match(await pending.first().innerText(), /stuck/);
      assert.match(await pending.first().innerText(), /Sent[^]*offers 12\.346 gwei/);
      assert.match(await textOf(page, 'signatures'), /1970-01-01 00:00:00 UTC[^]*Typed data/);
      assert.doesNotMatch(await pending.last().innerText(), /stuck/);
      assert.equal(await page.locator('main img, main script, main b').count(), 0);
    });
});

test('while the nodes of the chain are away, the page says so and shows what is kept', async () => {
  const proxy = await startUnkindNode(service.rpcUrl, createRandom(1), KIND);
  const between = await startLyingService(service.url, '/v1/sandbox');
  between.tell((text) => text.replaceAll(service.rpcUrl, proxy.url));
  after(() => between.close());
  const second = await processes.node({ ...service, url: between.url }, 'away');
  await proxy.close();
  await withConsole(
    PHONE,
    async (page) => {
      // It is known after the next look at the chain.
      for (
        let looks = 0;
        looks < 40 && !(await page.innerText('article')).includes('Nodes away');
        looks += 1
      ) {
        await sleep(500);
        await page.reload();
      }
      const card = await page.locator('article').innerText();
      assert.match(card, /Nodes away/);
      const address = second.ready.relayers[0]?.address.toLowerCase() ?? '?';
      assert.ok(card.toLowerCase().includes(address), card);
    },
    second.ready,
  );
});
