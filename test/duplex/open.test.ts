import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openDuplexChannelWithRecovery, type PaperclipInstrumentation } from '../../src/index.js';
import {
  completeLease,
  environment,
  type HostDriver,
  incompleteLease,
  type LeaseInput,
  MISSING,
  makeDriver,
  nonPluginLease,
  UNSUPPORTED,
} from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

type Lease = LeaseInput['lease'];

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
let driver: HostDriver;
beforeEach(() => {
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument();
  driver = instrumentation.instrumentDriver(makeDriver());
  return () => instrumentation.disable();
});

const open = (lease: Lease) => driver.openDuplexChannel({ environment, lease });
const execute = (lease: Lease) => driver.execute({ environment, lease });
const acquire = async (): Promise<Lease> => {
  await driver.acquireRunLease({ ...completeLease, environment });
  return completeLease;
};

async function counts(name: string): Promise<Record<string, unknown>[]> {
  return (await telemetry.counter(name)).map(({ attributes, value }) => ({ ...attributes, value }));
}
const requests = () => counts('paperclip.duplex.requests');
const reacquires = () => counts('paperclip.lease.reacquires');
/** What a lease that names no provider is counted under. */
const noProvider = {};
const daytona = { 'paperclip.environment.provider': 'daytona' };

describe('a lease that can open a channel', () => {
  it('gives the channel', async () => {
    const result = await openDuplexChannelWithRecovery({ lease: completeLease, open, execute, acquire });
    expect(result).toEqual({
      via: 'channel',
      lease: completeLease,
      channel: { write: expect.any(Function) },
    });
    expect(telemetry.spanNames()).toEqual(['open_duplex_channel sandbox']);
    expect(await requests()).toEqual([{ ...daytona, 'paperclip.duplex.outcome': 'opened', value: 1 }]);
    expect(await reacquires()).toEqual([]);
  });

  it('gives an error that is none to recover from unchanged', async () => {
    const error = Object.freeze(new Error('worker is gone'));
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease,
      open: () => Promise.reject(error),
      execute,
      acquire,
    });
    await expect(failing).rejects.toBe(error);
    expect(await requests()).toEqual([
      { ...daytona, 'paperclip.duplex.outcome': 'failed', 'error.type': 'Error', value: 1 },
    ]);
  });
});

describe('an unsupported operation', () => {
  it('that the lease shows is not tried: the work is executed at once', async () => {
    const result = await openDuplexChannelWithRecovery({ lease: nonPluginLease, open, execute });
    expect(result).toEqual({
      via: 'execute',
      lease: nonPluginLease,
      result: expect.objectContaining({ exitCode: 3 }),
    });
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
    expect(telemetry.span().attributes['paperclip.recovery.kind']).toBe('fallback');
    expect(await requests()).toEqual([
      {
        ...noProvider,
        'paperclip.duplex.outcome': 'fallback',
        'paperclip.duplex.fallback.reason': 'unsupported-driver-operation',
        value: 1,
      },
    ]);
  });

  it('that only the driver knows of falls back, linked to the refusal', async () => {
    const error = new Error(UNSUPPORTED);
    const refusing = instrumentation.instrumentDriver({
      openDuplexChannel: async (_input: object) => Promise.reject(error),
    });
    const result = await openDuplexChannelWithRecovery({
      lease: completeLease,
      open: (lease) => refusing.openDuplexChannel({ environment, lease }),
      execute,
    });
    expect(result).toMatchObject({ via: 'execute', refusal: error });
    const [refused, executed] = telemetry.spans();
    expect(executed?.links[0]?.context.spanId).toBe(refused?.spanContext().spanId);
    expect(await requests()).toEqual([
      {
        ...daytona,
        'paperclip.duplex.outcome': 'fallback',
        'paperclip.duplex.fallback.reason': 'unsupported-driver-operation',
        'error.type': 'unsupported-driver-operation',
        value: 1,
      },
    ]);
  });

  it('without a way to execute gives what the driver throws', async () => {
    await expect(openDuplexChannelWithRecovery({ lease: nonPluginLease, open })).rejects.toThrow(UNSUPPORTED);
    expect(await requests()).toEqual([
      {
        ...noProvider,
        'paperclip.duplex.outcome': 'failed',
        'error.type': 'unsupported-driver-operation',
        value: 1,
      },
    ]);
  });

  it('whose fallback fails gives that error, caused by the refusal, and counts one fallback', async () => {
    const refusal = new Error(UNSUPPORTED);
    const failure = new Error('no space left');
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease,
      open: () => Promise.reject(refusal),
      execute: () => Promise.reject(failure),
    });
    await expect(failing).rejects.toBe(failure);
    expect(failure.cause).toBe(refusal);
    expect((await requests()).map((point) => point['paperclip.duplex.outcome'])).toEqual(['fallback']);
  });
});

