import { afterEach, describe, expect, it, vi } from 'vitest';
import { Watch } from '../../src/attach/watch.js';
import { openDuplexChannelWithRecovery } from '../../src/index.js';
import { completeLease, incompleteLease, UNSUPPORTED } from '../support/host.js';
import { revoked } from './inject.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});
const throwing = () => {
  throw new Error('fault');
};

describe('openDuplexChannelWithRecovery', () => {
  it('gives the channel that a re-acquire led to, also where the clock throws', async () => {
    vi.spyOn(performance, 'now').mockImplementation(throwing);
    const channel = {};
    const opened = await openDuplexChannelWithRecovery({
      lease: incompleteLease as never,
      open: () => channel,
      acquire: () => completeLease,
    });
    expect(opened).toEqual({ via: 'channel', lease: completeLease, channel });
  });

  it.each([
    ['a revoked proxy', revoked(new Error('a'))],
    [
      'an error whose cause cannot be read',
      Object.defineProperty(new Error('a'), 'cause', { get: throwing }),
    ],
    ['an error that takes no cause', new Proxy(new Error('a'), { defineProperty: throwing })],
  ])('throws what the fallback threw, also %s', async (_what, error) => {
    const refused = openDuplexChannelWithRecovery({
      lease: completeLease,
      open: () => {
        throw new Error(UNSUPPORTED);
      },
      execute: () => {
        throw error;
      },
    });
    const caught = await refused.then(
      () => [],
      (reason) => [reason],
    );
    expect(Object.is(caught[0], error)).toBe(true);
  });

  it('opens on a lease that cannot be read', async () => {
    const lease = { ...completeLease, metadata: revoked() as never };
    const opened = await openDuplexChannelWithRecovery({
      lease,
      open: () => 'channel',
      execute: () => 'result',
    });
    expect(Object.is(opened.lease, lease) && opened.via).toBe('channel');
  });
});

describe('the watch', () => {
  it('does not end the process where it cannot look', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const watch = new Watch(throwing as never);
    watch.start();
    vi.spyOn(performance, 'now').mockImplementation(throwing);
    expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
    watch.stop();
  });
});
