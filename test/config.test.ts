import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { classifyLeaseError, PaperclipInstrumentation } from '../src/index.js';
import { resolveSettings } from '../src/options.js';
import { TestTelemetry } from './support/telemetry.js';

const PREFIX = 'OTEL_INSTRUMENTATION_PAPERCLIP_';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-'));
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const record = { schemaVersion: 2, slug: 'quota', messagePattern: '^quota', backgroundTag: 'quota-exceeded' };

/** Settings of these variables, and what was said about them. */
function fromEnvironment(env: Record<string, string>, options = {}) {
  const warnings: string[] = [];
  const settings = resolveSettings(options, env, (message) => warnings.push(message));
  return { settings, warnings };
}

describe('an option given in code', () => {
  it.each([
    [{ provider: ['x'] }, 'unknown option "provider"'],
    [{ providers: 'x' }, 'option "providers": '],
    [{ providers: ['no spaces'] }, 'option "providers.0": must be 1 to 64 letters'],
    [{ captureIds: 'yes' }, 'option "captureIds": '],
    [{ errorDetail: 'all' }, 'option "errorDetail": '],
    [{ errorCatalog: '' }, 'option "errorCatalog": '],
    [{ errorCatalog: '/no/such/file' }, 'option "errorCatalog": cannot read /no/such/file (ENOENT)'],
    [{ packages: [] }, 'option "packages": '],
    [{ packages: ['../x'] }, 'option "packages.0": must be the name of an npm package'],
    [{ requestHook: 1 }, 'option "requestHook": must be a function'],
    [{ enabled: 'no' }, 'option "enabled": '],
  ])('that is bad throws and is named: %o', (options, message) => {
    expect(() => new PaperclipInstrumentation(options as never)).toThrow(message);
    expect(() => new PaperclipInstrumentation().setConfig(options as never)).toThrow(TypeError);
  });

  it('wins over its environment variable', () => {
    const { settings } = fromEnvironment({ [`${PREFIX}CAPTURE_IDS`]: 'true' }, { captureIds: false });
    expect(settings.captureIds).toBe(false);
  });

  it('counts as not given where it is undefined', () => {
    const { settings } = fromEnvironment({ [`${PREFIX}CAPTURE_IDS`]: 'false' }, { captureIds: undefined });
    expect(settings.captureIds).toBe(false);
  });
});

describe('an environment variable', () => {
  it('sets its option', () => {
    const { settings, warnings } = fromEnvironment({
      [`${PREFIX}PROVIDERS`]: 'acme, my.box ,',
      [`${PREFIX}CAPTURE_IDS`]: 'FALSE',
      [`${PREFIX}ERROR_DETAIL`]: 'full',
      [`${PREFIX}FALLBACK_WINDOW_MS`]: '1',
      [`${PREFIX}REACQUIRE_WINDOW_MS`]: '2',
      [`${PREFIX}MAX_TRACKED_RECOVERIES`]: '3',
      [`${PREFIX}PACKAGES`]: '@acme/paperclip-server,@paperclipai/server',
    });
    expect(warnings).toEqual([]);
    expect([...settings.providers].slice(-2)).toEqual(['acme', 'my.box']);
    expect(settings.captureIds).toBe(false);
    expect(settings.errorDetail).toBe('full');
    expect(settings.recovery).toEqual({ fallbackWindowMs: 1, reacquireWindowMs: 2, maxTrackedRecoveries: 3 });
    expect(settings.packages).toEqual(['@acme/paperclip-server', '@paperclipai/server']);
  });

  it('that is empty or missing leaves the defaults', () => {
    const { settings, warnings } = fromEnvironment({ [`${PREFIX}PROVIDERS`]: ' ' });
    expect(warnings).toEqual([]);
    expect(settings.providers.size).toBe(8);
    expect(settings.captureIds).toBe(true);
    expect(settings.errorDetail).toBe('catalogued');
    expect(settings.recovery).toEqual({
      fallbackWindowMs: 30_000,
      reacquireWindowMs: 300_000,
      maxTrackedRecoveries: 10_000,
    });
    expect(settings.packages).toEqual(['@paperclipai/server']);
  });

  it.each([
    [
      'PROVIDERS',
      Array.from({ length: 65 }, (_, n) => n).join(','),
      'must be at most 64 keys; using the default',
    ],
    ['PROVIDERS', 'no spaces', 'must be 1 to 64 letters, digits, ".", ":", "_" or "-"; using the default'],
    ['CAPTURE_IDS', 'yes', 'must be true or false; using the default'],
    ['ERROR_DETAIL', 'secret', 'must be catalogued or full; using the default'],
    ['FALLBACK_WINDOW_MS', '1e300', 'must be a whole number; using the default'],
    ['REACQUIRE_WINDOW_MS', '0', 'must be at least 1; using the default'],
    ['PACKAGES', ',', 'must name at least one package; using the default'],
    ['PACKAGES', '../x', 'must be the name of an npm package; using the default'],
  ])(
    'that is bad is named once, without its value, and does not stop the host: %s',
    (name, value, problem) => {
      const { settings, warnings } = fromEnvironment({ [PREFIX + name]: value });
      expect(warnings).toEqual([`${PREFIX}${name}: ${problem}`]);
      expect(settings).toEqual(fromEnvironment({}).settings);
    },
  );

  it('that is bad is reported through Node.js while diag has no logger', () => {
    vi.stubEnv(`${PREFIX}CAPTURE_IDS`, 'maybe');
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    new PaperclipInstrumentation();
    vi.unstubAllEnvs();
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
      `${PREFIX}CAPTURE_IDS: must be true or false; using the default`,
    ]);
  });
});

