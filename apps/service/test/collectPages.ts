import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchBrowser } from '@fairway/testing/browser';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { COLLECT_POLICY, colourStyle } from '../src/parts/collect/pages/index.ts';
import { CATALOGUES } from '../src/words/locales/index.ts';
import { collectStates } from './collectStates.ts';

/** The smallest phone that the pages support. */
export const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true };
/** A window on a desktop. */
export const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** A browser, and a server of the collect pages in all their states. The server accepts any form and records it. */
export type CollectPages = {
  readonly origin: string;
  /** Pages by their path, such as en/shell. */
  readonly states: Readonly<Record<string, string>>;
  readonly posts: { readonly path: string; readonly body: URLSearchParams }[];
  /** Method, address and Referer of every request. */
  readonly requests: string[];
  /** Runs with a page whose console must stay empty: a browser reports a breach of the content policy there. */
  readonly withPage: (options: BrowserContextOptions, run: (page: Page) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Starts browser and server; the caller closes them. */
export async function startCollectPages(): Promise<CollectPages> {
  const states = statesByPath();
  const script = await readFile(new URL('../src/parts/collect/collect.js', import.meta.url));
  const posts: CollectPages['posts'] = [];
  const requests: string[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    requests.push(`${request.method} ${request.url} ${request.headers.referer ?? ''}`);
    if (path === '/collect/collect.js') {
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
      return;
    }
    const colour = /^\/collect\/colour\/([0-9a-f]{6})\.css$/.exec(path)?.[1];
    if (colour !== undefined) {
      response.writeHead(200, { 'Content-Type': 'text/css' }).end(colourStyle(`#${colour}`));
      return;
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'POST') posts.push({ path, body: new URLSearchParams(body) });
    const page = path === '/collect' ? states['en/shell'] : states[path.slice(1)];
    response
      .writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': COLLECT_POLICY,
      })
      .end(page ?? states['en/destination']);
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launchBrowser();
  const withPage: CollectPages['withPage'] = async (options, run) => {
    const context = await browser.newContext({ timezoneId: 'Asia/Manila', ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    try {
      await run(page);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  };
  const close = async () => {
    await browser.close();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin, states, posts, requests, withPage, close };
}

function statesByPath(): Record<string, string> {
  return Object.fromEntries(
    CATALOGUES.flatMap((catalogue) =>
      Object.entries(collectStates(catalogue)).map(([name, page]) => [`${catalogue.locale}/${name}`, page]),
    ),
  );
}
