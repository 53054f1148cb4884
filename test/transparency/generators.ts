import fc from 'fast-check';
import { OPERATIONS } from '../../src/operations/table.js';
import * as spec from './spec.js';

const OPERATION_KEYS = [
  ...new Set(
    OPERATIONS.flatMap(({ method }) => [method.driver, method.service].filter((key) => key !== undefined)),
  ),
];
const EXTRA = Symbol('extra');
const primitive = fc.constantFrom<unknown>(
  undefined,
  null,
  0,
  -0,
  Number.NaN,
  '',
  'text',
  7n,
  true,
  Symbol.for('shared'),
);
/** A function as a property is a method, and is described as one. */
const noFunction = fc.record({
  thing: fc.constantFrom(...spec.THINGS.filter((thing) => thing !== 'function')),
});
const value: fc.Arbitrary<spec.ValueSpec> = fc.oneof(
  fc.record({ thing: fc.constantFrom(...spec.THINGS) }),
  fc.record({ primitive }),
);

/** A promise of a revoked proxy fails, too. */
const succeeds = { fails: false, value: { thing: 'object' } } as const;

const outcome: fc.Arbitrary<spec.OutcomeSpec> = fc
  .record({
    way: fc.oneof(
      fc.constantFrom<spec.Way>('plainly', 'by promise', 'by the same promise each time'),
      fc.constantFrom(...spec.WAYS),
    ),
    fails: fc.boolean(),
    later: fc.boolean(),
    value,
  })
  // Who shares a promise that fails with whom decides whether that is handled; it has a property of its own.
  .map((made) => (made.way.startsWith('by the same promise') ? { ...made, ...succeeds } : made));

/** Calls and reads, three in four, what the object has. */
function aimed(made: spec.Scenario & { aims: readonly number[] }): spec.Scenario {
  const { aims, ...scenario } = made;
  const steps = scenario.steps.map((step, index): spec.Step => {
    if (step.do !== 'call' && step.do !== 'read') return step;
    const isDriver = scenario.wayIn === 'instrumentDriver' || step.subject === 1;
    const { properties } = isDriver ? scenario.driver : scenario.service;
    const aim = aims[index] ?? 0;
    return aim % 4 === 0 ? step : { ...step, key: properties[aim % properties.length]?.key ?? step.key };
  });
  return { ...scenario, steps };
}

