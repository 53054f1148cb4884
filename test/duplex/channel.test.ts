import { beforeEach, describe, expect, it, vi } from 'vitest';
import { on } from '../support/host.js';
import { forgetRunning, TestTelemetry } from '../support/telemetry.js';

type Listener = (argument: never) => void;

/** A channel like Paperclip's, with room for one listener of each kind. */
class Channel {
  dataListener: Listener | undefined;
  exitListener: Listener | undefined;
  readonly calls: unknown[][] = [];
  write(data: Uint8Array | string) {
    this.calls.push(['write', data]);
  }
  onData(listener: Listener) {
    this.dataListener = listener;
  }
  onExit(listener: Listener) {
    this.exitListener = listener;
  }
  stop() {
    this.calls.push(['stop']);
  }
  async close() {
    this.calls.push(['close']);
  }
}

/** The same, as the plain object that Paperclip's driver returns. */
function plainChannel(): Channel {
  const channel = new Channel();
  const names = ['write', 'onData', 'onExit', 'stop', 'close'] as const;
  const methods = names.map((name) => [
    name,
    (...args: never[]) => (channel[name] as Listener)(...(args as [never])),
  ]);
  return Object.assign(Object.fromEntries(methods), {
    get calls() {
      return channel.calls;
    },
    emit: channel,
  });
}

let telemetry: TestTelemetry;
beforeEach(() => {
  forgetRunning();
  telemetry = new TestTelemetry();
});

async function open<T>(channel: T): Promise<T> {
  const driver = telemetry.instrument().instrumentDriver({
    openDuplexChannel: async (_input: object) => channel,
  });
  return await driver.openDuplexChannel(on());
}

const active = async () =>
  (await telemetry.counter('paperclip.duplex.channel.active')).map(({ value }) => value);
const ends = async () =>
  (await telemetry.histogram('paperclip.duplex.channel.duration')).map(({ attributes, count }) => [
    attributes['paperclip.duplex.channel.end'],
    count,
  ]);

describe('an opened duplex channel', () => {
  it('counts as open until it ends, and its end is counted once', async () => {
    const channel = await open(new Channel());
    expect(await active()).toEqual([1]);
    channel.stop();
    channel.stop();
    await channel.close();
    await channel.close();
    expect(await active()).toEqual([0]);
    expect(await ends()).toEqual([['stopped', 1]]);
    expect(channel.calls).toEqual([['stop'], ['stop'], ['close'], ['close']]);
    expect((await telemetry.histogram('paperclip.duplex.channel.duration'))[0]?.attributes).toEqual({
      'paperclip.environment.provider': 'daytona',
      'paperclip.duplex.channel.end': 'stopped',
    });
  });

  it.each([
    ['exit', { exitCode: 0 }],
    ['exit', { exitCode: null, transportClosed: false }],
    ['transport_closed', { exitCode: null, transportClosed: true }],
  ])('ended by %s: %o', async (end, exit) => {
    const channel = await open(new Channel());
    const listener = vi.fn();
    channel.onExit(listener);
    channel.exitListener?.(exit as never);
    await channel.close();
    expect(listener.mock.calls).toEqual([[exit]]);
    expect(await ends()).toEqual([[end, 1]]);
    expect(await active()).toEqual([0]);
  });

  it('counts bytes in both directions', async () => {
    const channel = await open(new Channel());
    const received: unknown[] = [];
    channel.onData((chunk) => received.push(chunk));
    const chunk = new Uint8Array(7);
    channel.write(new Uint8Array(5));
    channel.write('äö');
    channel.dataListener?.(chunk as never);
    channel.dataListener?.(chunk as never);
    expect(received).toEqual([chunk, chunk]);
    expect(received[0]).toBe(chunk);
    expect(await telemetry.counter('paperclip.duplex.channel.io')).toEqual([
      {
        attributes: { 'paperclip.environment.provider': 'daytona', 'network.io.direction': 'transmit' },
        value: 9,
      },
      {
        attributes: { 'paperclip.environment.provider': 'daytona', 'network.io.direction': 'receive' },
        value: 14,
      },
    ]);
  });

  it('is the same object, and no other channel of its class is touched', async () => {
    const channel = new Channel();
    const other = new Channel();
    expect(await open(channel)).toBe(channel);
    expect(Object.keys(channel)).toEqual(Object.keys(other));
    other.stop();
    expect(await active()).toEqual([1]);
    expect(await open(plainChannel())).toHaveProperty('write');
    expect(await active()).toEqual([2]);
  });

  it('throws and returns what it did before', async () => {
    const broken = Object.assign(new Channel(), {
      write() {
        throw new RangeError('closed');
      },
      onData: () => 'registered',
      close: async () => 'bye',
    });
    const channel = await open(broken);
    expect(() => channel.write()).toThrow(new RangeError('closed'));
    expect(channel.onData()).toBe('registered');
    expect(await channel.close()).toBe('bye');
    expect(await telemetry.counter('paperclip.duplex.channel.io')).toEqual([]);
  });

  it.each([
    ['is frozen', Object.freeze(plainChannel())],
    ['never says that it ended', { write() {} }],
    ['is no object', 'channel'],
  ])('that %s is left alone', async (_title, channel) => {
    expect(await open(channel)).toBe(channel);
    expect(await active()).toEqual([]);
  });

  it('counts once where the driver returns it again', async () => {
    const channel = new Channel();
    await open(channel);
    await open(channel);
    expect(await active()).toEqual([1]);
  });
});
