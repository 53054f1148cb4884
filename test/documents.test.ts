/** What pages say and code knows. Tables that are generated have tests of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultSettings, ENV_PREFIX } from '../src/config.js';
import { BUILT_IN_RECORDS } from '../src/errors/built-in.js';
import { MAX_MESSAGE_LENGTH } from '../src/errors/classify.js';
import { MAX_UNCLASSIFIED } from '../src/errors/error-type.js';
import { LIMIT_MS } from '../src/errors/limit.js';
import { MAX_DEPTH, MAX_PATTERN } from '../src/errors/load.js';
import { OPTION_VARIABLES } from '../src/options.js';
import { PROVIDERS } from '../src/semconv.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../src/version.js';
import { METRICS } from './support/cardinality.js';

const { LAYOUTS, NODE, OPENTELEMETRY, PAPERCLIP } = await import(
  new URL('./matrix/dimensions.mjs', import.meta.url).href
);

const read = (path: string) => readFileSync(path, 'utf8');
const json = (path: string) => JSON.parse(read(path));
/** A page with each run of white space as one space, because lines are broken anywhere. */
const page = (path: string) => read(path).replaceAll(/\s+/g, ' ');

const IN_WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const inWords = (number: number) => IN_WORDS[number] ?? String(number);
const count = (record: object) => inWords(Object.keys(record).length);
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
const thousands = (number: number) => number.toLocaleString('en');

const manifest = json('package.json');
const pinned = json('test/paperclip/package.json').dependencies;
const { recovery, captureIds, errorDetail, packages } = defaultSettings({});
const ALERTS = read('observability/generated/prometheus/paperclip.rules.yml').match(/- alert: /g) ?? [];
const DASHBOARDS = readdirSync('observability/generated/dashboards');

/** The value in a table's column of the row that begins with this cell. */
function cell(path: string, row: string, column: number): string | undefined {
  const line = read(path)
    .split('\n')
    .find((candidate) => candidate.startsWith(`| ${row} |`));
  return line?.split(' | ')[column]?.replace(/ \|$/, '');
}

describe('the options', () => {
  const DEFAULTS: Readonly<Record<string, unknown>> = { ...recovery, captureIds, errorDetail, packages };
  const OPTIONS = OPTION_VARIABLES.map((variable) => {
    const name = variable.slice(ENV_PREFIX.length);
    return { name, option: name.toLowerCase().replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase()) };
  });

  it.each(OPTIONS)('$option has its variable in README and the conventions', ({ name, option }) => {
    expect(cell('README.md', `\`${option}\``, 1)).toMatch(new RegExp(`^\`…${name}\``));
    expect(cell('docs/semantic-conventions.md', `\`${option}\``, 1)).toMatch(new RegExp(`^\`${name}\``));
  });

  it.each(Object.entries(DEFAULTS))('%s has its default there: %s', (option, value) => {
    const text = new RegExp(`\`?${String(value)}\`?$`);
    expect(cell('README.md', `\`${option}\``, 2)).toMatch(text);
    expect(cell('docs/semantic-conventions.md', `\`${option}\``, 2)).toMatch(text);
  });
});

it.each(METRICS)('README says what $name is', ({ name, instrument, unit }) => {
  const INSTRUMENTS = {
    histogram: 'Histogram',
    counter: 'Counter',
    updowncounter: 'UpDownCounter',
    gauge: 'Gauge',
  };
  expect(cell('README.md', `\`${name}\``, 1)).toBe(INSTRUMENTS[instrument]);
  expect(cell('README.md', `\`${name}\``, 2)).toBe(`\`${unit}\``);
});

