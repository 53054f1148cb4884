import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** Pages below a folder, but for those of what is installed or built there. */
function pagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : pagesIn(path);
    return path.endsWith('.md') ? [path] : [];
  });
}

const PAGES = pagesIn('.');

/** A page without its code, in which brackets are no links. */
const proseOf = (page: string) =>
  readFileSync(page, 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** Where links and pictures lead to within the repository. */
const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)|\b(?:href|src|srcset)="([^"]+)"/g)]
    .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? '')
    .filter((to) => !/^[a-z]+:/.test(to));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`;
    anchors.add(unique);
  }
  return anchors;
}

it.each(PAGES)('%s links to what is there', (page) => {
  const missing = linksOf(page).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
  expect(missing).toEqual([]);
});

/** What looks like a path and is none of the repository's. */
const NO_PATHS =
  /^(logs\/dup|http\/protobuf|namespace\/name|adapter-utils\/.*|opentelemetry-instrumentation-paperclip\/.*)$/;

it.each(PAGES)('%s names files, folders and scripts that are there', (page) => {
  const text = readFileSync(page, 'utf8');
  const roots = [dirname(page), '.', 'src', 'test', 'observability/generated/grafana'];
  const code = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, name]) => name ?? '',
  );
  const paths = code.filter((name) => /^\.?[\w-]+(\/[\w.-]+)+\/?$/.test(name) && !NO_PATHS.test(name));
  const isThere = (path: string) => roots.some((root) => existsSync(join(root, path)));
  // `dist` is there once it is built.
  expect(paths.filter((path) => !path.startsWith('dist/') && !isThere(path))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script ?? '');
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});
