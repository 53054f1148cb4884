/** Instruments Paperclip's objects: the factory of the runtime service, the service, and its drivers. */

import { attempt } from '../base/faults.js';
import { type HostFunction, isObject } from '../base/values.js';
import { type Level, OPERATIONS, type OperationRow } from '../operations/table.js';
import { DRIVERS } from '../semconv.js';
import { type Instance, type Slot, shared } from '../shared.js';
import { disguise, disguiseMethod } from '../wrap/disguise.js';
import { findMethod, patchInPlace, type WrapMethod, type Wrappings } from '../wrap/patch.js';
import { standIn } from '../wrap/stand-in.js';
import { recordedMethod } from './runner.js';

export class Instrumenter {
  /** The instrumented object of each object: itself, or its stand-in. */
  readonly #instrumented = new WeakMap<object, object>();
  /** Drivers that the host holds itself. */
  readonly #met = new WeakSet<object>();
  readonly #factories = new WeakSet<HostFunction>();
  readonly #driver: Wrappings;
  readonly #service: Wrappings;

  /** @param onDatabase called with the first argument of each call of the factory */
  constructor(
    private readonly instance: Instance,
    private readonly onDatabase: (database: unknown) => void,
  ) {
    this.#driver = this.#wrappings('driver');
    this.#service = new Map([
      ...this.#wrappings('service'),
      ['getDriver', (original: HostFunction) => this.#wrapGetDriver(original)] as const,
    ]);
  }

  isEnabled(): boolean {
    return this.instance.isEnabled();
  }

  /** The driver with its operations wrapped: the same object, or a stand-in if it cannot be changed. */
  driver<T extends object>(driver: T): T {
    return this.#instrument(driver, this.#driver);
  }

  /** The service with its operations and those of its drivers wrapped; the same object where possible. */
  runtime<T extends object>(service: T): T {
    const instrumented = this.#instrument(service, this.#service);
    // Service methods find the drivers without `getDriver`, so the known ones are wrapped at once.
    this.#meetKnown(service);
    return instrumented;
  }

  /** Wraps Paperclip's `environmentRuntimeService`, so that it returns instrumented services. */
  factory(original: HostFunction): HostFunction {
    if (this.#factories.has(original)) return original;
    const factory = disguise(original, (self, args) => {
      const service = Reflect.apply(original, self, args);
      if (!isObject(service)) return service;
      for (const driver of driversIn(args)) this.#meet(driver);
      this.onDatabase(args[0]);
      return this.runtime(service);
    });
    this.#factories.add(factory);
    return factory;
  }

  #instrument<T extends object>(target: T, wrappings: Wrappings): T {
    const before = this.#instrumented.get(target);
    if (before !== undefined) return before as T;
    const instrument = () => (patchInPlace(target, wrappings) ? target : standIn(target, wrappings));
    const instrumented = attempt('wrapping a driver or service failed', instrument) ?? target;
    this.#instrumented.set(target, instrumented);
    this.#instrumented.set(instrumented, instrumented);
    return instrumented;
  }

  #meetKnown(service: object): void {
    const getDriver = attempt('wrapping a driver or service failed', () => findMethod(service, 'getDriver'));
    if (getDriver === undefined) return;
    for (const key of DRIVERS) {
      attempt('wrapping a driver or service failed', () =>
        this.#meet(Reflect.apply(getDriver, service, [key])),
      );
    }
  }

  /** Wraps a driver that the host holds itself. It cannot be replaced by a stand-in, so a frozen one keeps its methods. */
  #meet(driver: unknown): void {
    if (!isObject(driver) || this.#met.has(driver) || this.#instrumented.has(driver)) return;
    this.#met.add(driver);
    attempt('wrapping a driver or service failed', () => {
      if (patchInPlace(driver, this.#driver)) this.#instrumented.set(driver, driver);
    });
  }

  #wrapGetDriver(original: HostFunction): HostFunction {
    return disguise(original, (self, args) => {
      const driver = Reflect.apply(original, self, args);
      this.#meet(driver);
      return driver;
    });
  }

  #wrappings(level: Level): Wrappings {
    return new Map(
      OPERATIONS.flatMap((row) => {
        const key = row.method[level];
        return key === undefined ? [] : [[key, this.#wrapOperation(row, level)] as const];
      }),
    );
  }

  #wrapOperation(row: OperationRow, level: Level): WrapMethod {
    return (original) => {
      const known = shared.wrappers.get(original);
      if (known !== undefined) {
        if (!known.instances.includes(this.instance)) known.instances.push(this.instance);
        return original;
      }
      const slot: Slot = { row, level, original, instances: [this.instance] };
      const wrapper = disguiseMethod(original, recordedMethod(slot));
      shared.wrappers.set(wrapper, slot);
      return wrapper;
    };
  }
}

/** `environmentRuntimeService(db, { drivers })`. Only an array is read, because reading can use up another iterable. */
function driversIn([, options]: readonly unknown[]): readonly unknown[] {
  const find = () => (isObject(options) && Array.isArray(options.drivers) ? [...options.drivers] : []);
  return attempt('wrapping a driver or service failed', find) ?? [];
}