describe('missing metadata', () => {
  const refusing = () => Promise.reject(new Error(MISSING));
  const outcome = (name: string, attributes = daytona) => [
    { ...attributes, 'paperclip.lease.reacquire.outcome': name, value: 1 },
  ];

  it('that the lease shows is not tried: a fresh lease is acquired at once', async () => {
    const result = await openDuplexChannelWithRecovery({ lease: incompleteLease, open, acquire });
    expect(result).toMatchObject({ via: 'channel', lease: completeLease });
    expect(telemetry.spanNames()).toEqual(['acquire_run_lease sandbox', 'open_duplex_channel sandbox']);
    expect(telemetry.spans().map(({ attributes }) => attributes['paperclip.recovery.kind'])).toEqual([
      'reacquire',
      'reacquire',
    ]);
    expect(await reacquires()).toEqual(outcome('succeeded', noProvider as never));
    expect(await requests()).toEqual([{ 'paperclip.duplex.outcome': 'opened', value: 1 }]);
  });

  it('is counted under the provider of the lease itself where its metadata has lost it', async () => {
    const lease = { ...incompleteLease, provider: 'daytona' } as Lease;
    await openDuplexChannelWithRecovery({ lease, open, acquire });
    expect(await reacquires()).toEqual(outcome('succeeded'));
    expect(await requests()).toEqual([{ ...daytona, 'paperclip.duplex.outcome': 'opened', value: 1 }]);
  });

  it('that only the driver knows of acquires once and tries once more', async () => {
    const tried: unknown[] = [];
    const result = await openDuplexChannelWithRecovery({
      lease: completeLease,
      open: async (lease) => {
        tried.push(lease);
        if (tried.length === 1) throw new Error(MISSING);
        return 'channel';
      },
      acquire: async () => ({ ...completeLease, id: 'fresh' }),
    });
    expect(result).toMatchObject({ via: 'channel', channel: 'channel', lease: { id: 'fresh' } });
    expect(tried).toHaveLength(2);
    expect(await reacquires()).toEqual(outcome('succeeded'));
    expect(
      (await telemetry.histogram('paperclip.lease.reacquire.duration')).map(({ count }) => count),
    ).toEqual([1]);
  });

  it('that is still missing gives the second error, caused by the first, and never loops', async () => {
    const acquireOnce = vi.fn(async () => completeLease as Lease);
    const errors: Error[] = [];
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease as Lease,
      open: async () => {
        const error = new Error(MISSING);
        errors.push(error);
        throw error;
      },
      acquire: acquireOnce,
      execute,
    });
    await expect(failing).rejects.toBe(await failing.catch((error) => error));
    expect(errors).toHaveLength(2);
    expect(errors[1]?.cause).toBe(errors[0]);
    expect(acquireOnce).toHaveBeenCalledTimes(1);
    expect(await reacquires()).toEqual(outcome('still_incomplete'));
    expect((await requests()).map((point) => point['paperclip.duplex.outcome'])).toEqual(['failed']);
  });

  it('whose fresh lease turns out to be unsupported falls back on that lease', async () => {
    const result = await openDuplexChannelWithRecovery<Lease, unknown, unknown>({
      lease: incompleteLease,
      open,
      acquire: async () => nonPluginLease,
      execute,
    });
    expect(result).toMatchObject({ via: 'execute', lease: nonPluginLease, refusal: new Error(UNSUPPORTED) });
    expect(await reacquires()).toEqual(outcome('operation_failed', noProvider as never));
    expect((await requests()).map((point) => point['paperclip.duplex.outcome'])).toEqual(['fallback']);
  });

  it('whose acquire fails gives that error, caused by the first', async () => {
    const failure = new Error('quota');
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease,
      open: refusing,
      acquire: () => Promise.reject(failure),
    });
    await expect(failing).rejects.toBe(failure);
    expect(failure.cause).toEqual(new Error(MISSING));
    expect(await reacquires()).toEqual(outcome('acquire_failed'));
  });

  it('without a way to acquire gives what the driver throws', async () => {
    await expect(openDuplexChannelWithRecovery({ lease: incompleteLease, open, execute })).rejects.toThrow(
      MISSING,
    );
    expect(await reacquires()).toEqual([]);
  });

  it('is not counted by correlation again', async () => {
    const steps = { lease: incompleteLease as Lease, open, acquire };
    await openDuplexChannelWithRecovery({
      ...steps,
      lease: { ...incompleteLease, providerLeaseId: 'x' } as never,
    });
    await openDuplexChannelWithRecovery(steps);
    instrumentation.disable();
    expect((await reacquires()).map(({ value }) => value)).toEqual([2]);
    expect((await requests()).map(({ value }) => value)).toEqual([2]);
  });
});

