import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, type Played, play, stepOf } from './harness.js';
import { channel, fallback, forward, loss, OPENED, recoveriesOf, requests } from './recoveries.js';

const OPEN = 'open_duplex_channel sandbox';
const EXECUTE = 'execute sandbox';
const UNSUPPORTED = { 'error.type': 'unsupported-driver-operation' };
const NON_PLUGIN = 'Sandbox driver does not support duplex channels for this lease.';

/** What the scenario says of one run of the bridge. */
interface Run {
  mode: string;
  /** What Paperclip's recorder was told: each method and its argument. */
  recorded: [string, unknown][];
  said?: unknown;
  /** What Paperclip's API was asked. */
  asked: string[];
  bytes: { transmit: number; receive: number };
}

const toldOfFallback = (reason: string, provider = 'daytona'): Run['recorded'] => {
  const dimensions = { provider, transport: 'file', outcome: 'error', fallback_reason: reason };
  return [
    ['incrementCounter', { metric: 'sandbox_duplex_fallback_total', dimensions }],
    ['emitEvent', { name: 'sandbox.duplex.transport', dimensions }],
  ];
};
const HTTP2 = { provider: 'daytona', transport: 'http2' };
const REFUSED: Run['recorded'] = [
  [
    'recordSpan',
    {
      name: 'sandbox.duplex.channel_open',
      dimensions: { ...HTTP2, outcome: 'error', fallback_reason: 'channel_open_failed' },
    },
  ],
  ...toldOfFallback('channel_open_failed'),
];
const OK = { ...HTTP2, outcome: 'ok' };
const SERVED: Run['recorded'] = [
  ['recordSpan', { name: 'sandbox.duplex.channel_open', dimensions: OK }],
  ['incrementCounter', { metric: 'sandbox_duplex_channel_open_total', dimensions: OK }],
  ['emitEvent', { name: 'sandbox.duplex.transport', dimensions: OK }],
  ['recordSpan', { name: 'sandbox.duplex.request', dimensions: OK, latencyMs: 'number' }],
];
const LOST = {
  ...HTTP2,
  outcome: 'error',
  loss_class: 'post_dispatch',
  loss_reason: 'provider_exit',
};

const IN_FILES = { mode: 'queue_v1', asked: [], bytes: { transmit: 0, receive: 0 } };
const HELLO = { status: 200, body: 'hello' };
const OVER_HTTP2 = {
  mode: 'http2_v1',
  asked: ['GET /api/agents/me Bearer host-token'],
  bytes: { transmit: expect.any(Number), receive: expect.any(Number) },
};

