// @ts-check
/** A real Prometheus with the samples of a scenario, the page, and a browser that opens it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { launch } from 'puppeteer-core';
import { ruled } from './rules.mjs';
import { openMetrics, SCENARIOS } from './scenarios.mjs';

const HERE = import.meta.dirname;
/** Others than the generated ones, where they are to be looked at. */
export const DASHBOARDS = process.env.DASHBOARDS ?? join(HERE, '../generated/dashboards');
const FONTS = join(HERE, 'node_modules/@fontsource/inter/files');
/** What the page asks for beside itself: the dashboards, and Grafana's fonts and icons. */
const FOLDERS = [
  ['/dashboards/', DASHBOARDS],
  ['/public/fonts/inter/Inter-Regular.woff2', join(FONTS, 'inter-latin-400-normal.woff2')],
  ['/public/fonts/inter/Inter-Medium.woff2', join(FONTS, 'inter-latin-500-normal.woff2')],
  ['/public/build/img/', join(HERE, 'node_modules/@grafana/ui/dist/public/img')],
];
const TYPES = {
  '.svg': 'image/svg+xml',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PATIENCE_MS = 120_000;
const ANY = '.*';

export const NAMES = ['paperclip-overview', 'paperclip-recovery', 'paperclip-leases'];

/** @typedef {{ dashboard: string, theme: 'dark' | 'light', width: number, scenario: string }} View */

export class Stage {
  folder = mkdtempSync(join(tmpdir(), 'browser-'));
  /** @type {(() => unknown)[]} */
  #ends = [];
  /** @type {Map<string, { url: string, from: number, to: number }>} */
  #sources = new Map();

  static async open() {
    const stage = new Stage();
    const out = join(stage.folder, 'page');
    await build({
      entryPoints: [join(HERE, 'page/main.tsx')],
      bundle: true,
      format: 'esm',
      splitting: true,
      outdir: out,
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      loader: { '.ttf': 'empty', '.woff': 'empty', '.woff2': 'dataurl', '.svg': 'dataurl' },
      logLevel: 'error',
    });
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://page').pathname;
      const [folder = '', inFolder = ''] = FOLDERS.map(([prefix, folder]) =>
        path.startsWith(prefix) ? [folder, path.slice(prefix.length)] : undefined,
      ).find(Boolean) ?? [out, path];
      const file = path === '/' ? join(HERE, 'page/index.html') : join(folder, inFolder);
      try {
        response.setHeader('Content-Type', TYPES[/** @type {keyof typeof TYPES} */ (extname(file))] ?? '');
        response.end(readFileSync(file));
      } catch {
        response.writeHead(404).end();
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stage.#ends.push(() => server.close());
    stage.page = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
    const browser = await launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--force-color-profile=srgb'],
      protocolTimeout: 2 * PATIENCE_MS,
    });
    stage.#ends.push(() => browser.close());
    stage.browser = browser;
    return stage;
  }

  page = '';
  /** @type {import('puppeteer-core').Browser | undefined} */
  browser;

  /** Starts a Prometheus with a scenario's samples, the first time. @param {string} name */
  async source(name) {
    const known = this.#sources.get(name);
    if (known) return known;
    const scenario = SCENARIOS[name];
    if (!scenario) throw new Error(`no scenario ${name}; there are ${Object.keys(SCENARIOS).join(', ')}`);
    const to = Math.floor(Date.now() / 300_000) * 300;
    const folder = join(this.folder, name);
    mkdirSync(folder);
    await addBlocks(folder, openMetrics(scenario, to));
    const prometheus = new Prometheus(folder);
    this.#ends.push(() => prometheus.stop());
    for await (const samples of ruled(prometheus, scenario, to)) {
      await prometheus.stop();
      await addBlocks(folder, samples);
    }
    await prometheus.start();
    const source = { url: prometheus.url, from: 1000 * (to - 3600 * scenario.hours), to: 1000 * to };
    this.#sources.set(name, source);
    return source;
  }

  /**
   * Opens a dashboard and waits until all its panels are drawn.
   *
   * @param {View} view
   */
  async show({ dashboard, theme, width, scenario }) {
    const { url, from, to } = await this.source(scenario);
    const page = await /** @type {import('puppeteer-core').Browser} */ (this.browser).newPage();
    await page.setViewport({ width, height: 1200 });
    page.on('pageerror', (error) => console.error(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') console.error(message.text(), message.location().url ?? '');
    });
    const variables = {
      instance: ANY,
      job: ANY,
      provider: ANY,
      service: 'paperclip',
      traces: 'jaeger',
      datasource: 'prometheus',
      __from: String(from),
      __to: String(to),
    };
    const parameters = new URLSearchParams({
      dashboard,
      theme,
      prometheus: url,
      from: String(from),
      to: String(to),
      variables: JSON.stringify(variables),
    });
    await page.goto(`${this.page}/?${parameters}`);
    await page.waitForSelector('body[data-ready]', { timeout: PATIENCE_MS });
    const height = await page.evaluate(() => document.querySelector('main')?.scrollHeight ?? 0);
    await page.setViewport({ width, height });
    // Charts and tables draw once more when they know their size.
    await page.evaluate(async () => {
      await document.fonts.ready;
      await new Promise((done) => setTimeout(done, 500));
    });
    return page;
  }

  async close() {
    for (const end of this.#ends.reverse()) await end();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

/** Adds samples to those of a Prometheus that is stopped. @param {string} folder @param {Iterable<string>} text in OpenMetrics' format */
async function addBlocks(folder, text) {
  const samples = join(folder, 'samples');
  await pipeline(text, createWriteStream(samples));
  await run('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', samples, join(folder, 'data')]);
  rmSync(samples);
}

export class Prometheus {
  url = '';
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;

  /** @param {string} folder with its blocks in `data` */
  constructor(folder) {
    this.folder = folder;
    writeFileSync(join(folder, 'prometheus.yml'), '{}');
  }

  async start() {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(this.folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(this.folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--storage.tsdb.retention.time=10y',
        '--log.level=error',
        '--query.timeout=10m',
        '--query.max-samples=500000000',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    this.#child = child;
    for (
      let end = Date.now() + PATIENCE_MS;
      !(await fetch(`${this.url}/-/ready`).catch(() => undefined))?.ok;
      await sleep(200)
    ) {
      if (child.exitCode !== null || Date.now() > end) throw new Error('Prometheus does not answer');
    }
  }

  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  }

  /**
   * @param {'query' | 'query_range'} kind
   * @param {Record<string, string | number>} parameters
   * @returns {Promise<{ metric: Record<string, string>, value: [number, string], values: [number, string][] }[]>}
   */
  async ask(kind, parameters) {
    const body = new URLSearchParams(
      Object.entries(parameters).map(([name, value]) => [name, String(value)]),
    );
    const answer = await (await fetch(`${this.url}/api/v1/${kind}`, { method: 'POST', body })).json();
    if (answer.status !== 'success') throw new Error(`${answer.error}: ${parameters.query}`);
    return answer.data.result;
  }
}

/** @param {string} program @param {string[]} args */
async function run(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit').catch((error) => {
    throw new Error(`${program} cannot be started; it comes with the Debian package prometheus`, {
      cause: error,
    });
  });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