describe('an abort signal', () => {
  const reason = new Error('stopped');

  it('that is aborted already ends the attempt before anything is called', async () => {
    const never = vi.fn();
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease,
      open: never,
      signal: AbortSignal.abort(reason),
    });
    await expect(failing).rejects.toBe(reason);
    expect(never).not.toHaveBeenCalled();
  });

  it('ends an open under way, and the channel that still opens is closed', async () => {
    const controller = new AbortController();
    const close = vi.fn(async () => {
      throw new Error('already closed');
    });
    let finish: (channel: unknown) => void = () => {};
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease,
      open: () => new Promise((resolve) => (finish = resolve)),
      signal: controller.signal,
    });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    await expect(failing).rejects.toBe(reason);
    finish({ close });
    await new Promise((resolve) => setImmediate(resolve));
    expect(close).toHaveBeenCalledTimes(1);
    expect(reason).not.toHaveProperty('cause');
  });

  it.each([
    ['is none', 'open', []],
    ['is not_attempted', 'acquire', ['not_attempted']],
    ['is not_retried', 'retry', ['not_retried']],
  ])('cancels the request, and the re-acquire %s, when it comes in the %s', async (_is, step, expected) => {
    const controller = new AbortController();
    let opens = 0;
    const failing = openDuplexChannelWithRecovery({
      lease: completeLease as Lease,
      open: async () => {
        opens += 1;
        if (step === (opens === 1 ? 'open' : 'retry')) controller.abort(reason);
        throw new Error(MISSING);
      },
      acquire: async () => {
        if (step === 'acquire') controller.abort(reason);
        return completeLease as Lease;
      },
      signal: controller.signal,
    });
    await expect(failing).rejects.toBe(reason);
    expect((await reacquires()).map((point) => point['paperclip.lease.reacquire.outcome'])).toEqual(expected);
    expect(await requests()).toEqual([
      { 'paperclip.environment.provider': 'daytona', 'paperclip.duplex.outcome': 'cancelled', value: 1 },
    ]);
  });

  it('that comes when a fallback has begun takes nothing back', async () => {
    const controller = new AbortController();
    const failing = openDuplexChannelWithRecovery({
      lease: nonPluginLease,
      open,
      execute: async () => controller.abort(reason),
      signal: controller.signal,
    });
    await expect(failing).rejects.toBe(reason);
    expect((await requests()).map((point) => point['paperclip.duplex.outcome'])).toEqual(['fallback']);
  });
});

it('works without any instrumentation', async () => {
  instrumentation.disable();
  const plain = makeDriver();
  const result = await openDuplexChannelWithRecovery({
    lease: nonPluginLease,
    open: (lease) => plain.openDuplexChannel({ environment, lease }),
    execute: (lease) => plain.execute({ environment, lease }),
  });
  expect(result.via).toBe('execute');
});
