/** What is in the environment: broken in one way each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedPort, grpcServer, httpServer, listening } from '../cli/doctor/collectors.js';
import { followVariables } from '../cli/doctor/follow.js';
import {
  type Case,
  copyOf,
  doctor,
  type Env,
  emptyFolder,
  follow,
  INSTALLATIONS,
  problemsOf,
} from './support.js';

const { npm, otel3 } = INSTALLATIONS;
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const PREFIX = 'OTEL_INSTRUMENTATION_PAPERCLIP_';

interface Wrong {
  readonly check: string;
  readonly found: string;
  readonly remedy: string;
}

/** The finding is the only problem. */
async function expectOnly({ check, found, remedy }: Wrong, subject: Case): Promise<void> {
  const report = await doctor(subject);
  expect(problemsOf(report)).toEqual([{ check, mark: 'problem', found, remedy }]);
  expect(report.code).toBe(1);
}

async function expectRight(subject: Case): Promise<void> {
  const report = await doctor(subject);
  expect(problemsOf(report)).toEqual([]);
  expect(report.code).toBe(0);
}

/** Variables for a collector that answers. */
async function collected(): Promise<Readonly<Record<typeof ENDPOINT, string>>> {
  return { [ENDPOINT]: `http://127.0.0.1:${await listening(httpServer())}` };
}

describe('one variable is wrong, and its remedy repairs that', () => {
  it.each<[string, Env, Wrong]>([
    [
      'a misspelt variable',
      { OTEL_EXPORTER_OTLP_HEADRES: 'x-tenant=one' },
      {
        check: 'variables',
        found: 'OTEL_EXPORTER_OTLP_HEADRES is read by nothing; probably OTEL_EXPORTER_OTLP_HEADERS is meant',
        remedy: 'rename OTEL_EXPORTER_OTLP_HEADRES to OTEL_EXPORTER_OTLP_HEADERS',
      },
    ],
    [
      'a misspelt value',
      { OTEL_TRACES_EXPORTER: 'oltp' },
      {
        check: 'variables',
        found: 'OTEL_TRACES_EXPORTER=oltp: oltp is none of otlp, console, none, zipkin',
        remedy: 'set OTEL_TRACES_EXPORTER=otlp',
      },
    ],
    [
      'variables that contradict each other',
      {
        OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'paperclip',
        OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'paperclip,http',
      },
      {
        check: 'variables',
        found:
          'OTEL_NODE_ENABLED_INSTRUMENTATIONS and OTEL_NODE_DISABLED_INSTRUMENTATIONS both name paperclip: it is disabled',
        remedy: 'set OTEL_NODE_DISABLED_INSTRUMENTATIONS=http',
      },
    ],
    [
      'the SDK is disabled',
      { OTEL_SDK_DISABLED: 'true' },
      {
        check: 'sdk',
        found: 'OTEL_SDK_DISABLED=true switches this package off, and starts no SDK',
        remedy: 'unset OTEL_SDK_DISABLED',
      },
    ],
    [
      'nothing is exported',
      { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
      {
        check: 'sdk',
        found: 'neither traces nor metrics are exported',
        remedy: 'unset OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER',
      },
    ],
    [
      'an option',
      { [`${PREFIX}FALLBACK_WINDOW_MS`]: '30s' },
      {
        check: 'options',
        found: `${PREFIX}FALLBACK_WINDOW_MS=30s: must be a whole number; 30000 is used`,
        remedy: `set ${PREFIX}FALLBACK_WINDOW_MS=30000`,
      },
    ],
  ])('%s', async (_, broken, wrong) => {
    const env = { ...(await collected()), ...broken };
    await expectOnly(wrong, { installation: npm, env });
    await expectRight({ installation: npm, env: followVariables(wrong.remedy, env) });
  });
});

describe.each([
  ['2.x', npm],
  ['3.x', otel3],
])('the endpoint is wrong, with OpenTelemetry JS %s', (_, installation) => {
  // The tree of 3.x is beside the server's.
  const args = installation === npm ? [] : [npm];

  it('nothing listens there, until a collector is started', async () => {
    const { port, free } = await closedPort();
    const subject = { installation, args, env: { [ENDPOINT]: `http://127.0.0.1:${port}` } };
    await expectOnly(
      {
        check: 'collector',
        found: `traces, metrics, logs: http://127.0.0.1:${port} refuses the connection: nothing listens there`,
        remedy: `start a collector there, or set ${ENDPOINT} to where one listens; in a container, localhost is the container itself`,
      },
      subject,
    );
    await free();
    await listening(httpServer(), port);
    await expectRight(subject);
  });

  it('it speaks grpc, which the protocol does not say', async () => {
    const port = await listening(grpcServer());
    const env = { [ENDPOINT]: `http://127.0.0.1:${port}` };
    const remedy = 'set OTEL_EXPORTER_OTLP_PROTOCOL=grpc';
    const found = `traces, metrics, logs: ${env[ENDPOINT]} (http/protobuf) speaks grpc, not http/protobuf`;
    await expectOnly({ check: 'collector', found, remedy }, { installation, args, env });
    await expectRight({ installation, args, env: followVariables(remedy, env) });
  });

  it('it speaks http, which the protocol does not say', async () => {
    const env = { ...(await collected()), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const remedy = 'set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf';
    const found = `traces, metrics, logs: ${env[ENDPOINT]} (grpc) speaks http, not grpc`;
    await expectOnly({ check: 'collector', found, remedy }, { installation, args, env });
    await expectRight({ installation, args, env: followVariables(remedy, env) });
  });
});

it('a catalog has a bad record, until that is corrected', async () => {
  const file = join(emptyFolder(), 'errors.json');
  const record = {
    schemaVersion: 2,
    slug: 'quota',
    errorMessage: 'Quota of the team is used up.',
    messagePattern: null,
  };
  writeFileSync(file, JSON.stringify([record]));
  const env = { ...(await collected()), [`${PREFIX}ERROR_CATALOG`]: file };
  const report = await doctor({ installation: npm, env });
  const [problem, ...others] = problemsOf(report);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    check: 'catalog',
    found: expect.stringMatching(`^${file}: record 0 \\("quota"\\): .*; the record is left out$`),
    remedy: `correct the record in ${file}, and check it: npx opentelemetry-instrumentation-paperclip catalog check ${file}`,
  });
  const command = problem?.remedy?.replace(/.*: npx/, 'npx');
  expect(() => follow(command, { installation: npm })).toThrow('record 0');

  writeFileSync(file, JSON.stringify([{ ...record, backgroundTag: 'quota-used-up' }]));
  follow(command, { installation: npm });
  await expectRight({ installation: npm, env });
});

it("Paperclip's own SDK lacks a package, until that is installed", async () => {
  const installation = copyOf(npm);
  const port = await listening(grpcServer());
  const others = await listening(httpServer());
  const env = {
    [ENDPOINT]: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `http://127.0.0.1:${others}/v1/metrics`,
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${others}/v1/logs`,
  };
  const subject = { installation, env, args: ['-p', 'register'] };
  const report = await doctor(subject);
  const [problem, ...rest] = problemsOf(report);
  expect(rest).toEqual([]);
  expect(problem).toMatchObject({
    check: 'sdk',
    found: expect.stringMatching(
      /^Paperclip does not start its own, because it needs .*@opentelemetry\/auto-instrumentations-node@0\.79\.0/,
    ),
  });
  await expectRight(follow(problem?.remedy, subject));
});
