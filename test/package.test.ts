import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as semconv from '../src/semconv.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../src/version.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

it('the instrumentation scope has the name and version of the package', () => {
  expect({ name: PACKAGE_NAME, version: PACKAGE_VERSION }).toEqual({
    name: manifest.name,
    version: manifest.version,
  });
});

it('the package holds what a user needs and nothing else', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }];
  const isShipped = (path: string) =>
    /^dist\/.+\.(c?js|d\.c?ts)$/.test(path) ||
    /^(docs\/.+\.md|examples\/(fleet|kubernetes|paperclip-server|stack)\/.+|observability\/generated\/.+\.(json|sql|yml|yaml)|registry\/model\/.+\.yaml)$/.test(
      path,
    );
  const others = files.map(({ path }) => path).filter((path) => !isShipped(path));
  expect(others.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'observability/README.md',
    'package.json',
  ]);
});

it('the package runs no script when it is installed', () => {
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
  expect(Object.keys(manifest.scripts).filter((script) => atInstall.includes(script))).toEqual([]);
});

it('names of attributes, metrics and events are unique and in their namespace or a standard one', () => {
  const names = Object.entries(semconv).flatMap(([key, value]) => {
    if (/^(ATTR|EVENT)_/.test(key)) return [value as string];
    return key.startsWith('METRIC_') ? [(value as semconv.MetricDefinition).name] : [];
  });
  expect(new Set(names).size).toBe(names.length);
  expect(
    names.filter(
      (name) =>
        !/^(paperclip\.[a-z_.]+|error\.type|exception(\.[a-z]+)?|process\.exit\.code|network\.io\.direction)$/.test(
          name,
        ),
    ),
  ).toEqual([]);
});
