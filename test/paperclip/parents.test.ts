import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, type Played, play, stepOf } from './harness.js';

const EXECUTE = 'execute sandbox';
const RELEASES = 'release_run_leases';
const RELEASE = 'release_run_lease sandbox';

describe.each(NODES)('the parent of an operation, on $name', ({ path }) => {
  let played: Played;
  beforeAll(async () => {
    played = await play({ node: path, scenarios: ['parents'] });
  });

  /** Each span of the step and the name of its parent, in the order in which they ended. */
  const parents = (step: string) => {
    const { spans } = stepOf(played, step).exported;
    return spans.map(({ name, parent }) => [
      name,
      parent === null ? null : (spans[parent]?.name ?? 'unknown'),
    ]);
  };

  test.each([['in a step'], ['in a step, after a timer'], ['in a step, through the service']])(
    "is the span of Paperclip's own step where no span is active: %s",
    (step) => {
      expect(parents(step)).toEqual([
        [EXECUTE, 'bridge.paperclip'],
        ['bridge.paperclip', null],
      ]);
    },
  );

  test('is the innermost step', () => {
    expect(parents('in a step in a step')).toEqual([
      [EXECUTE, 'inner'],
      ['inner', null],
      ['outer', null],
    ]);
  });

  test('is the same step for two operations at once', () => {
    expect(parents('in a step, two at once')).toEqual([
      [EXECUTE, 'bridge.paperclip'],
      [EXECUTE, 'bridge.paperclip'],
      ['bridge.paperclip', null],
    ]);
  });

  test('is its own step where two run at once', () => {
    expect(parents('in two steps at once')).toEqual([
      [EXECUTE, 'second'],
      ['second', null],
      [EXECUTE, 'first'],
      ['first', null],
    ]);
  });

  test('is the operation that it is part of, and that one has the step', () => {
    expect(parents('in a step, an operation of several')).toEqual([
      [RELEASE, RELEASES],
      [RELEASES, 'bridge.paperclip'],
      ['bridge.paperclip', null],
    ]);
  });

  test.each([
    ['under the runtime parent', 'run'],
    ['in a runtime span', 'session.turn'],
  ])('is the span of the run, after its start: %s', (step, run) => {
    expect(parents(step)).toEqual([
      [EXECUTE, run],
      [run, null],
    ]);
  });

  test('is the active span, whatever the step', () => {
    expect(parents('with an active span')).toEqual([
      [EXECUTE, 'request'],
      ['request', null],
    ]);
    expect(parents('in a step, with an active span')).toEqual([
      [EXECUTE, 'request'],
      ['request', null],
      ['bridge.paperclip', null],
    ]);
    expect(parents('with an active span, in a step')).toEqual([
      [EXECUTE, 'request'],
      ['bridge.paperclip', 'request'],
      ['request', null],
    ]);
  });

  test('is none where there is neither', () => {
    expect(parents('with neither')).toEqual([[EXECUTE, null]]);
    expect(parents('in a step without tracing')).toEqual([[EXECUTE, null]]);
    expect(parents('in a step that is left')).toEqual([
      [EXECUTE, null],
      ['bridge.paperclip', null],
    ]);
    expect(parents('after a step')).toEqual([
      ['bridge.paperclip', null],
      [EXECUTE, null],
    ]);
  });
});
