import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, type Played, play, stepOf } from './harness.js';
import { channel, DAYTONA, fallback, OPENED, reacquire, recoveriesOf, requests } from './recoveries.js';

const INCOMPLETE =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';
const WORKERS_OWN = 'the worker ran out of something';
const USED = { received: ['hello'], exit: { exitCode: 0 } };

const OPEN = 'open_duplex_channel sandbox';
const ACQUIRE = 'acquire_run_lease sandbox';
const EXECUTE = 'execute sandbox';

const MISSING = { 'error.type': 'missing-metadata-field' };
const STOPPED = channel('stopped', { transmit: 5, receive: 5 });

/** A span that recovers from the failure of the one at `from`. */
const recovery = (position: number, name: string, kind: string, from: number) => ({
  position,
  name,
  kind,
  links: [{ span: from }],
});

describe.each(NODES)('a lease that lacks metadata, on $name', ({ path }) => {
  let played: Played;
  let idle: Played;
  let without: Played;
  beforeAll(async () => {
    const windows = {
      OTEL_INSTRUMENTATION_PAPERCLIP_FALLBACK_WINDOW_MS: '10',
      OTEL_INSTRUMENTATION_PAPERCLIP_REACQUIRE_WINDOW_MS: '2000',
    };
    [played, idle, without] = await Promise.all([
      play({ node: path, scenarios: ['reacquire'] }),
      play({ node: path, scenarios: ['idle'], env: windows }),
      play({ node: path, scenarios: ['reacquire'], preload: false }),
    ]);
  });
  const namesOf = (step: string) => stepOf(played, step).exported.spans.map(({ name }) => name);

  test.each(['a fresh lease is complete', 'the next run of the issue acquires'])(
    'is re-acquired with success, and the request opened, where %s',
    (step) => {
      const { seen, exported, otherMetrics } = stepOf(played, step);
      expect(seen.value).toEqual([INCOMPLETE, USED]);
      expect(namesOf(step)).toEqual([OPEN, ACQUIRE, OPEN]);
      expect(recoveriesOf(exported)).toEqual([
        recovery(1, ACQUIRE, 'reacquire', 0),
        recovery(2, OPEN, 'reacquire', 0),
      ]);
      expect(otherMetrics).toEqual([requests(OPENED), ...reacquire('succeeded'), ...STOPPED]);
    },
  );

  test('is not re-acquired by the acquire of another owner', () => {
    const { seen, exported, otherMetrics } = stepOf(played, 'somebody else acquires');
    expect(seen.value).toEqual([INCOMPLETE, USED]);
    expect(namesOf('somebody else acquires')).toEqual([OPEN, ACQUIRE, OPEN]);
    expect(recoveriesOf(exported)).toEqual([]);
    // The refused open waits for its fallback, so this request is that of the other owner.
    expect(otherMetrics).toEqual([requests(OPENED), ...STOPPED]);
  });

  test('is still incomplete where the fresh one lacks it as well, and its request falls back once', () => {
    const step = 'a fresh lease is incomplete as well, and the work is done by execute';
    const { seen, exported, otherMetrics } = stepOf(played, step);
    expect(seen.value).toEqual([INCOMPLETE, INCOMPLETE, 'out']);
    expect(namesOf(step)).toEqual([OPEN, ACQUIRE, OPEN, EXECUTE]);
    expect(recoveriesOf(exported)).toEqual([
      recovery(1, ACQUIRE, 'reacquire', 0),
      recovery(2, OPEN, 'reacquire', 0),
      recovery(3, EXECUTE, 'fallback', 2),
    ]);
    expect(otherMetrics).toEqual([
      requests(fallback('missing-metadata-field', MISSING)),
      ...reacquire('still_incomplete'),
    ]);
  });

  test('is not re-acquired where the acquire fails', () => {
    const { seen, exported, otherMetrics } = stepOf(played, 'no fresh lease is to be had');
    expect(seen.value).toEqual([INCOMPLETE, WORKERS_OWN]);
    expect(namesOf('no fresh lease is to be had')).toEqual([OPEN, ACQUIRE]);
    expect(recoveriesOf(exported)).toEqual([recovery(1, ACQUIRE, 'reacquire', 0)]);
    expect(otherMetrics).toEqual(reacquire('acquire_failed'));
  });

  test('is re-acquired in vain where the channel is refused for another reason', () => {
    const { seen, exported, otherMetrics } = stepOf(played, 'the worker refuses on the fresh lease');
    expect(seen.value).toEqual([INCOMPLETE, WORKERS_OWN]);
    expect(namesOf('the worker refuses on the fresh lease')).toEqual([OPEN, ACQUIRE, OPEN]);
    expect(recoveriesOf(exported)).toEqual([
      recovery(1, ACQUIRE, 'reacquire', 0),
      recovery(2, OPEN, 'reacquire', 0),
    ]);
    expect(otherMetrics).toEqual(reacquire('operation_failed'));
  });

  test('is one request however long the acquire takes, not one that failed and one that opened', () => {
    const { seen, otherMetrics } = stepOf(idle, 'a fresh lease takes longer than a fallback may');
    expect(seen.value).toEqual(USED);
    expect(otherMetrics).toEqual([requests(OPENED), ...reacquire('succeeded'), ...STOPPED]);
  });

  test('is counted when metrics are collected, though nobody recovers and nothing else happens', () => {
    expect(stepOf(idle, 'nobody recovers').otherMetrics).toEqual([
      requests({ ...DAYTONA, 'paperclip.duplex.outcome': 'failed', ...MISSING }),
      ...reacquire('not_attempted'),
    ]);
  });

  test('gives callers exactly what it gives them without the instrumentation', () => {
    const seen = ({ steps }: Played) => Object.entries(steps).map(([step, { seen: its }]) => ({ step, its }));
    expect(seen(played)).toEqual(seen(without));
    expect(Object.keys(without.steps)).toHaveLength(6);
  });
});
