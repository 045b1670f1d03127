// Runs in the browser, on the collect pages. Without it, everything works except reading the link's fragment.

const shell = document.querySelector('form[data-open]');
if (shell instanceof HTMLFormElement) openFromFragment(shell);
// Every other page is the answer to a posted form. After replaceState, going back or reloading sends a GET, and the
// page asks for the link. Otherwise the browser would show an error or offer to send the form again.
else history.replaceState(null, '');
for (const time of document.querySelectorAll('time[data-local]')) {
  if (time instanceof HTMLTimeElement) showInLocalTime(time);
}
const picker = document.querySelector('[data-wallets]');
if (picker instanceof HTMLElement) offerWallets(picker);

/**
 * Posts the token from the URL's fragment, and removes it from the address bar and the history.
 * @param {HTMLFormElement} form
 */
function openFromFragment(form) {
  const token = location.hash.slice(1);
  const field = form.elements.namedItem('token');
  if (token === '' || !(field instanceof HTMLInputElement)) return;
  history.replaceState(null, '', location.pathname);
  field.value = `#${token}`;
  const status = document.querySelector('[data-opening]');
  if (status instanceof HTMLElement) status.textContent = status.dataset.opening ?? '';
  document.documentElement.classList.add('opening');
  // When the browser comes back to this page, it must show the form again, not that the link is being opened.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    document.documentElement.classList.remove('opening');
    if (status !== null) status.textContent = '';
  });
  form.submit();
}

/** @param {HTMLTimeElement} time */
function showInLocalTime(time) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) return;
  time.textContent = new Intl.DateTimeFormat(time.lang, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(at);
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
  const field = document.querySelector('input[name=address]');
  if (status === null || !(field instanceof HTMLInputElement)) return;
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
