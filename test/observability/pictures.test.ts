import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHOWN } from '../../observability/src/pictures/pictures.js';
import { THEMES } from '../../observability/src/pictures/theme.js';
import * as semconv from '../../src/semconv.js';
import { type Element, parseXml } from './xml.js';

const FOLDER = 'docs/pictures';
const LIMIT_BYTES = 150_000;
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.svg'));
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const themed = (name: string) => THEMES.map((theme) => `${name}-${theme.name}.svg`);
const textsOf = (elements: readonly Element[]) =>
  elements.filter(({ name }) => name === 'text').map(({ text }) => text);
const headingsOf = (elements: readonly Element[]) =>
  textsOf(elements.filter(({ attributes }) => attributes['font-weight'] === '600'));

describe('the pictures in docs/pictures', () => {
  it('are those that npm run pictures draws, for light and dark', () => {
    expect(NAMES.sort()).toEqual([...SHOWN.keys(), 'traces'].flatMap(themed).sort());
  });

  it.each(NAMES)('%s is an image that loads nothing and runs nothing', (name) => {
    const elements = parseXml(read(name));
    const drawn = [
      'circle',
      'clipPath',
      'defs',
      'g',
      'line',
      'path',
      'polygon',
      'polyline',
      'rect',
      'svg',
      'text',
    ];
    const kinds = new Set(elements.map((element) => element.name));
    expect([...kinds].filter((kind) => ![...drawn, 'title'].includes(kind))).toEqual([]);
    for (const { attributes } of elements) {
      expect(Object.keys(attributes).filter((key) => /^on|href$|^src$|^class$/.test(key))).toEqual([]);
      expect(
        Object.values(attributes).filter((value) => /url\((?!#)|javascript:|@import/.test(value)),
      ).toEqual([]);
    }
    expect(elements[0]?.attributes).toMatchObject({ xmlns: 'http://www.w3.org/2000/svg', role: 'img' });
  });

  it.each(NAMES)('%s loads fast', (name) => {
    expect(Buffer.byteLength(read(name))).toBeLessThan(LIMIT_BYTES);
  });

  it.each(NAMES)('%s says that it shows the demo', (name) => {
    const elements = parseXml(read(name));
    expect(textsOf(elements)).toContain('measured on the demo, seed 1');
    expect(elements.find((element) => element.name === 'title')?.text).toMatch(/demo/);
  });

  it.each([...SHOWN].flatMap(([name, built]) => themed(name).map((file) => ({ file, built }))))(
    '$file has the titles that the dashboard has today: npm run pictures',
    ({ file, built }) => {
      const titles = [built.title, ...(built.panels ?? []).map(({ title }) => title)];
      expect(headingsOf(parseXml(read(file)))).toEqual(titles);
    },
  );

  it.each([...SHOWN.keys()].flatMap(themed))('%s has data in every panel', (file) => {
    const texts = textsOf(parseXml(read(file)));
    expect(texts).not.toContain('none');
    expect(texts).not.toContain('NaN');
    expect(texts).not.toContain('No data');
  });

  it.each(themed('traces'))('%s has both recoveries, with names of the conventions', (file) => {
    const texts = textsOf(parseXml(read(file)));
    const tags = texts.filter((text) => text.includes(' = ')).map((text) => text.split(' = '));
    expect(tags).toContainEqual([semconv.ATTR_ERROR_TYPE, semconv.TAG_UNSUPPORTED_DRIVER_OPERATION]);
    expect(tags).toContainEqual([semconv.ATTR_ERROR_TYPE, semconv.TAG_MISSING_METADATA_FIELD]);
    for (const kind of semconv.RECOVERY_KINDS) {
      expect(tags).toContainEqual([semconv.ATTR_PAPERCLIP_RECOVERY_KIND, kind]);
    }
    const known = new Set<unknown>(Object.values(semconv));
    expect(tags.filter(([key]) => !known.has(key))).toEqual([]);
  });

  it.each([...SHOWN.keys(), 'traces'])('%s is shown by a README, in both themes and in words', (name) => {
    const shown = ['README.md', 'observability/README.md']
      .map((file) => readFileSync(file, 'utf8'))
      .flatMap((readme) => readme.match(/<picture>.*?<\/picture>/gs) ?? [])
      .filter((picture) => picture.includes(`docs/pictures/${name}-`));
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatch(
      new RegExp(
        `<source media="\\(prefers-color-scheme: dark\\)" srcset="\\S*docs/pictures/${name}-dark\\.svg">`,
      ),
    );
    expect(shown[0]).toMatch(new RegExp(`<img src="\\S*docs/pictures/${name}-light\\.svg" alt="[^"]{40,}"`));
  });
});
