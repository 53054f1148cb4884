import { OPERATION_NAMES } from 'opentelemetry-instrumentation-paperclip/semconv';
import { beforeAll, describe, expect, test } from 'vitest';
import { exception, failed } from './expected.js';
import { NODES, type Played, play, stepOf } from './harness.js';

const REFUSAL = 'Sandbox driver does not support duplex channels for this lease.';
const SIGNALS = [
  { optIn: undefined, event: true, log: false },
  { optIn: 'logs', event: false, log: true },
  { optIn: 'logs/dup', event: true, log: true },
] as const;

/** The distinct markers in what left the process. */
const markersIn = (text: string) => [...new Set(text.match(/mk7q-[a-z-]+/g))].sort();

describe.each(NODES)('on $name', ({ path }) => {
  describe.each(SIGNALS)('with OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN=$optIn', ({ optIn, event, log }) => {
    let played: Played;
    beforeAll(async () => {
      const env: Record<string, string> =
        optIn === undefined ? {} : { OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: optIn };
      played = await play({ node: path, scenarios: ['refusals', 'secrets'], env });
    });

    test('no secret is in any span, event, metric, log record or diagnostic', () => {
      expect(markersIn(played.everything)).toEqual([]);
    });

    test('an exception is recorded once for each signal that was asked for', () => {
      const { spans, logs } = stepOf(played, 'driver: lease of no plug-in').exported;
      expect(spans).toHaveLength(1);
      expect(spans[0]).toMatchObject({
        status: failed(REFUSAL),
        events: event ? [exception('Error', REFUSAL)] : [],
      });
      expect(logs).toEqual(
        log
          ? [
              {
                scope: 'opentelemetry-instrumentation-paperclip',
                eventName: 'paperclip.environment.operation.exception',
                severityNumber: 13,
                severityText: 'WARN',
                body: null,
                attributes: {
                  'exception.type': 'Error',
                  'exception.message': REFUSAL,
                  'exception.stacktrace': '<code locations>',
                  'error.type': 'unsupported-driver-operation',
                  'paperclip.environment.operation.name': 'open_duplex_channel',
                },
                span: 0,
              },
            ]
          : [],
      );
    });
  });
});

describe('the search for secrets', () => {
  let played: Played;
  beforeAll(async () => {
    const env = { OTEL_INSTRUMENTATION_PAPERCLIP_ERROR_DETAIL: 'full' };
    played = await play({ node: NODES[0].path, scenarios: ['secrets'], env });
  });

  test.each([0, 2])('covers every operation, with spans of the status %i', (code) => {
    const spans = Object.values(played.steps).flatMap(({ exported }) => exported.spans);
    const covered = spans
      .filter(({ status }) => status.code === code)
      .map(({ attributes }) => attributes['paperclip.environment.operation.name']);
    // The service keeps the failure of each release to itself, so the release of all of them succeeds.
    const expected = OPERATION_NAMES.filter((name) => code === 0 || name !== 'release_run_leases');
    expect([...new Set(covered)].sort()).toEqual(expected.sort());
  });

  test('is for secrets that went all the way to a worker', () => {
    expect(stepOf(played, 'markers that reached a worker').seen.value).toEqual(
      expect.arrayContaining([
        ...['mk7q-command', 'mk7q-argument', 'mk7q-option', 'mk7q-env-name', 'mk7q-env-value'],
        ...['mk7q-stdin', 'mk7q-cwd', 'mk7q-channel-command', 'mk7q-channel-argument'],
        ...['mk7q-sync-local', 'mk7q-sync-remote', 'mk7q-local', 'mk7q-remote', 'mk7q-ingress'],
        ...['mk7q-config-key', 'mk7q-config-token', 'mk7q-config-list', 'mk7q-driver-config-key'],
        ...['mk7q-metadata-key', 'mk7q-metadata-token', 'mk7q-metadata-list', 'mk7q-remote-cwd'],
        ...['mk7q-provider', 'mk7q-provider-lease', 'mk7q-plugin-id', 'mk7q-flag', 'mk7q-driver'],
      ]),
    );
  });

  test('finds the messages of errors once an operator asks for them in full', () => {
    expect(markersIn(played.everything)).toEqual(
      expect.arrayContaining(['mk7q-message', 'mk7q-named', 'mk7q-tail', 'mk7q-string', 'mk7q-unreadable']),
    );
  });
});
