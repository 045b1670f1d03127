// Runs in the browser, on pages with code: buttons that copy it, and the reader's credential in it.

const said = document.querySelector('#said');
const login = document.querySelector('#login');

for (const code of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => void copy(code, button));
  code.querySelector('pre')?.before(button);
}

/**
 * @param {Element} code
 * @param {HTMLElement} button
 */
async function copy(code, button) {
  const pre = code.querySelector('pre');
  if (pre === null) return;
  const done = (await isCopied(pre)) ? 'Copied' : 'Selected';
  button.textContent = done;
  if (said !== null) said.textContent = done;
  setTimeout(() => {
    button.textContent = 'Copy';
    if (said !== null) said.textContent = '';
  }, 2000);
}

/**
 * Browsers refuse the clipboard to pages that are neither local nor sent with TLS: there the text is selected.
 * @param {Element} pre
 */
async function isCopied(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(pre);
    return false;
  }
}

/** Code with the placeholder of a credential, and its text as the service has written it. */
const toFill = [...document.querySelectorAll('.code pre')]
  .map((pre) => ({ pre, text: pre.textContent ?? '' }))
  .filter(({ text }) => text.includes('ID:PASSWORD'));

/** What credentials are made of: such text means the same in a shell, in TypeScript and in Python. */
const PLAIN = /^[\w.~-]+$/;

function fill() {
  const values = ['username', 'password'].map((name) => {
    const input = login?.querySelector(`[name=${name}]`);
    return input instanceof HTMLInputElement ? input.value.trim() : '';
  });
  const credential = values.every((value) => PLAIN.test(value)) ? values.join(':') : 'ID:PASSWORD';
  for (const { pre, text } of toFill) pre.textContent = text.replaceAll('ID:PASSWORD', credential);
}

login?.addEventListener('input', fill);
login?.addEventListener('submit', (event) => event.preventDefault());
