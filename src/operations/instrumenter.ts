/** Instruments Paperclip's objects: the factory of the runtime service, the service, and its drivers. */
import { isObject } from '../lease/subject.js';
import { DRIVERS } from '../semconv.js';
import { attempt } from '../signals/faults.js';
import { disguise, disguiseMethod, type HostFunction } from './disguise.js';
import { findMethod, patchInPlace, type WrapMethod, type Wrappings } from './patch.js';
import { type Owner, type Slot, shared } from './shared.js';
import { standIn } from './stand-in.js';
import { type Level, OPERATIONS } from './table.js';

export class Instrumenter {
  /** What each object became: itself, or its stand-in. */
  readonly #instrumented = new WeakMap<object, object>();
  /** Drivers that were met in the host's hands. */
  readonly #met = new WeakSet<object>();
  readonly #factories = new WeakSet<HostFunction>();
  readonly #driver: Wrappings;
  readonly #service: Wrappings;

  constructor(private readonly owner: Owner) {
    this.#driver = this.#wrappings('driver');
    this.#service = new Map([
      ...this.#wrappings('service'),
      ['getDriver', (original: HostFunction) => this.#wrapGetDriver(original)] as const,
    ]);
  }

  /** The driver with its operations wrapped: the same object, or a stand-in where that cannot be changed. */
  driver<T extends object>(driver: T): T {
    return this.#instrument(driver, this.#driver);
  }

  /** The service with its operations and those of its drivers wrapped; the same object where possible. */
  runtime<T extends object>(service: T): T {
    const instrumented = this.#instrument(service, this.#service);
    // Service methods reach the drivers behind `getDriver`'s back, so the known ones are wrapped at once.
    this.#meetKnown(service);
    return instrumented;
  }

  /** Paperclip's `environmentRuntimeService`, whose services come back instrumented. */
  factory(original: HostFunction): HostFunction {
    if (this.#factories.has(original)) return original;
    const factory = disguise(original, (self, args) => {
      const service = Reflect.apply(original, self, args);
      if (!isObject(service)) return service;
      for (const driver of driversIn(args)) this.#meet(driver);
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

  /** A driver that stays in the host's hands. It cannot be exchanged, so a frozen one keeps its methods. */
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
      OPERATIONS.flatMap(({ name, method }) => {
        const key = method[level];
        return key === undefined ? [] : [[key, this.#wrapOperation(name, level)] as const];
      }),
    );
  }

  #wrapOperation(operation: string, level: Level): WrapMethod {
    return (original, onlyFor) => {
      const known = shared.wrappers.get(original);
      if (known !== undefined && (known.onlyFor === undefined || known.onlyFor === onlyFor)) {
        if (!known.owners.includes(this.owner)) known.owners.push(this.owner);
        return original;
      }
      const slot: Slot = { operation, level, original, onlyFor, owners: [this.owner] };
      const wrapper = disguiseMethod(original, dispatcher(slot));
      shared.wrappers.set(wrapper, slot);
      return wrapper;
    };
  }
}

/** Hands calls to the instance that records them, or to the host's method where none does. */
function dispatcher(slot: Slot): HostFunction {
  const { original, onlyFor, owners } = slot;
  const { method } = {
    method(this: unknown, ...args: unknown[]): unknown {
      if (onlyFor === undefined || (isObject(this) && onlyFor.has(this))) {
        const owner = owners.find((candidate) => candidate.isEnabled());
        if (owner !== undefined) return owner.run(slot, this, args);
      }
      return Reflect.apply(original, this, args);
    },
  };
  return method;
}

/** `environmentRuntimeService(db, { drivers })`. Only an array is read: another iterable may be used up by it. */
function driversIn([, options]: readonly unknown[]): readonly unknown[] {
  const find = () => (isObject(options) && Array.isArray(options.drivers) ? [...options.drivers] : []);
  return attempt('wrapping a driver or service failed', find) ?? [];
}
