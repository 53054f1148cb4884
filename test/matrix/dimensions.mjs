/** What the cells are made of, and which values cannot be together. */

/**
 * Versions of Paperclip. `isDuplex`: the runtime opens duplex channels, and adapter-utils observes them. Where the packages that
 * the server needs were not published in its version: `siblings`, the nearest one in which they were, and
 * `lacking`, the functions that the server imports and that they do not have, by file.
 *
 * @type {Record<string, { isDuplex: boolean, siblings?: string, lacking?: Record<string, string[]> }>}
 */
export const PAPERCLIP = {
  '2026.427.0': {
    isDuplex: false,
    siblings: '2026.707.0',
    lacking: { 'adapter-utils/dist/ssh.js': ['findReachablePaperclipApiUrlOverSsh'] },
  },
  '2026.720.0': { isDuplex: false, siblings: '2026.722.0' },
  '2026.831.1': { isDuplex: true },
  '2026.916.1': { isDuplex: true },
  '2026.916.0-beta.0': { isDuplex: true },
};

/**
 * How Paperclip is installed, in words.
 *
 * @type {Record<string, string>}
 */
export const LAYOUTS = {
  npm: 'by npm',
  pnpm: 'by pnpm',
  docker: 'in the Docker image (rebuilt)',
  checkout: 'in a checkout, with tsx (rebuilt)',
};

/**
 * Lines of OpenTelemetry JS: exact versions of what a host installs.
 *
 * @type {Record<string, Record<string, string>>}
 */
export const OPENTELEMETRY = {
  0.221: {
    '@opentelemetry/api': '1.9.1',
    '@opentelemetry/instrumentation': '0.221.0',
    '@opentelemetry/sdk-metrics': '2.10.0',
    '@opentelemetry/sdk-node': '0.221.0',
    '@opentelemetry/sdk-trace': '2.10.0',
  },
  0.301: {
    '@opentelemetry/api': '1.10.0',
    '@opentelemetry/instrumentation': '0.301.0',
    '@opentelemetry/sdk-metrics': '3.1.0',
    '@opentelemetry/sdk-node': '0.301.0',
    '@opentelemetry/sdk-trace': '3.1.0',
  },
};

/** The line that Paperclip pins from 2026.831 on. */
export const PINNED = '0.221';

/**
 * Lines of Node.js: versions of the npm package `node`.
 *
 * @type {Record<string, string>}
 */
export const NODE = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

export const TOOLS = { pnpm: '12.21.0', tsx: '4.23.15' };

export const DIMENSIONS = {
  paperclip: Object.keys(PAPERCLIP),
  layout: Object.keys(LAYOUTS),
  otel: Object.keys(OPENTELEMETRY),
  node: Object.keys(NODE),
  /** What the server's package.json says: the repository has had a placeholder there. */
  version: ['published', '0.3.1'],
  /** The first `--import`, the second one after that of tsx, or in the variable NODE_OPTIONS. */
  preload: ['first', 'second', 'variable'],
};

/** Values that cannot be together, and why. */
const IMPOSSIBLE = [
  { node: ['20'], otel: ['0.301'], because: 'OpenTelemetry JS 3.x needs Node.js 22.15' },
  { layout: ['npm', 'pnpm'], version: ['0.3.1'], because: 'an installed package has its published version' },
  {
    layout: ['npm', 'pnpm', 'checkout'],
    preload: ['second'],
    because: 'only the image has a preload of its own',
  },
];

/** Every cell that can exist. */
export function allCells() {
  let cells = [{}];
  for (const [name, values] of Object.entries(DIMENSIONS))
    cells = cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value })));
  return cells.filter((cell) => !IMPOSSIBLE.some((rule) => matches(rule, cell)));
}

/** Which values are never together in a cell, and why. */
export function impossible() {
  return IMPOSSIBLE.map(({ because, ...rule }) => {
    const sides = Object.entries(rule).map(([name, values]) => `${name} ${values.join(', ')}`);
    return `${sides.join(' with ')}: ${because}`;
  });
}

/** What in the cells is not as it was published. */
export function replaced() {
  return Object.entries(PAPERCLIP).flatMap(([version, { siblings, lacking = {} }]) => {
    if (siblings === undefined) return [];
    const others = `server ${version} with the other packages of ${siblings}: its own are not published`;
    const added = Object.entries(lacking).flatMap(([file, names]) =>
      names.map(
        (name) => `server ${version} with an empty \`${name}\` in \`${file}\`, which ${siblings} lacks`,
      ),
    );
    return [others, ...added];
  });
}

function matches({ because: _, ...rule }, cell) {
  return Object.entries(rule).every(([name, values]) => values.includes(cell[name]));
}
