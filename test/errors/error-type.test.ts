import { expect, it } from 'vitest';
import { errorTypeOf } from '../../src/errors/error-type.js';

class LeaseGone extends Error {}
const withCode = (code: unknown) => Object.assign(new LeaseGone('x'), { code });

it.each([
  ['the tag before anything else', withCode('ECONNREFUSED'), 'some-tag', 'some-tag'],
  ['the code of the error', withCode('ECONNREFUSED'), undefined, 'ECONNREFUSED'],
  ['a code of 64 characters', withCode('A'.repeat(64)), undefined, 'A'.repeat(64)],
  ['no code of 65 characters', withCode('A'.repeat(65)), undefined, 'LeaseGone'],
  ['no code with other characters', withCode('lower-case'), undefined, 'LeaseGone'],
  ['no code that is a number', withCode(23505), undefined, 'LeaseGone'],
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
