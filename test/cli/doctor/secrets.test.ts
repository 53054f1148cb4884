import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding, Subject } from '../../../src/cli/doctor/check.js';
import { preload } from '../../../src/cli/doctor/preload.js';
import { formatter } from '../../../src/cli/doctor/report.js';
import { masker } from '../../../src/cli/doctor/secrets.js';
import { variables } from '../../../src/cli/doctor/variables.js';
import { exportersOfSdk } from '../../../src/cli/doctor/which-sdk.js';
import { alternatives } from '../../../src/cli/otel/alternatives.js';
import { causeOf } from '../../../src/cli/otel/causes.js';
import { type OtlpExporter, placeOf, SIGNALS, variable } from '../../../src/cli/otel/exporters.js';
import { runNode, tree } from '../../support/tree.js';

type Env = Record<string, string>;

describe('masking', () => {
  const mask = (env: Env, text: string) => masker(env)(text);

  it.each([
    ['a header', { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=tok3n-of-ours' }, 'tok3n-of-ours'],
    [
      'a header of one signal',
      { OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'a=b,api-key=tok3n-of-ours' },
      'tok3n-of-ours',
    ],
    ['a header, decoded', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20tok3n' }, 'Bearer tok3n'],
    ['what follows a scheme', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20tok3n' }, 'tok3n'],
    ['an entry that is no header', { OTEL_EXPORTER_OTLP_HEADERS: 'tok3n-of-ours' }, 'tok3n-of-ours'],
    ['a header with a colon', { OTEL_EXPORTER_OTLP_HEADERS: 'api-key: tok3n' }, 'tok3n'],
    ['a header with a colon and no blank', { OTEL_EXPORTER_OTLP_HEADERS: 'api-key:tok3n' }, 'tok3n'],
    [
      'a header in quotation marks',
      { OTEL_EXPORTER_OTLP_HEADERS: '"api-key=tok3n-of-ours"' },
      'tok3n-of-ours',
    ],
    [
      'a misspelt variable of headers',
      { OTEL_EXPORTER_OTLP_HEADER: 'api-key=tok3n-of-ours' },
      'tok3n-of-ours',
    ],
    ['a password', { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:p4ss%21@host' }, 'p4ss!'],
    ['a password without scheme', { OTEL_EXPORTER_OTLP_ENDPOINT: 'me:p4ss@host:4318' }, 'p4ss'],
    ['a user that is a token', { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://tok3n@host' }, 'tok3n'],
    ['a query', { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host/?key=tok3n' }, 'tok3n'],
    ['the password of a proxy', { HTTPS_PROXY: 'http://me:p4ss@proxy:3128' }, 'p4ss'],
  ])('hides %s', (_, env, secret) => {
    expect(mask(env, `before ${secret} after`)).toBe('before **** after');
  });

  it.each([
    ['a path', 'https://host/in/tok3n/v1/traces'],
    ['a path with a port', 'https://host:4318/in/tok3n', 'https://host:4318'],
    ['a query', 'https://host/v1/traces?key=tok3n'],
    ['a fragment', 'https://host#tok3n'],
    ['a short password', 'https://me:a@host/?key=b'],
    ['a user that is a token', 'https://tok3n@host/v1'],
    ['a password that is not encoded', 'https://me:p4/ss@host', 'https://****'],
    ['a socket', 'grpc://me:p4ss@host:4317/x', 'grpc://host:4317'],
  ])('of a URL shows scheme, host and port: %s', (_, url, shown = 'https://host') => {
    expect(mask({}, `asked "${url}", and (${url}): ${url}.`)).toBe(
      `asked "${shown}", and (${shown}): ${shown}.`,
    );
  });

  it('shows the paths of files', () => {
    const text = `node --import file:///srv/it's/dist/start.js, and /srv/a b/c`;
    expect(mask({}, text)).toBe(text);
  });

  it.each(['/in/a/v1/logs', '/in/a', 'tok3n-of-seventeen', 'bWU6cDRzcyE='])(
    'hides what others say of a URL: %s',
    (part) => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:p4ss%21@host/in/a' };
      const own = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://host/in/tok3n-of-seventeen/' };
      expect(mask({ ...env, ...own }, `cannot POST ${part}, which is unknown`)).toBe(
        'cannot POST ****, which is unknown',
      );
    },
  );

  it.each([
    '@acme/server of acmeai, in /srv/acme/node_modules/@acme-ai/acme',
    'npm install --prefix /home/acme @acme/paperclip',
    'node /opt/my-acme/dist/cli/main.js doctor',
  ])('leaves words, paths and packages alone that hold a value: %s', (text) => {
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://acme:4318',
    };
    expect(mask(env, text)).toBe(text);
    expect(mask(env, `${text}: tenant=acme`)).toBe(`${text}: tenant=****`);
  });

  it.each([
    '/srv/paperclip/node_modules/@paperclipai/server/dist/index.js',
    'npx opentelemetry-instrumentation-paperclip catalog check /etc/paperclip',
    'set OTEL_NODE_ENABLED_INSTRUMENTATIONS=http,paperclip',
  ])("does not take this product's name for a secret: %s", (text) => {
    expect(mask({ OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=paperclip' }, text)).toBe(text);
  });

  it('hides what URLs in NODE_OPTIONS hold', () => {
    const env = {
      NODE_OPTIONS:
        '--require opentelemetry-instrumentation-paperclip/register --import=https://me:p4ss@host/a.mjs?key=tok3n --import=https://tok3n@host/b.mjs',
    };
    const [finding] = preload.run({ env, folder: '/', preload: 'register', server: undefined }) as Finding[];
    expect(mask(env, JSON.stringify(finding))).toContain(
      "set NODE_OPTIONS='--import=opentelemetry-instrumentation-paperclip/register --import=https://host --import=https://host'",
    );
  });
});

/** Not a word of ours, and long enough to be found in whatever form. */
const secret = fc.stringMatching(/^Zq7[\w!$&'*+.~-]{6,20}Xk$/);
const header = fc.tuple(fc.constantFrom('authorization=', 'api-key=', 'x-token:', ''), secret);
const url = fc.tuple(
  fc.constantFrom('http://', 'https://', '', ' http://', '"https://'),
  secret,
  fc.constantFrom('@collector:4317', '@collector:4318/v1/traces', '@collector', '@10.0.0.1:4318"'),
);
const environments = fc
  .record({
    headers: fc.array(header, { maxLength: 3 }),
    of: fc.constantFrom(undefined, ...SIGNALS),
    url,
    user: fc.constantFrom('me:', ''),
    path: fc.constantFrom(
      () => '',
      (token = '') => `/in/${token}`,
    ),
    protocol: fc.constantFrom('grpc', 'http/json', 'http/protobuf', 'grpcc'),
    misspelt: fc.constantFrom(
      'OTEL_EXPORTER_OTLP_HEADRES',
      'OTEL_EXPORTER_OTLP_ENDPIONT',
      'otel_exporter_otlp_headers',
    ),
  })
  .map(({ headers, of, url: [scheme, password, rest], user, path, protocol, misspelt }) => {
    const written = headers.map((pair) => pair.join('')).join(',');
    const env: Env = {
      [variable(of, 'HEADERS')]: written,
      [variable(of, 'ENDPOINT')]: `${scheme}${user}${password}${rest}${path(headers[0]?.[1])}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      [misspelt]: misspelt.endsWith('ENDPIONT') ? `http://me:${password}@host` : written,
    };
    return { env, secrets: [password, ...headers.map(([, value]) => value)] };
  });

const OUTCOMES = [
  { isDone: false, status: 401, message: 'Unauthorized' },
  { isDone: false, status: 404 },
  { isDone: false, code: 16 },
  { isDone: false, code: 'ECONNREFUSED' },
];

/** All that the checks say about an environment without looking at anything else. */
function saidOf(env: Env): Finding[] {
  const subject: Subject = { env, folder: '/', preload: 'start', server: undefined };
  const exporters = exportersOfSdk({ by: 'nobody', why: 'no sdk-node', missing: [] }, env);
  const sending = exporters.filter((exporter): exporter is OtlpExporter => exporter.type === 'otlp');
  return [
    ...(variables.run(subject) as Finding[]),
    ...sending.flatMap((exporter) => [
      ...OUTCOMES.map((outcome): Finding => ({ mark: 'problem', ...causeOf(exporter, outcome, env, 1) })),
      ...alternatives(env, exporter, false).map(
        ({ remedy }): Finding => ({ mark: 'problem', found: placeOf(exporter), remedy }),
      ),
    ]),
  ];
}

it('nothing that is said of headers and URLs shows a secret', () => {
  const format = formatter(['check'], false);
  fc.assert(
    fc.property(environments, ({ env, secrets }) => {
      const mask = masker(env);
      for (const finding of saidOf(env)) {
        const text = mask(format({ check: { id: 'check', title: 'check' }, finding }).join('\n'));
        for (const each of secrets) expect(text).not.toContain(each);
      }
    }),
    { numRuns: 500 },
  );
});

describe('the command', () => {
  const TOKEN = 'Zq7-token-of-ours';
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN},x-other=${TOKEN}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://me:${TOKEN}@127.0.0.1:1/?key=${TOKEN}`,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://${TOKEN}@127.0.0.1:1/v1/traces`,
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: TOKEN,
    OTEL_EXPORTER_OTLP_TRACES_HEADRES: `api-key=${TOKEN}`,
  };

  it.each([[['doctor']], [['doctor', '--json']]])('%s shows none of them', async (args) => {
    const { stdout, stderr, code } = await runNode([resolve('dist/cli/main.js'), ...args], {
      cwd: tree({}),
      env,
    });
    expect({ code, said: stdout.length > 0, shown: `${stdout}${stderr}`.includes(TOKEN) }).toEqual({
      code: 1,
      said: true,
      shown: false,
    });
  });
});
