import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutRoute, type PicturedPath } from './routePicture.ts';
import { routeSvg } from './routeSvg.ts';

const HOSTILE = `<script>alert('1')</script>&"\u0000\ud800]]>`;

/** Paths of one to three pools over few tokens, some of which share pools. */
function manyPaths(count: number, name: (id: string) => string = (id) => id): PicturedPath[] {
  const share = 1 / count;
  return Array.from({ length: count }, (_, path) => {
    const hops = 1 + (path % 3);
    const between = [`M${path % 4}`, `N${path % 5}`].slice(0, hops - 1);
    const tokens = ['IN', ...between, 'OUT'].map((id) => ({ id, name: name(id) }));
    const legs = tokens.slice(1).map(({ id }, leg) => ({
      pool: `${tokens[leg]?.id} ${id} ${path % 2}`,
      kind: path % 3 === 0 ? ('UNISWAP_V2' as const) : ('UNISWAP_V3' as const),
      label: name('uniswap-v3, fee 0.05 %'),
      detail: name('one for another'),
    }));
    return { share, tokens, legs };
  });
}

function draw(paths: readonly PicturedPath[], name: (id: string) => string = (id) => id): string {
  const words = { title: name('A buys B'), notes: [name('block 1')], paid: name('1'), received: name('2') };
  return routeSvg({ ...words, paths });
}

/**
 * Reads a document by the rules of XML: quoted attributes, closed elements, known entities. Returns its element names
 * and texts.
 */
function parseXml(document: string): { names: Set<string>; texts: string[] } {
  const part = /<(\/?)([a-z]+)((?: [a-z:A-Z-]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  const open: string[] = [];
  const names = new Set<string>();
  const texts: string[] = [];
  let end = 0;
  for (const match of document.matchAll(part)) {
    end = (match.index ?? 0) + match[0].length;
    const [, closing, name = '', attributes = '', alone, text] = match;
    assert.doesNotMatch((text ?? '') + attributes, /&(?!(amp|lt|gt|quot|#39);)/, 'entities are escaped');
    if (text !== undefined) {
      if (open.at(-1) !== 'style') texts.push(text);
    } else if (closing === '/') assert.equal(open.pop(), name);
    else {
      names.add(name);
      if (alone === '') open.push(name);
    }
  }
  assert.equal(end, document.length, `not markup: ${document.slice(end, end + 80)}`);
  assert.deepEqual(open, []);
  return { names, texts };
}

test('pictures are well-formed XML for any number of paths and any names of tokens', () => {
  for (const count of [1, 2, 3, 7, 16]) {
    const { names } = parseXml(draw(manyPaths(count)));
    assert.deepEqual([...names].sort(), ['path', 'rect', 'style', 'svg', 'text', 'title']);
    const attacked = draw(
      manyPaths(count, (id) => HOSTILE + id),
      (text) => HOSTILE + text,
    );
    const attackedNames = parseXml(attacked).names;
    assert.deepEqual(attackedNames, names, 'a name adds no element');
    assert.ok(!attacked.includes('\u0000'));
    assert.ok(attacked.isWellFormed());
  }
});

test('every band is labelled with its share, every token with its name', () => {
  const paths = manyPaths(4);
  const { texts } = parseXml(draw(paths));
  const shown = texts.join('\n');
  for (const { tokens } of paths) for (const { name } of tokens) assert.ok(shown.includes(name));
  const bands = layOutRoute(paths).bands.length;
  assert.equal(texts.filter((text) => /^\d[\d.]* % {2}uniswap-v3, fee 0\.05 %$/.test(text)).length, bands);
});

test('nothing in a layer overlaps or lies outside the picture', () => {
  for (const count of [1, 2, 5, 10, 16]) {
    const { tokens, bands, height, layers } = layOutRoute(manyPaths(count));
    const slots = [...tokens.map(({ slot }) => slot), ...bands.flatMap(({ passes }) => passes)];
    for (let layer = 0; layer < layers; layer++) {
      let bottom = 0;
      for (const slot of slots.filter((each) => each.layer === layer).sort((a, b) => a.y - b.y)) {
        const top = slot.y - slot.thickness / 2 - slot.headroom;
        assert.ok(top >= bottom - 1e-6, `layer ${layer}: ${top} is above ${bottom}`);
        bottom = slot.y + slot.thickness / 2;
      }
      assert.ok(bottom <= height + 1e-6);
    }
  }
});

test('a picture loads nothing from outside and runs no script', () => {
  const document = draw(manyPaths(16));
  assert.doesNotMatch(
    document.replace('http://www.w3.org/2000/svg', ''),
    /https?:|url\(|@import|@font-face|href|on\w+=/,
  );
});
