// Runs in the browser, on the collect pages. Without it, everything works except reading the link's fragment, and going
// back and reloading.

const shell = document.querySelector('form[data-open]');
if (shell instanceof HTMLFormElement) openOrShowAgain(shell);
else keepState();
// A link that is pasted into the address bar of an open page changes the fragment alone: the shell opens it, and removes it there.
addEventListener('hashchange', () => {
  if (/^#[\w-]{43}$/.test(location.hash)) location.reload();
});
for (const time of document.querySelectorAll('time[data-local]')) {
  if (time instanceof HTMLTimeElement) showInLocalTime(time);
}
for (const box of document.querySelectorAll('textarea')) sendWithEnter(box);
const picker = document.querySelector('[data-wallets]');
if (picker instanceof HTMLElement) offerWallets(picker);

/**
 * Every page but the shell is the answer to a posted form. After replaceState, going back to it or reloading sends a
 * GET, and the answer is the shell, which finds the sealed state of the page in its history entry. Otherwise the browser
 * would show an error or offer to send the form again. Only the service can open the state.
 */
function keepState() {
  const meta = document.querySelector('meta[name=page-state]');
  if (!(meta instanceof HTMLMetaElement)) {
    history.replaceState(null, '');
    return;
  }
  history.replaceState({ page: meta.content }, '');
  const form = document.querySelector('form[action="/collect/details"], form[action="/collect/review"]');
  // Browsers have the cipher on secure pages alone.
  if (form instanceof HTMLFormElement && isSecureContext) void keepTyped(form, meta);
}

/** A form that is longer is not kept by the service either. */
const MOST_TYPED_BYTES = 8192;

/**
 * Keeps beside the state what is typed into a form, sealed with a key that the page has and the history has not.
 * @param {HTMLFormElement} form
 * @param {HTMLMetaElement} meta
 */
async function keepTyped(form, { content: page, dataset }) {
  const bytes = Uint8Array.from(atob(dataset.key ?? ''), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']);
  const additionalData = new TextEncoder().encode('["","","typed"]');
  let turn = 0;
  const keep = async () => {
    turn += 1;
    const mine = turn;
    const given = new FormData(form);
    given.delete('token');
    const entries = [...given].map(([name, value]) => [name, typeof value === 'string' ? value : '']);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(String(new URLSearchParams(entries)));
    if (text.length > MOST_TYPED_BYTES) return;
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, text);
    const typed = btoa(String.fromCharCode(...iv, ...new Uint8Array(sealed)));
    if (mine === turn) history.replaceState({ page, typed }, '');
  };
  // A reload does not wait for the cipher: each key is kept at once, not only when a field is left.
  for (const event of ['input', 'change', 'submit']) form.addEventListener(event, () => void keep());
  document.addEventListener('visibilitychange', () => void keep());
}

/**
 * The shell: posts the token from the URL's fragment, or else the state of the page that the browser has come back to.
 * Both replace the history entry, because the document has not been loaded yet.
 * @param {HTMLFormElement} form
 */
function openOrShowAgain(form) {
  const token = location.hash.slice(1);
  const { page, typed } = history.state ?? {};
  // Removes the token from the address bar and the history.
  history.replaceState(history.state, '', location.pathname);
  const field = form.elements.namedItem('token');
  if (!(field instanceof HTMLInputElement)) return;
  if (token !== '') field.value = `#${token}`;
  else if (typeof page === 'string') {
    form.action = '/collect/restore';
    field.name = 'state';
    field.value = page;
    if (typeof typed === 'string') form.append(hidden('typed', typed));
  } else return;
  const status = document.querySelector('[data-opening]');
  if (status instanceof HTMLElement) status.textContent = status.dataset.opening ?? '';
  document.documentElement.classList.add('opening');
  // When the browser comes back to this page, it must not go on saying that the link is being opened.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  form.submit();
}

/**
 * @param {string} name
 * @param {string} value
 */
function hidden(name, value) {
  const input = document.createElement('input');
  Object.assign(input, { type: 'hidden', name, value });
  return input;
}

/**
 * Writes a moment in the reader's local time, and behind it in UTC.
 * @param {HTMLTimeElement} time
 */
function showInLocalTime(time) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) return;
  const day = /** @type {const} */ ({ day: 'numeric', month: 'long', year: 'numeric' });
  const hour = /** @type {const} */ ({
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  /** @param {Intl.DateTimeFormatOptions} options */
  const written = (options) => new Intl.DateTimeFormat(time.lang, options).format(at);
  const local = written({ ...day, ...hour });
  const inUtc = /** @type {const} */ ({ timeZone: 'UTC' });
  if (local === written({ ...day, ...hour, ...inUtc })) return;
  const isSameDay = written(day) === written({ ...day, ...inUtc });
  time.textContent = `${local} (${written({ ...(isSameDay ? {} : day), ...hour, ...inUtc })})`;
}

/**
 * Sends the form of a box for text on two lines with Enter, as if it had one line.
 * @param {HTMLTextAreaElement} box
 */
function sendWithEnter(box) {
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    box.form?.requestSubmit();
  });
}

/**
 * Offers the wallets that the browser announces (EIP-6963). A wallet chooses its own name: it is shown as text only.
 * @param {HTMLElement} section
 */
function offerWallets(section) {
  const buttons = section.querySelector('[data-wallet-buttons]');
  const seen = new Set();
  addEventListener('eip6963:announceProvider', (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { info, provider } = event.detail ?? {};
    const name = typeof info?.name === 'string' ? info.name.slice(0, 40).trim() : '';
    if (name === '' || seen.has(info.uuid) || seen.size >= 8) return;
    if (typeof provider?.request !== 'function') return;
    seen.add(info.uuid);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'second';
    button.textContent = (section.dataset.named ?? '').replace('{wallet}', () => name);
    button.addEventListener('click', () => void takeAddress(section, provider));
    buttons?.append(button);
    section.hidden = false;
  });
  dispatchEvent(new Event('eip6963:requestProvider'));
}

/**
 * Asks a wallet for its address, and for nothing else (EIP-1193, EIP-1102).
 * @param {HTMLElement} section
 * @param {{ request: (call: { method: string }) => Promise<unknown> }} provider
 */
async function takeAddress(section, provider) {
  const status = section.querySelector('[data-wallet-status]');
  const field = document.querySelector('textarea[name=address]');
  if (status === null || !(field instanceof HTMLTextAreaElement)) return;
  status.textContent = section.dataset.asked ?? '';
  try {
    const accounts = await provider.request({ method: 'eth_requestAccounts' });
    const address = Array.isArray(accounts) ? accounts[0] : undefined;
    if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Error('no address');
    field.value = address;
    status.textContent = section.dataset.taken ?? '';
  } catch {
    status.textContent = section.dataset.refused ?? '';
  }
}
