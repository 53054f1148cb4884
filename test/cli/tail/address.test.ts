import { describe, expect, it } from 'vitest';
import { explainListenError, instructions } from '../../../src/cli/tail/address.js';

describe('a server that is started as it says sends here', () => {
  const commandAt = (host: string, port: number) => instructions({ host, port })[2]?.trim();
  const RUN = 'npx opentelemetry-instrumentation-paperclip run --start -- npx paperclipai run';

  it.each([['127.0.0.1'], ['localhost'], ['0.0.0.0'], ['::'], ['::1']])(
    'without a variable at %s, where SDKs send to anyway',
    (host) => {
      expect(commandAt(host, 4318)).toBe(RUN);
    },
  );

  it.each([
    ['127.0.0.1', 4319, 'http://127.0.0.1:4319'],
    ['192.168.1.2', 4318, 'http://192.168.1.2:4318'],
    ['::1', 4319, 'http://[::1]:4319'],
    ['0.0.0.0', 4319, 'http://localhost:4319'],
  ])('with one at %s, port %d', (host, port, url) => {
    expect(commandAt(host, port)).toBe(`OTEL_EXPORTER_OTLP_ENDPOINT=${url} ${RUN}`);
  });

  it.each([
    ['0.0.0.0', 4318],
    ['::', 4319],
  ])('and one elsewhere at %s, port %d, by the address of this machine', (host, port) => {
    expect(instructions({ host, port }).slice(3, 5)).toEqual([
      '  and one elsewhere with',
      `  OTEL_EXPORTER_OTLP_ENDPOINT=http://<this machine's address>:${port}`,
    ]);
  });

  it('with no word of others where they cannot send here', () => {
    expect(instructions({ host: '127.0.0.1', port: 4318 }).length).toBe(5);
  });

  it('in lines that fit 80 columns at the default address', () => {
    for (const line of instructions({ host: '0.0.0.0', port: 4318 }))
      expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('an address that is refused', () => {
  const explain = (code: string, port: number) =>
    explainListenError(Object.assign(new Error('its message'), { code }), { host: '127.0.0.1', port });

  it.each([
    ['EACCES', 80, 'port 80 of 127.0.0.1 may not be opened: choose one from 1024 on with --port'],
    ['EMFILE', 4318, 'http://127.0.0.1:4318 cannot be listened on: its message'],
  ])('is explained: %s', (code, port, message) => {
    expect(explain(code, port)).toBe(message);
  });

  it('has another one named that exists', () => {
    expect(explain('EADDRINUSE', 65_535)).toContain('--port 4318 and');
  });
});
