import { expect, it } from 'vitest';
import { errorTypeOf } from '../../src/errors/error-type.js';

class LeaseGone extends Error {}
/** As in `@paperclipai/plugin-sdk`; the tests on the real server have the real one. */
class JsonRpcCallError extends Error {
  constructor(readonly code: unknown) {
    super('x');
  }
}
const withCode = (code: unknown) => Object.assign(new LeaseGone('x'), { code });

it.each([
  ['the tag before anything else', withCode('ECONNREFUSED'), 'some-tag', 'some-tag'],
  ['the code of the error', withCode('ECONNREFUSED'), undefined, 'ECONNREFUSED'],
  ['a code of 64 characters', withCode('A'.repeat(64)), undefined, 'A'.repeat(64)],
  ['no code of 65 characters', withCode('A'.repeat(65)), undefined, 'LeaseGone'],
  ['no code with other characters', withCode('lower-case'), undefined, 'LeaseGone'],
  ['no code that is a number', withCode(23505), undefined, 'LeaseGone'],
  ['the name of a code of the worker protocol', new JsonRpcCallError(-32003), undefined, 'TIMEOUT'],
  ['the name of a code of JSON-RPC itself', new JsonRpcCallError(-32601), undefined, 'METHOD_NOT_FOUND'],
  ['the class for a code that has no name', new JsonRpcCallError(429), undefined, 'JsonRpcCallError'],
  ['the class for a code that is no number', new JsonRpcCallError('-32003'), undefined, 'JsonRpcCallError'],
  ['no name of a code on an error of another class', withCode(-32003), undefined, 'LeaseGone'],
  ['AbortError of what was aborted', new DOMException('x', 'AbortError'), undefined, 'AbortError'],
  ['TimeoutError of what was timed out', new DOMException('x', 'TimeoutError'), undefined, 'TimeoutError'],
  ['the class of any other DOMException', new DOMException('x', 'user 4711'), undefined, 'DOMException'],
  ['the class of the error', new LeaseGone('x'), undefined, 'LeaseGone'],
  [
    'the class, not the writable name',
    Object.assign(new TypeError('x'), { name: 'user 4711' }),
    undefined,
    'TypeError',
  ],
  ['the class of a thrown object', { message: 'x' }, undefined, 'Object'],
  ['_OTHER for an object without a class', Object.create(null), undefined, '_OTHER'],
  ['_OTHER for a class without a name', new (class extends Error {})('x'), undefined, '_OTHER'],
  ['_OTHER for a thrown string', 'text', undefined, '_OTHER'],
  ['_OTHER for undefined', undefined, undefined, '_OTHER'],
  ['_OTHER for null', null, undefined, '_OTHER'],
])('is %s', (_rule, error, tag, expected) => {
  expect(errorTypeOf(error, tag)).toBe(expected);
});
