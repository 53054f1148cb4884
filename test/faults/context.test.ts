import { type ContextManager, context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUnnoticed, playInstrumented, playPlain } from './harness.js';

let plain: string[];
beforeAll(async () => {
  plain = await playPlain();
});

const real = new AsyncLocalStorageContextManager().enable();
function use(broken: Partial<ContextManager>): void {
  context.disable();
  const manager: ContextManager = {
    active: () => real.active(),
    with: (active, fn, self, ...args) => real.with(active, fn, self, ...args),
    bind: (active, target) => real.bind(active, target),
    enable: () => manager,
    disable: () => manager,
    ...broken,
  };
  context.setGlobalContextManager(manager);
}
afterAll(() => use({}));

const ACTIVATING = 'activating a span failed';
const throwing = () => {
  throw new Error('fault');
};

/** The SDK's metric reader waits half a minute for an export that is not called. */
function isReader(): boolean {
  return new Error().stack?.includes('MetricReader') ?? false;
}

type Call = () => void;
/** What a manager does instead of calling in a context, and what is said of it. */
const MANAGERS: [what: string, broken: (call: Call) => unknown, said: string[]][] = [
  ['throws', throwing, [ACTIVATING]],
  ['throws after the call', (call) => [call(), throwing()], [ACTIVATING]],
  ['does not call', () => undefined, []],
  ['returns a promise', async (call) => call(), []],
];

describe('a context manager', () => {
  it.each(MANAGERS)('that %s leaves each call of the host one call', async (_what, broken, said) => {
    const instead: ContextManager['with'] = (active, fn, self, ...args) =>
      isReader()
        ? real.with(active, fn, self, ...args)
        : (broken(() => Reflect.apply(fn, self, args)) as never);
    const played = await playInstrumented(undefined, () => use({ with: instead }));
    use({});
    expect(expectUnnoticed(played, plain)).toEqual(said);
  });

  it('that does not know the active context leaves operations unrecorded', async () => {
    const played = await playInstrumented(undefined, () => use({ active: throwing }));
    use({});
    expect(expectUnnoticed(played, plain)).toEqual(['starting a span failed']);
  });
});
