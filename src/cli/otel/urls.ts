/** URLs as they are printed. A path, a query, a fragment and what is written before a host may be a token. */

/** @returns scheme, host and port: nothing else of a URL is printed */
export function origin(url: string): string {
  if (!URL.canParse(url)) return 'an address that is no URL';
  const { protocol, host } = new URL(url);
  if (host !== '') return `${protocol}//${host}`;
  return protocol === 'unix:' ? 'a Unix socket' : 'an address without http:// or https://';
}

/** A URL in a text, without the punctuation behind it. Paths of files are printed. */
const URLS = /\b(?!file:)([a-z][a-z\d+.-]*:\/\/)[^\s"'`<>]*[^\s"'`<>),.:;]/gi;

/** Shortens each URL in a text to scheme, host and port. */
export function withoutPaths(text: string): string {
  return text.replaceAll(URLS, (url, scheme) => {
    // Of what cannot be parsed nobody knows where the host ends.
    const host = URL.canParse(url) ? new URL(url).host : '';
    return `${scheme}${host === '' ? '****' : host}`;
  });
}
