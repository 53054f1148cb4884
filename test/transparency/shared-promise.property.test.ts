/**
 * Callers that are given one promise, through methods that call each other: a rejection is unhandled if none of
 * them handles it, and only then.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { runs } from '../support/runs.js';
import { noticesNothing } from './compare.js';
import { watchRejections } from './run.js';
import type { FunctionSpec, InnerCall, PropertySpec, Scenario, Step, SubjectSpec, Way } from './spec.js';

const numRuns = runs(3_000);

let stopWatching = () => {};
beforeAll(() => {
  stopWatching = watchRejections();
});
afterAll(() => stopWatching());

const passesOn = (
  way: Way,
  key: string,
  form: FunctionSpec['form'],
  ...inner: InnerCall[]
): PropertySpec => ({
  key,
  place: 'own',
  hold: 'value',
  isEnumerable: true,
  value: {
    form,
    length: 1,
    inner,
    outcome: { way, fails: true, later: false, value: { thing: 'error' } },
  },
});
const object = (properties: PropertySpec[]): SubjectSpec => ({
  base: 'literal',
  properties,
  state: 'open',
  isPrototypeFrozen: false,
  proxy: 'none',
});
const driver = (way: Way) =>
  object([
    passesOn(way, 'execute', 'method'),
    passesOn(way, 'syncIn', 'method', { on: 'this', key: 'execute', follow: 'return' }),
    passesOn(way, 'syncOut', 'async method', { on: 'this', key: 'syncIn', follow: 'return' }),
  ]);
const service = (way: Way) =>
  object([
    passesOn(way, 'execute', 'arrow', { on: 'subject', key: 'execute', follow: 'return' }),
    passesOn(way, 'syncIn', 'method', { on: 'subject', key: 'execute', follow: 'return' }),
    passesOn(way, 'syncOut', 'method', { on: 'this', key: 'syncIn', follow: 'return' }),
  ]);
const way = fc.constantFrom<Way>(
  'by the same promise each time',
  'by the same promise of a subclass each time',
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      subject: fc.nat(1),
      key: fc.constantFrom('execute', 'syncIn', 'syncOut'),
      how: fc.constant('method' as const),
      args: fc.constant([]),
      follow: fc.constantFrom<Extract<Step, { do: 'call' }>['follow']>(
        'await',
        'await later',
        'drop',
        'await twice',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'settle' }) },
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
  wayIn: fc.constantFrom('instrumentRuntime', 'module'),
  mode: fc.constantFrom('recording', 'sampled out', 'no SDK', 'two instances'),
  driver: way.map(driver),
  service: way.map(service),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
});

it(
  'a rejection that callers share is unhandled where it would have been',
  () =>
    fc.assert(
      fc.asyncProperty(scenario, (made) => noticesNothing(made)),
      { numRuns },
    ),
  0,
);