it.each([
  ['README.md', `beside ${code(PROVIDERS)};`],
  ['README.md', `${inWords(DASHBOARDS.length)} Grafana dashboards, `],
  ['README.md', `and ${inWords(ALERTS.length)} alerts, `],
  ['README.md', `A pattern has at most ${MAX_PATTERN} characters and groups ${inWords(MAX_DEPTH)} deep.`],
  ['README.md', `a server spends ${LIMIT_MS} ms on the patterns`],
  ['README.md', `${BUILT_IN_RECORDS.length} built-in records`],
  ['README.md', `Node.js | ${manifest.engines.node.replace('>=', '')} and later.`],
  ['docs/trust.md', `get ${LIMIT_MS} ms for one failure`],
  ['docs/trust.md', `at most ${MAX_UNCLASSIFIED} names of unclassified errors`],
  ['docs/cost.md', `at most ${MAX_UNCLASSIFIED} codes and class names`],
  ['docs/semantic-conventions.md', `most ${MAX_UNCLASSIFIED} names of 3 to 6 are told apart`],
  ['docs/semantic-conventions.md', `by its first ${thousands(MAX_MESSAGE_LENGTH)} characters`],
  ['docs/architecture.md', `Node.js ${manifest.engines.node.replace('>=', '>= ')} for the library`],
  [
    'test/matrix/README.md',
    `in ${count(PAPERCLIP)} versions and ${count(LAYOUTS)} layouts and attaches to each with the packed root package: ` +
      `on ${count(OPENTELEMETRY)} lines of OpenTelemetry JS and ${count(NODE)} of Node.js`,
  ],
  ['test/paperclip/README.md', `\`@paperclipai/server\` ${pinned['@paperclipai/server']} with`],
  ['test/paperclip/README.md', `Node.js ${pinned.node.split('.')[0]}.`],
  [
    'examples/kubernetes/README.md',
    `${PACKAGE_NAME}@${PACKAGE_VERSION} @opentelemetry/sdk-node@${manifest.devDependencies['@opentelemetry/sdk-node'].slice(1)}`,
  ],
])('%s says: %s', (path, text) => {
  expect(page(path)).toContain(text);
});

it('each page that names the version of the SDK which Paperclip pins names that', () => {
  const named = ['README.md', 'examples/paperclip-server/README.md'].flatMap((path) =>
    [...read(path).matchAll(/@opentelemetry\/(\S+?)@(0\.\d+\.\d+)/g)].map(([, name, version]) => [
      name,
      version,
    ]),
  );
  expect(named.length).toBeGreaterThan(0);
  for (const [name, version] of named)
    expect([name, version]).toEqual([name, pinned[`@opentelemetry/${name}`]]);
});

it('the time to boot is the one that was measured', () => {
  const [ours, others] = ['`./register`', "OpenTelemetry's hook"].map((row) =>
    cell('bench/boot/README.md', row, 2),
  );
  expect(page('README.md')).toContain(
    `Booting takes ${ours} times as long as without (OpenTelemetry's loader hook: ${others} times;`,
  );
});

describe('dependencies', () => {
  const architecture = page('docs/architecture.md').split('## Dependencies')[1]?.split('## Folders')[0] ?? '';
  /** The parts of OpenTelemetry's SDK go by that name, types by that of what they describe. */
  const isNamed = (name: string) =>
    architecture.includes(`\`${name}\``) || /^@(types|opentelemetry)\//.test(name);

  it('have their reason in the architecture', () => {
    const { dependencies, devDependencies, peerDependencies, overrides } = manifest;
    const names = [dependencies, devDependencies, overrides].flatMap(Object.keys);
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
    for (const name of Object.keys(peerDependencies)) expect(architecture).toContain(`\`${name}\``);
  });

  it('that are in a server stand in docs/trust.md, and ours run no script when they are installed', () => {
    const row = cell('docs/trust.md', 'our dependencies', 3) ?? '';
    const ours = Object.keys(manifest.dependencies);
    expect(ours).toHaveLength(2);
    for (const name of [...ours, ...Object.keys(manifest.peerDependencies)])
      expect(row).toContain(`\`${name}\``);
    const { packages } = json('package-lock.json');
    for (const name of ours) expect(packages[`node_modules/${name}`].hasInstallScript).toBeUndefined();
  });
});
