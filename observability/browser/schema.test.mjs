// @ts-check
/** Whether the options of panels are those that the current Grafana has: its schema's types, checked by the compiler. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DASHBOARDS, NAMES } from './stage.mjs';

const TYPES = /** @type {const} */ ({
  timeseries: 'TimeSeries',
  stat: 'Stat',
  table: 'Table',
  heatmap: 'Heatmap',
});
/** Enumerations of the schema are plain words in JSON. */
const PLAIN =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is TypeScript's.
  'type Plain<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]?: Plain<T[K]> } : T;';

test('panels have no option that the current Grafana does not know', () => {
  const panels = NAMES.flatMap(
    (name) => JSON.parse(readFileSync(join(DASHBOARDS, `${name}.json`), 'utf8')).panels,
  );
  const literals = panels.flatMap(({ type, options, fieldConfig }) => {
    if (!(type in TYPES)) return [];
    const custom = fieldConfig.defaults.custom ?? {};
    const fields =
      type === 'stat' ? [] : [`(${JSON.stringify(custom)}) satisfies Plain<${type}.FieldConfig>;`];
    return [`(${JSON.stringify(options)}) satisfies Plain<${type}.Options>;`, ...fields];
  });
  assert.ok(literals.length > 50);
  const imports = Object.entries(TYPES).map(
    ([type, name]) =>
      `import type * as ${type} from '@grafana/schema/dist/esm/raw/composable/${type}/panelcfg/x/${name}PanelCfg_types.gen';`,
  );
  const file = join(import.meta.dirname, 'page/options.ts');
  try {
    writeFileSync(file, [...imports, PLAIN, ...literals].join('\n'));
    const { stdout, status } = spawnSync('npx', ['tsc', '-p', import.meta.dirname], {
      cwd: join(import.meta.dirname, '../..'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  } finally {
    rmSync(file);
  }
});