/** Scenarios with methods of these names. */
function scenariosOver(key: fc.Arbitrary<PropertyKey>, argument: fc.Arbitrary<spec.ValueSpec>) {
  const inner: fc.Arbitrary<spec.InnerCall> = fc.record({
    on: fc.constantFrom('this', 'subject', 'super'),
    key,
    follow: fc.constantFrom('await', 'return', 'drop'),
  });

  const fn: fc.Arbitrary<spec.FunctionSpec> = fc.record({
    form: fc.oneof(
      fc.constantFrom<spec.FunctionSpec['form']>('async method', 'method', 'arrow'),
      fc.constantFrom(...spec.FORMS),
    ),
    length: fc.nat(3),
    inner: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(inner, { maxLength: 2 })),
    outcome,
  });

  const property = (...places: spec.PropertySpec['place'][]): fc.Arbitrary<spec.PropertySpec> =>
    fc
      .record({
        key,
        place: fc.constantFrom(...places),
        hold: fc.oneof(fc.constant<spec.PropertySpec['hold']>('value'), fc.constantFrom(...spec.HOLDS)),
        isEnumerable: fc.boolean(),
        value: fc.oneof({ weight: 9, arbitrary: fc.oneof(fn) }, noFunction),
      })
      // As classes have them.
      .map((made) => (made.place === 'own' ? made : { ...made, isEnumerable: false }));

  const subject = (...places: spec.PropertySpec['place'][]): fc.Arbitrary<spec.SubjectSpec> =>
    fc.record({
      base: fc.constantFrom('literal', 'null prototype', 'Object.create', 'class', 'subclass'),
      properties: fc.array(property(...places), { minLength: 1, maxLength: 6 }),
      state: fc.constantFrom('open', 'open', 'open', 'not extensible', 'sealed', 'frozen'),
      isPrototypeFrozen: fc.constantFrom(false, false, false, true),
      proxy: fc.constantFrom('none', 'none', 'none', 'none', 'transparent', 'telling'),
    });

  /** What is instrumented, or one of two that are not: see `Host`. */
  const which = fc.constantFrom(0, 0, 1, 1, 2);
  const call = fc.record({
    do: fc.constant('call' as const),
    subject: which,
    key,
    how: fc.oneof(
      fc.constant('method' as const),
      fc.constantFrom<Extract<spec.Step, { do: 'call' }>['how']>(
        'method',
        'detached',
        'other this',
        'apply',
        'bind',
        'new',
        'inherited',
      ),
    ),
    args: fc.array(argument, {
      maxLength: 3,
    }),
    follow: fc.constantFrom<Extract<spec.Step, { do: 'call' }>['follow']>(
      'await',
      'await later',
      'drop',
      'await twice',
    ),
  });
  const settle = fc.constant({ do: 'settle' } as const);
  const look = fc.record({ do: fc.constant('look' as const), subject: which });
  const change = fc.oneof(
    fc.record({ do: fc.constant('read' as const), subject: which, key }),
    fc.record({ do: fc.constant('assign' as const), subject: which, key, value: property('own') }),
    fc.record({ do: fc.constant('define' as const), subject: which, value: property('own') }),
    fc.record({ do: fc.constant('delete' as const), subject: which, key }),
    fc.record({
      do: fc.constant('restrict' as const),
      subject: which,
      how: fc.constantFrom(
        'preventExtensions' as const,
        'seal' as const,
        'freeze' as const,
        'setPrototypeOf' as const,
      ),
    }),
  );
  const toggle = fc.constant({ do: 'toggle' } as const);

  /** Mostly calls, with several under way at once. */
  const calls: fc.Arbitrary<spec.Step[]> = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: call },
      { weight: 2, arbitrary: settle },
      { weight: 1, arbitrary: toggle },
    ),
    { minLength: 3, maxLength: 8 },
  );
  /** Mostly looking at objects and changing them, with a call now and then. */
  const looks: fc.Arbitrary<spec.Step[]> = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: change },
      { weight: 2, arbitrary: look },
      { weight: 2, arbitrary: call },
    ),
    { minLength: 3, maxLength: 8 },
  );

  const scenario = (
    wayIn: spec.WayIn,
    steps: fc.Arbitrary<spec.Step[]>,
    subject: fc.Arbitrary<spec.SubjectSpec>,
  ): fc.Arbitrary<spec.Scenario> =>
    fc
      .record({
        wayIn: fc.constant(wayIn),
        mode: fc.oneof(
          { weight: 4, arbitrary: fc.constant<spec.Mode>('recording') },
          { weight: 5, arbitrary: fc.constantFrom(...spec.MODES) },
        ),
        driver: subject,
        service: subject,
        steps,
        aims: fc.array(fc.nat(23), { minLength: 8, maxLength: 8 }),
      })
      .map(aimed);
  return {
    calls: (wayIn: spec.WayIn) => scenario(wayIn, calls, subject('own', 'prototype', 'base prototype')),
    // Changing a property shows that it covers an inherited method.
    looks: (wayIn: spec.WayIn) => scenario(wayIn, looks, subject('own')),
  };
}

/** Names that mean nothing to the instrumentation. */
const other = fc.constantFrom<PropertyKey>('peek', 'toString', '7', EXTRA, Symbol.iterator);

/** Operations of drivers and services; few of them often, so that calls inside of calls find a method. */
export const scenarios = scenariosOver(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('execute', 'acquireRunLease', 'openDuplexChannel', 'syncIn') },
    { weight: 2, arbitrary: fc.constantFrom(...OPERATION_KEYS) },
    { weight: 1, arbitrary: other },
  ),
  fc.oneof(
    fc.record({ thing: fc.constantFrom<spec.Thing>('input', 'input of a command', 'input of an acquire') }),
    value,
  ),
);

/** Methods of duplex channels. Listeners are another matter: a channel is given others than its caller's. */
export const channelScenarios = scenariosOver(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('write', 'onData', 'onExit', 'stop', 'close') },
    { weight: 1, arbitrary: other },
  ),
  fc.oneof(noFunction, fc.record({ primitive })),
);
