import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, type Played, play, stepOf } from './harness.js';

const OPTION = 'OTEL_INSTRUMENTATION_PAPERCLIP_';
const OFF = { [`${OPTION}PROVIDER_SPANS`]: 'false', [`${OPTION}PROPAGATE_CONTEXT`]: 'false' };
const CARRYING = { [`${OPTION}PROPAGATE_CONTEXT`]: 'true' };

interface Told {
  given: string;
  printed?: string[];
}

describe.each(NODES)('with the real worker of a provider, on $name', ({ path: node }) => {
  let bare: Played;
  let off: Played;
  let byDefault: Played;
  let carrying: Played;
  beforeAll(async () => {
    const scenarios = ['traces'];
    [bare, off] = await Promise.all([
      play({ node, scenarios, preload: false }),
      play({ node, scenarios, env: OFF }),
    ]);
    [byDefault, carrying] = await Promise.all([
      play({ node, scenarios }),
      play({ node, scenarios, env: CARRYING }),
    ]);
  });

  const tellings = ({ steps }: Played) => Object.entries(steps).map(([step, { seen }]) => ({ step, seen }));
  const told = (played: Played, step: string) => stepOf(played, step).seen.value as Told;
  /** Each span of the step and the name of its parent, in the order in which they ended. */
  const parents = (played: Played, step: string) => {
    const { spans } = stepOf(played, step).exported;
    return spans.map(({ name, parent }) => [name, parent === null ? null : spans[parent]?.name]);
  };
  /** What a process of the step finds in its environment that is told of the span. */
  const traceparentOf = (played: Played, step: string, span: string) => {
    const { exported, traceparents } = stepOf(played, step);
    return traceparents[exported.spans.findIndex(({ name }) => name === span)];
  };

  test.each([
    ['both options off', () => off],
    ['both as they are by default', () => byDefault],
  ])(
    'what reaches worker and sandbox is byte for byte what it is without us, with %s',
    (_options, played) => {
      expect(tellings(played())).toEqual(tellings(bare));
      expect(tellings(bare).filter(({ seen }) => 'rejected' in seen || 'thrown' in seen)).toEqual([]);
    },
  );

  describe('spans of the provider', () => {
    test.each([
      ['realize', 'realize_workspace sandbox', 'environmentRealizeWorkspace'],
      ['retry a teardown', 'retry_pending_sandbox_teardown sandbox', 'environmentDestroyLease'],
      ['destroy', 'destroy_run_lease sandbox', 'environmentDestroyLease'],
      ['acquire', 'acquire_run_lease sandbox', 'environmentAcquireLease'],
    ])('are children of the operation without a step: %s', (step, operation, hook) => {
      expect(parents(byDefault, step)).toEqual([
        [hook, operation],
        [operation, null],
      ]);
      expect(parents(off, step)).toEqual([[operation, null]]);
    });

    test.each([
      ['execute in a step', 'execute sandbox', 'environmentExecute'],
      ['open a channel in a step', 'open_duplex_channel sandbox', 'duplexChannelOpen'],
    ])('are children of the operation in a step: %s', (step, operation, hook) => {
      expect(parents(byDefault, step)).toEqual([
        [hook, operation],
        [operation, 'step'],
        ['step', null],
      ]);
      expect(parents(off, step)).toEqual([
        [hook, 'step'],
        [operation, 'step'],
        ['step', null],
      ]);
    });

    test.each([
      ['execute', 'execute sandbox'],
      ['open a channel', 'open_duplex_channel sandbox'],
    ])('are none where the driver decides by the step, and there is none: %s', (step, operation) => {
      expect(parents(byDefault, step)).toEqual([[operation, null]]);
    });

    test('are children of the release, although Paperclip plays the step of the last command back', () => {
      const release = [
        ['release_run_lease sandbox', 'release_run_leases'],
        ['release_run_leases', null],
      ];
      expect(parents(byDefault, 'release')).toEqual([
        ['environmentReleaseLease', 'release_run_lease sandbox'],
        ...release,
      ]);
      // The step of that command is not among the spans of this step.
      expect(parents(off, 'release')).toEqual([['environmentReleaseLease', undefined], ...release]);
    });
  });

  describe('with propagateContext', () => {
    test.each([
      ['execute', 'execute sandbox'],
      ['execute in a step', 'execute sandbox'],
      ['open a channel', 'open_duplex_channel sandbox'],
      ['open a channel in a step', 'open_duplex_channel sandbox'],
      ['a process in a step', 'step'],
    ])('the process is told of its operation: %s', (step, span) => {
      expect(told(carrying, step).printed).toEqual([traceparentOf(carrying, step, span)]);
    });

    test('it is told of the baggage', () => {
      const step = 'execute in a step, with baggage';
      expect(told(carrying, step).printed).toEqual([
        'BAGGAGE=team=a%20b',
        traceparentOf(carrying, step, 'execute sandbox'),
      ]);
    });

    test('what the host sets itself stays', () => {
      expect(told(carrying, 'execute with a context of its own').printed).toEqual([
        'BAGGAGE=host=1',
        'TRACEPARENT=host',
      ]);
      expect(told(carrying, 'a process with a context of its own').printed).toEqual(['TRACEPARENT=host']);
      expect(told(carrying, 'a process').printed).toEqual([]);
    });

    test('nothing but these variables differs', () => {
      const withoutVariables = (played: Played) =>
        Object.keys(played.steps).map((step) =>
          told(played, step)
            .given.replaceAll(/,?"(?:TRACEPARENT|BAGGAGE)":"(?:00-[^"]+|team=a%20b)"/g, '')
            .replaceAll('"env",', '')
            .replaceAll(/"TRACEPARENT=[^"]+",/g, ''),
        );
      expect(withoutVariables(carrying)).toEqual(withoutVariables(bare));
      expect(told(carrying, 'execute').given).not.toBe(told(bare, 'execute').given);
    });
  });
});