describe('an error catalog of the operator', () => {
  it.each([
    ['code', (path: string) => fromEnvironment({}, { errorCatalog: path })],
    ['the environment', (path: string) => fromEnvironment({ [`${PREFIX}ERROR_CATALOG`]: path })],
  ])('named in %s comes before the built-in one', (_origin, load) => {
    const own = { ...record, slug: 'mine', messagePattern: 'duplex channels' };
    const { settings, warnings } = load(file('good.json', JSON.stringify([record, own])));
    const slugOf = (message: string) => classifyLeaseError(new Error(message), settings.catalog)?.slug;
    expect(warnings).toEqual([]);
    expect(slugOf('quota is used up')).toBe('quota');
    expect(slugOf('Sandbox driver does not support duplex channels for this lease.')).toBe('mine');
    expect(slugOf('Sandbox runner ingress is missing its provider identity.')).toBe(
      'sandbox-runner-ingress-is-missing-provider-identity',
    );
  });

  it('with a bad record loads the others and names the bad one', () => {
    const path = file('mixed.jsonl', `${JSON.stringify(record)}\n${JSON.stringify({ ...record, slug: 7 })}`);
    const { settings, warnings } = fromEnvironment({ [`${PREFIX}ERROR_CATALOG`]: path });
    expect(settings.catalog.records[0]?.slug).toBe('quota');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`${path}: record 1: slug: `);
  });

  it('whose pattern takes too long is named to the operator once, and the operation goes on', async () => {
    const errorCatalog = file(
      'evil.json',
      JSON.stringify({ ...record, slug: 'evil\u001b', messagePattern: '(a+)+$' }),
    );
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const telemetry = new TestTelemetry();
    const error = new Error(`${'a'.repeat(60)}!`);
    const driver = telemetry.instrument({ errorCatalog }).instrumentDriver({
      async execute() {
        throw error;
      },
    });
    for (let n = 0; n < 3; n += 1) await expect(driver.execute()).rejects.toBe(error);
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
      expect.stringMatching(/^error record "evil\\u001b": its messagePattern takes too long /),
    ]);
    expect(telemetry.spans().map(({ attributes }) => attributes['error.type'])).toEqual([
      'Error',
      'Error',
      'Error',
    ]);
  });

  it.each([
    ['that does not exist', () => join(folder, 'missing.json'), 'cannot read'],
    ['without records', () => file('empty.json', '[]'), 'holds no error record'],
    ['that is no JSON', () => file('text.json', 'hello'), 'is neither JSON nor'],
  ])('%s is reported once when the environment names it', (_title, path, problem) => {
    const { settings, warnings } = fromEnvironment({ [`${PREFIX}ERROR_CATALOG`]: path() });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(problem);
    expect(warnings[0]).toContain(`${PREFIX}ERROR_CATALOG`);
    expect(settings.catalog).toBe(fromEnvironment({}).settings.catalog);
  });
});
