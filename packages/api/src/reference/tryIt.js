// Runs in the browser, on the reference page: sends the request of a form and shows the answer.

/** @param {string} name */
const loginValue = (name) => {
  const input = document.querySelector(`#login [name=${name}]`);
  return input instanceof HTMLInputElement ? input.value : '';
};

for (const form of document.querySelectorAll('form')) {
  if (form.dataset.path === undefined) continue;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch((error) => show(form, `The request failed: ${String(error)}`));
  });
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const { method = 'GET', path = '/' } = form.dataset;
  const query = new URLSearchParams();
  /** @type {RequestInit & { headers: Record<string, string> }} */
  // With `omit`, the browser does not open a login dialog of its own after a 401.
  const request = { method, headers: {}, credentials: 'omit' };
  let filled = path;
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== 'string' || value === '') continue;
    const place = form.querySelector(`input[name=${name}]`)?.getAttribute('data-in');
    if (place === 'path') {
      filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    } else if (place === 'header') {
      request.headers[name] = value;
    } else if (name === 'body') {
      request.body = value;
      request.headers['Content-Type'] = 'application/json';
    } else query.set(name, value);
  }
  if (loginValue('username') !== '') {
    const bytes = new TextEncoder().encode(`${loginValue('username')}:${loginValue('password')}`);
    request.headers.Authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  }
  const response = await fetch(query.size === 0 ? filled : `${filled}?${query}`, request);
  const text = await response.text();
  const requestId = response.headers.get('x-request-id');
  show(form, `${response.status} ${response.statusText}\nX-Request-Id: ${requestId}\n\n${indented(text)}`);
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} text
 */
function show(form, text) {
  const shown = document.createElement('pre');
  shown.textContent = text;
  form.querySelector('output')?.replaceChildren(shown);
}
