import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGuide } from './markdown.ts';

const none = () => undefined;
const bodyOf = (text: string, linkOf: (href: string) => string | undefined = none) =>
  readGuide(`# T\n\n${text}`, linkOf).intro.html.trim();

test('a guide is its title, an introduction, and sections with the ids that GitHub gives', () => {
  const { title, intro, sections } = readGuide(
    "# A `b` guide\n\nFirst.\n\n## The recipient's steps, again\n\n### Ends\n\nx\n\n## Ends\n\ny\n",
    none,
  );
  assert.deepEqual([title, intro.html.trim()], ['A b guide', '<p>First.</p>']);
  assert.deepEqual(
    sections.map(({ id, title: words, body }) => [id, words.html, body.html.replaceAll('\n', '')]),
    [
      ['the-recipients-steps-again', 'The recipient&#39;s steps, again', '<h3 id="ends">Ends</h3><p>x</p>'],
      ['ends-1', 'Ends', '<p>y</p>'],
    ],
  );
});

test('text is escaped, in words, code and tables, and HTML is refused', () => {
  assert.equal(
    bodyOf('a < b & `c<d>` **e** *f*'),
    '<p>a &lt; b &amp; <code>c&lt;d&gt;</code> <strong>e</strong> <em>f</em></p>',
  );
  assert.equal(bodyOf('```sh\na <b>\n```'), '<div class="code"><pre>a &lt;b&gt;</pre></div>');
  assert.throws(() => bodyOf('a <b>bold</b> word'), /A guide cannot show html: <b>/);
  assert.throws(() => bodyOf('<script>x</script>'), /A guide cannot show html/);
  assert.throws(() => bodyOf('![a](b.png)'), /A guide cannot show image/);
});

test('lists go on with their number, and cells of a wide table say which column they are of', () => {
  assert.equal(bodyOf('3. a\n4. b').replaceAll('\n', ''), '<ol start="3"><li>a</li><li>b</li></ol>');
  assert.match(
    bodyOf('| A | `B` | |\n|---|---|---|\n| 1 | 2 | 3 |'),
    /<td data-label="">1<\/td><td data-label="B">2<\/td><td data-label="">3<\/td>/,
  );
  assert.match(bodyOf('| A | |\n|---|---|\n| 1 | 2 |'), /<th scope="col">A<\/th><td><\/td>/);
});

test('a link leads where it is said to, and is plain text where it leads nowhere', () => {
  const linkOf = (href: string) => (href === 'b.md#c' ? '/docs/b#c' : undefined);
  assert.equal(
    bodyOf('[b](b.md#c) [d](../d.ts) [e](javascript:alert(1))', linkOf),
    '<p><a href="/docs/b#c">b</a> d e</p>',
  );
});
