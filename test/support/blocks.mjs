// @ts-check
/** Generated blocks in pages that are written by hand: from `<!-- generated: name -->` to the next `<!-- end -->`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {Record<string, Record<string, string>>} Pages Markdown of each block, by the page's path and the block's name. */

const END = '<!-- end -->';

/**
 * Each block that says something else than it should, with the lines that differ: `-` as they stand, `+` as they should.
 *
 * @param {string} root folder below which the pages are
 * @param {Pages} pages
 * @throws {Error} where a block has no place
 */
export function differences(root, pages) {
  return Object.entries(pages).flatMap(([path, blocks]) => {
    const page = readFileSync(join(root, path), 'utf8');
    return Object.entries(blocks).flatMap(([name, markdown]) => {
      const { content } = placeOf(path, page, name);
      const wanted = contentOf(markdown);
      return content === wanted ? [] : [`${path}, ${name}:\n${differingLines(content, wanted)}`];
    });
  });
}

/**
 * @param {string} root folder below which the page is
 * @param {string} path
 * @param {string} name
 * @returns what the block says now
 * @throws {Error} where a block has no place
 */
export function read(root, path, name) {
  return placeOf(path, readFileSync(join(root, path), 'utf8'), name).content.trim();
}

/**
 * Writes the blocks, and nothing else of their pages.
 *
 * @param {string} root folder below which the pages are
 * @param {Pages} pages
 * @throws {Error} where a block has no place
 */
export function write(root, pages) {
  for (const [path, blocks] of Object.entries(pages)) {
    let page = readFileSync(join(root, path), 'utf8');
    for (const [name, markdown] of Object.entries(blocks)) {
      const { before, after } = placeOf(path, page, name);
      page = before + contentOf(markdown) + after;
    }
    writeFileSync(join(root, path), page);
  }
}

/**
 * @param {string} root folder below which the pages are
 * @param {Record<string, object>} pages names of the blocks, as keys, by the page's path
 * @throws {Error} where a block has no place
 */
export function requirePlaces(root, pages) {
  for (const [path, blocks] of Object.entries(pages)) {
    const page = readFileSync(join(root, path), 'utf8');
    for (const name of Object.keys(blocks)) placeOf(path, page, name);
  }
}

/**
 * What is between the marks of a block, and the page before and after that.
 *
 * @param {string} path
 * @param {string} page
 * @param {string} name
 */
function placeOf(path, page, name) {
  const start = `<!-- generated: ${name} -->\n`;
  const [before = '', rest = '', ...more] = page.split(start);
  // The next mark, so that a block without an end does not reach into another one.
  const end = rest.indexOf('<!-- ');
  if (more.length > 0 || end === -1 || !rest.startsWith(END, end)) {
    const marks = `\`${start.trim()}\` and, below it, \`${END}\``;
    throw new Error(`${path} needs one place for the generated block \`${name}\`: the lines ${marks}`);
  }
  return { before: before + start, content: rest.slice(0, end), after: rest.slice(end) };
}

/** @param {string} markdown */
function contentOf(markdown) {
  return `\n${markdown}\n`;
}

/**
 * @param {string} actual
 * @param {string} wanted
 */
function differingLines(actual, wanted) {
  const [old, now] = [actual.split('\n'), wanted.split('\n')];
  const lines = [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
  return lines.length > 0 ? lines.join('\n') : 'the same lines, in another order or number';
}
