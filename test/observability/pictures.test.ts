import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Span } from '../../observability/src/pictures/spans.js';
import { THEMES, type Theme } from '../../observability/src/pictures/theme.js';
import { tracePicture } from '../../observability/src/pictures/trace-picture.js';
import { traceWith } from '../../observability/src/pictures/traces.js';
import * as semconv from '../../src/semconv.js';

const FOLDER = 'docs/pictures';
const LIMIT_BYTES = 150_000;
const FILES = readdirSync(FOLDER);
const [LIGHT] = THEMES as readonly [Theme, Theme];

/** What stands in a picture. */
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

describe('the pictures in docs/pictures', () => {
  it('are shown by a README, for light and dark, and said in words', () => {
    const pictures = ['README.md', 'observability/README.md'].flatMap(
      (file) => readFileSync(file, 'utf8').match(/<picture>.*?<\/picture>/gs) ?? [],
    );
    const shown = pictures.flatMap((picture) => {
      const [, dark = '', light = '', alt = ''] =
        /dark\)" srcset="\S*docs\/pictures\/([^"]+)">\s*<img src="\S*docs\/pictures\/([^"]+)" alt="([^"]+)">/.exec(
          picture,
        ) ?? [];
      expect(dark).toBe(light.replace('-light.', '-dark.'));
      expect(alt.length).toBeGreaterThan(40);
      return [light, dark];
    });
    expect(shown.sort()).toEqual(FILES.sort());
  });

  it.each(FILES)('%s loads fast', (file) => {
    expect(statSync(join(FOLDER, file)).size).toBeLessThan(LIMIT_BYTES);
  });

  it.each(THEMES)(
    'the $name one of traces has both recoveries, with names of the conventions',
    ({ name }) => {
      const tags = textsOf(readFileSync(join(FOLDER, `traces-${name}.svg`), 'utf8'))
        .filter((text) => text?.includes(' = '))
        .map((text) => text?.split(' = '));
      expect(tags).toContainEqual([semconv.ATTR_ERROR_TYPE, semconv.TAG_UNSUPPORTED_DRIVER_OPERATION]);
      expect(tags).toContainEqual([semconv.ATTR_ERROR_TYPE, semconv.TAG_MISSING_METADATA_FIELD]);
      for (const kind of semconv.RECOVERY_KINDS) {
        expect(tags).toContainEqual([semconv.ATTR_PAPERCLIP_RECOVERY_KIND, kind]);
      }
      const known = new Set<unknown>(Object.values(semconv));
      expect(tags.filter((tag) => !known.has(tag?.[0]))).toEqual([]);
    },
  );
});

describe('a trace that is drawn', () => {
  const span = (spanId: string, rest: Partial<Span>): Span => ({
    traceId: 'abcdef0123',
    spanId,
    service: 'paperclip',
    name: spanId,
    attributes: {},
    status: 0,
    start: 0,
    duration: 1000,
    links: [],
    ...rest,
  });
  const recovery = { [semconv.ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback' };
  const spans = [
    span('other', {
      traceId: 'f',
      attributes: { ...recovery, [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: semconv.VALUE_OTHER },
      links: ['other'],
    }),
    span('given-up', { traceId: 'e', status: 2 }),
    span('refused', { traceId: 'e', parentId: 'given-up', status: 2 }),
    span('tried', {
      traceId: 'e',
      parentId: 'given-up',
      attributes: recovery,
      links: ['refused'],
      status: 2,
    }),
    span('run', { parentId: 'root', start: 2000, links: ['open'], attributes: recovery }),
    span('open', {
      parentId: 'root',
      start: 500,
      duration: 450,
      status: 2,
      attributes: { [semconv.ATTR_ERROR_TYPE]: '<refused>' },
    }),
    span('root', { duration: 4000 }),
  ];

  it('is one that succeeded in the end, and in which the failure was on a provider that is known', () => {
    const { rows: found, duration } = traceWith('fallback', spans);
    expect(found.map((row) => [row.span.spanId, row.depth, row.failure?.spanId])).toEqual([
      ['root', 0, undefined],
      ['open', 1, undefined],
      ['run', 1, 'open'],
    ]);
    expect(duration).toBe(4000);
  });

  it('is missed where there is none', () => {
    expect(() => traceWith('reacquire', spans)).toThrow('no trace with a link of the kind reacquire');
  });

  it('shows failures in red, attributes by their names, and links as arrows', () => {
    const svg = tracePicture([traceWith('fallback', spans)], {
      title: 'Trace',
      caption: 'invented',
      theme: LIGHT,
    });
    expect(svg.match(new RegExp(`<text[^>]* fill="${LIGHT.red}"[^>]*>[^<]*`, 'g'))).toEqual([
      expect.stringMatching(/>open$/),
    ]);
    expect(textsOf(svg)).toContain(`${semconv.ATTR_ERROR_TYPE} = &lt;refused&gt;`);
    expect(textsOf(svg)).toContain('trace abcdef0 · 4 ms · 3 spans');
    expect(textsOf(svg)).toContain('450 µs');
    expect(svg.match(new RegExp(`<path[^>]* fill="${LIGHT.orange}"`, 'g'))).toHaveLength(1);
  });
});
