import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeWebhookUrl, readCidr, type UrlRefusal, type WebhookRule } from './index.ts';
import { opening, PRODUCTION, SANDBOX } from '../test/rules.ts';

/** The normal form of a URL that is allowed, or the reason of its refusal. */
function judged(text: string, rule: WebhookRule): string {
  const outcome = judgeWebhookUrl(text, rule);
  return outcome.ok ? outcome.url : outcome.reason;
}

test('https URLs of public hosts are taken, in their normal form', () => {
  const forms: Record<string, string> = {
    'https://example.com': 'https://example.com/',
    'https://example.com:443/a': 'https://example.com/a',
    'https://example.com:1024/': 'https://example.com:1024/',
    'https://example.com:65535/': 'https://example.com:65535/',
    'HTTPS://Example.COM/A?b=c': 'https://example.com/A?b=c',
    'https://bücher.example/ü': 'https://xn--bcher-kva.example/%C3%BC',
    'https://8.8.8.8/': 'https://8.8.8.8/',
    'https://0x8.8.2056/': 'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/': 'https://[2606:4700::1111]:8443/',
    'https://localhost.example.com/': 'https://localhost.example.com/',
    'https://notlocalhost/': 'https://notlocalhost/',
  };
  for (const [text, form] of Object.entries(forms)) assert.equal(judged(text, PRODUCTION), form);
});

test('each refusal has its reason, and its sentence says what to do', () => {
  const refusals: Record<string, UrlRefusal> = {
    '': 'NOT_A_URL',
    'example.com/hooks': 'NOT_A_URL',
    'https://': 'NOT_A_URL',
    'https://exa mple.com/': 'NOT_A_URL',
    'https://example.com:65536/': 'NOT_A_URL',
    'https://[fe80::1%25eth0]/': 'NOT_A_URL',
    'https://256.0.0.1/': 'NOT_A_URL',
    'http://example.com/': 'NOT_HTTPS',
    'http://127.0.0.1:8080/': 'NOT_HTTPS',
    'ftp://example.com/': 'NOT_HTTPS',
    'file:///etc/passwd': 'NOT_HTTPS',
    'javascript:alert(1)': 'NOT_HTTPS',
    'unix:/run/docker.sock': 'NOT_HTTPS',
    'https://hidden@example.com/': 'HAS_CREDENTIALS',
    'https://a:hidden@example.com/': 'HAS_CREDENTIALS',
    'https://:hidden@example.com/': 'HAS_CREDENTIALS',
    'https://example.com/#hidden': 'HAS_FRAGMENT',
    'https://example.com/#': 'HAS_FRAGMENT',
    'https://example.com:0/': 'PORT_NOT_ALLOWED',
    'https://example.com:22/': 'PORT_NOT_ALLOWED',
    'https://example.com:80/': 'PORT_NOT_ALLOWED',
    'https://example.com:1023/': 'PORT_NOT_ALLOWED',
    'https://example.com./': 'HOST_ENDS_WITH_DOT',
    'https://localhost./': 'HOST_ENDS_WITH_DOT',
    'https://localhost/': 'ADDRESS_NOT_PUBLIC',
    'https://a.localhost/': 'ADDRESS_NOT_PUBLIC',
    'https://10.0.0.1/': 'ADDRESS_NOT_PUBLIC',
    'https://169.254.169.254/latest/meta-data/': 'ADDRESS_NOT_PUBLIC',
    'https://[::1]/': 'ADDRESS_NOT_PUBLIC',
    [`https://example.com/${'a'.repeat(2029)}`]: 'TOO_LONG',
    // Shorter as it is given than in its normal form.
    [`https://example.com/${'ü'.repeat(400)}`]: 'TOO_LONG',
  };
  for (const [text, reason] of Object.entries(refusals)) {
    const outcome = judgeWebhookUrl(text, PRODUCTION);
    assert.ok(!outcome.ok, text);
    assert.equal(outcome.reason, reason, text);
    assert.match(outcome.detail, /: (remove|shorten|use|write) /);
    assert.doesNotMatch(outcome.detail, /hidden/);
  }
  assert.ok(judgeWebhookUrl(`https://example.com/${'a'.repeat(2028)}`, PRODUCTION).ok);
});

