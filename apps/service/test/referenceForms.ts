/** The forms of the reference, as a browser reads them. */
export function formsIn(html: string) {
  const text = (given = '') =>
    given.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  return [...html.matchAll(/<form data-method="(\w+)" data-path="([^"]+)">(.*?)<\/form>/gs)].map(
    ([, method = '', path = '', inside = '']) => ({
      method,
      path,
      inputs: [...inside.matchAll(/<input name="([\w-]+)" value="([^"]*)"[^>]*>/g)].map(
        ([whole, name = '', value]) => ({
          name,
          value: text(value),
          place: /data-in="(\w+)"/.exec(whole)?.[1] ?? 'query',
        }),
      ),
      body: text(/<textarea[^>]*>(.*?)<\/textarea>/s.exec(inside)?.[1]),
    }),
  );
}