describe.each(NODES)("Paperclip's sandbox callback bridge, on $name", ({ path }) => {
  let played: Played;
  let without: Played;
  beforeAll(async () => {
    [played, without] = await Promise.all([
      play({ node: path, scenarios: ['bridge'] }),
      play({ node: path, scenarios: ['bridge'], preload: false }),
    ]);
  });
  const metricsOf = (step: string) => stepOf(played, step).otherMetrics;
  const runOf = (step: string) => stepOf(played, step).seen.value as Run;

  test.each([
    ['switched off', 'gate_off'],
    ['capability absent', 'capability_absent'],
  ])('is one request that falls back where it is %s', (step, reason) => {
    expect(runOf(step)).toEqual({ ...IN_FILES, recorded: toldOfFallback(reason) });
    expect(metricsOf(step)).toEqual([requests(fallback(reason))]);
    expect(recoveriesOf(stepOf(played, step).exported)).toEqual([]);
  });

  test("counts a provider outside of the allow-list by the conventions' name", () => {
    const reason = 'capability_absent';
    expect(runOf('provider of somebody').recorded).toEqual(toldOfFallback(reason, 'other'));
    const other = { 'paperclip.environment.provider': '_OTHER' };
    expect(metricsOf('provider of somebody')).toEqual([requests(fallback(reason, other))]);
  });

  test('is one request that falls back where the driver refuses the open, not two', () => {
    expect(runOf('open refused')).toEqual({ ...IN_FILES, recorded: REFUSED });
    expect(metricsOf('open refused')).toEqual([requests(fallback('channel_open_failed', UNSUPPORTED))]);
  });

  test('links its first command after a refused open to that open, and no other', () => {
    const { exported } = stepOf(played, 'open refused');
    const opens = exported.spans.flatMap(({ name, attributes }, position) =>
      name === OPEN ? [{ position, type: attributes['error.type'] }] : [],
    );
    expect(opens).toEqual([{ position: expect.any(Number), type: UNSUPPORTED['error.type'] }]);
    const open = opens[0]?.position ?? 0;
    expect(recoveriesOf(exported)).toEqual([
      {
        position: open + 1,
        name: EXECUTE,
        kind: 'fallback',
        links: [{ span: open }],
      },
    ]);
    // It has commands before the open and many after it, which are no recoveries.
    expect(open).toBeGreaterThan(0);
    expect(exported.spans.length).toBeGreaterThan(open + 2);
  });

  test.each(['open refused, and of another caller too', 'open refused, and once more by its caller'])(
    'leaves requests that are not its own to be counted for themselves: %s',
    (step) => {
      const byItself = fallback('unsupported-driver-operation', UNSUPPORTED);
      const points = metricsOf(step).flatMap(({ name, points: its }) => its.map((point) => [name, point]));
      const expected = [fallback('channel_open_failed', UNSUPPORTED), byItself].map((attributes) => [
        'paperclip.duplex.requests',
        { attributes, value: 1 },
      ]);
      expect(points).toHaveLength(2);
      expect(points).toEqual(expect.arrayContaining(expected));
    },
  );

  test('lets another caller do its work as ever', () => {
    const done = [NON_PLUGIN, 'done\n'];
    const refused = { ...IN_FILES, recorded: REFUSED };
    expect(stepOf(played, 'open refused, and of another caller too').seen.value).toEqual([refused, done]);
    expect(runOf('open refused, and once more by its caller')).toEqual({ ...refused, said: done });
  });

  test('is one opened request, one forward and a channel that ends in order', () => {
    const run = runOf('opened, ended in order');
    const disposition = { failed: false, lossReason: null };
    expect(run).toEqual({ ...OVER_HTTP2, recorded: SERVED, said: { response: HELLO, disposition } });
    expect(metricsOf('opened, ended in order')).toEqual([
      requests(OPENED),
      ...channel('closed', run.bytes),
      forward('ok'),
    ]);
  });

  test('is a loss where the process at the other end exits', () => {
    const run = runOf('opened, lost');
    const disposition = { failed: true, lossReason: 'provider_exit' };
    expect(run).toEqual({
      ...OVER_HTTP2,
      recorded: [
        ...SERVED,
        ['incrementCounter', { metric: 'sandbox_duplex_loss_total', dimensions: LOST }],
        ['emitEvent', { name: 'sandbox.duplex.transport', dimensions: LOST }],
      ],
      said: { response: HELLO, disposition },
    });
    expect(metricsOf('opened, lost')).toEqual([
      requests(OPENED),
      ...channel('exit', run.bytes),
      loss('post_dispatch', 'provider_exit'),
      forward('ok'),
    ]);
  });

  test('tells its own recorder and its caller exactly what it tells them without the instrumentation', () => {
    // How many bytes go over a channel differs with the random tokens in them.
    const withoutBytes = (key: string, value: unknown) => (key === 'bytes' ? undefined : value);
    const seen = ({ steps }: Played) =>
      Object.entries(steps).map(([step, { seen: its }]) => [step, JSON.stringify(its, withoutBytes)]);
    expect(seen(played)).toEqual(seen(without));
    expect(Object.keys(without.steps)).toHaveLength(8);
  });
});