test('the sandbox opens this machine, and http to it alone, from port 1024', () => {
  for (const host of [
    'localhost:1024',
    'a.localhost:8080',
    '127.0.0.1:65535',
    '127.9.9.9:3000',
    '[::1]:3000',
  ]) {
    assert.equal(judged(`http://${host}/`, SANDBOX), `http://${host}/`);
    assert.equal(judged(`https://${host}/`, SANDBOX), `https://${host}/`);
  }
  assert.equal(judged('http://localhost/', SANDBOX), 'PORT_NOT_ALLOWED');
  assert.equal(judged('http://localhost:443/', SANDBOX), 'PORT_NOT_ALLOWED');
  for (const host of [
    'example.com',
    '8.8.8.8',
    '10.0.0.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    'localhost.example',
  ]) {
    assert.equal(judged(`http://${host}:8080/`, SANDBOX), 'NOT_HTTPS');
  }
  for (const host of ['10.0.0.1', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '169.254.169.254']) {
    assert.equal(judged(`https://${host}:8080/`, SANDBOX), 'ADDRESS_NOT_PUBLIC');
  }
  const outcome = judgeWebhookUrl('http://example.com/', SANDBOX);
  assert.ok(!outcome.ok && outcome.detail.includes('http:// URL of localhost'));
});

test('networks that the operator opens are open over https, and exactly these', () => {
  const rule = opening('10.1.0.0/16', 'fd00:1::/32');
  for (const host of ['10.1.0.0', '10.1.255.255', '[fd00:1::1]', '[fd00:1:ffff::]']) {
    assert.equal(judged(`https://${host}/`, rule), `https://${host}/`);
    assert.equal(judged(`http://${host}:8080/`, rule), 'NOT_HTTPS');
  }
  const closed = [
    '10.0.255.255',
    '10.2.0.0',
    '[fd00:2::]',
    '[::ffff:10.1.0.1]',
    '[64:ff9b::10.1.0.1]',
    '127.0.0.1',
  ];
  for (const host of closed) assert.equal(judged(`https://${host}/`, rule), 'ADDRESS_NOT_PUBLIC', host);
  assert.equal(judged('https://localhost/', opening('127.0.0.0/8')), 'ADDRESS_NOT_PUBLIC');
  assert.equal(judged('https://localhost/', opening('127.0.0.0/8', '::1/128')), 'https://localhost/');
});

test('who opens NAT64 opens it to addresses that are open themselves', () => {
  const rule = opening('64:ff9b::/96', '10.1.0.0/16');
  for (const inside of ['8.8.8.8', '10.1.2.3']) {
    assert.match(judged(`https://[64:ff9b::${inside}]/`, rule), /^https:/);
  }
  for (const inside of ['10.2.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0']) {
    assert.equal(judged(`https://[64:ff9b::${inside}]/`, rule), 'ADDRESS_NOT_PUBLIC');
  }
});

test('networks are read strictly, and a mistake is answered with how to write it', () => {
  const texts: Record<string, string> = {
    '10.0.0.0/8': '10.0.0.0/8',
    '0.0.0.0/0': '0.0.0.0/0',
    '192.168.7.9/32': '192.168.7.9/32',
    'FD00:0:0::/8': 'fd00::/8',
    '::1/128': '::1/128',
    '::/0': '::/0',
  };
  for (const [text, cidr] of Object.entries(texts)) assert.deepEqual(readCidr(text), { ok: true, cidr });
  const bad = [
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0/8',
    '::/129',
  ];
  const worse = [
    'fe80::%1/64',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    '010.0.0.0/8',
    '0x0a.0.0.0/8',
    'example.com/8',
    '10.0.0.0/8/8',
  ];
  for (const text of [...bad, ...worse]) {
    const read = readCidr(text);
    assert.ok(!read.ok && read.reason === 'NOT_A_NETWORK', text);
  }
  const wide = readCidr('10.1.2.3/8');
  assert.ok(!wide.ok && wide.reason === 'HOST_BITS_SET');
  assert.match(wide.detail, /write 10\.0\.0\.0\/8 .*, or 10\.1\.2\.3\/32 /);
  const wide6 = readCidr('fd00::1/8');
  assert.ok(
    !wide6.ok &&
      wide6.reason === 'HOST_BITS_SET' &&
      /write fd00::\/8 .*, or fd00::1\/128 /.test(wide6.detail),
  );
});
