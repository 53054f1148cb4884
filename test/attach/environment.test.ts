import { expect, it } from 'vitest';
import { isSwitchedOn } from '../../src/attach/environment.js';

it.each([
  [{}, true],
  [{ OTEL_SDK_DISABLED: 'false' }, true],
  [{ OTEL_SDK_DISABLED: ' TRUE ' }, false],
  [{ OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http, paperclip' }, true],
  [{ OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http' }, false],
  [{ OTEL_NODE_ENABLED_INSTRUMENTATIONS: '' }, true],
  [{ OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'http' }, true],
  [{ OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'http,paperclip' }, false],
  [
    { OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'paperclip', OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'paperclip' },
    false,
  ],
])('with %j the instrumentation is on: %s', (env, expected) => {
  expect(isSwitchedOn(env)).toBe(expected);
});
