/** Copies of a call's arguments in which environment variables are passed on. The host's own objects are only read. */
import { types } from 'node:util';
import { isObject } from '../base/values.js';

/** Environment variables, by name. */
export type Variables = Readonly<Record<string, string>>;

/** One field of what describes the trace makes no sense without the other. */
const OF_THE_TRACE = ['TRACEPARENT', 'TRACESTATE'];

/**
 * The input with the variables in its `env`, but without those that the host has set itself.
 *
 * @returns nothing where none is left, or where the input cannot be copied without the host noticing
 */
export function withEnvironment(input: unknown, variables: Variables): object | undefined {
  if (!isPlain(input)) return undefined;
  const field = Object.getOwnPropertyDescriptor(input, 'env') ?? { value: undefined };
  const env = 'value' in field ? (field.value ?? {}) : undefined;
  if (!isPlain(env)) return undefined;
  const isSet = (name: string) => Object.hasOwn(env, name);
  const hasTrace = OF_THE_TRACE.some(isSet);
  const added = Object.entries(variables).filter(
    ([name]) => !isSet(name) && !(hasTrace && OF_THE_TRACE.includes(name)),
  );
  if (added.length === 0) return undefined;
  const withAdded = added.reduce((copy, [name, value]) => copyWith(copy, name, value), env);
  return copyWith(input, 'env', withAdded);
}

/**
 * The input with the variables set for its `command`, a program with its arguments, by the utility `env`. Paperclip starts the
 * command of a channel by it as well (`buildDuplexGatewayLaunchArgv` of `@paperclipai/adapter-utils`), so a variable that the
 * host sets itself wins.
 *
 * @returns nothing where there is no variable, or where the input cannot be copied without the host noticing
 */
export function withCommand(input: unknown, variables: Variables): object | undefined {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  if (!isPlain(input) || assignments.length === 0) return undefined;
  const command: unknown = Object.getOwnPropertyDescriptor(input, 'command')?.value;
  if (!Array.isArray(command) || types.isProxy(command)) return undefined;
  const [program, ...rest] = command as unknown[];
  // `env` would take a program with this sign in its name for another variable.
  if (typeof program !== 'string' || program.includes('=')) return undefined;
  return copyWith(input, 'command', ['env', ...assignments, program, ...rest]);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isObject(value) || types.isProxy(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A copy that calls no getter. */
function copyWith(object: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  const property = { value, writable: true, enumerable: true, configurable: true };
  const properties = { ...Object.getOwnPropertyDescriptors(object), [key]: property };
  return Object.create(Object.getPrototypeOf(object), properties);
}
