/**
 * The seam between this package and the API: every object that the API hands out is shown through a proxy, which
 * knows what is called on it and can make one member misbehave.
 */

/** What a member does instead of its work. */
export const MISBEHAVIOURS = {
  throws: () => {
    throw new Error('fault');
  },
  'returns undefined': () => undefined,
  'returns null': () => null,
  'returns a number': () => 7,
  'returns a text': () => 'x'.repeat(1e6),
  'returns a function': () => () => 'x',
  'returns a list': () => [{}],
  'returns a revoked proxy': () => revoked(),
  'returns what throws at every touch': () => untouchable(),
} as const;
export type Misbehaviour = keyof typeof MISBEHAVIOURS;

/** An object that throws whatever is done with it, also as a function. */
export function untouchable(): object {
  const traps = new Proxy(
    {},
    {
      get: () => () => {
        throw new RangeError('touched');
      },
    },
  );
  return new Proxy(() => {}, traps);
}

/** An object that throws whatever is done with it, because it was revoked. */
export function revoked(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Which interface of the API the result of a call has. */
const RESULTS: Readonly<Record<string, string>> = {
  'trace.getTracerProvider': 'TracerProvider',
  'TracerProvider.getDelegate': 'TracerProvider',
  'TracerProvider.getTracer': 'Tracer',
  'Tracer.startSpan': 'Span',
  'metrics.getMeterProvider': 'MeterProvider',
  'MeterProvider.getMeter': 'Meter',
  'Meter.createHistogram': 'Histogram',
  'Meter.createCounter': 'Counter',
  'Meter.createObservableGauge': 'ObservableGauge',
  'Meter.createObservableUpDownCounter': 'ObservableUpDownCounter',
  'LoggerProvider.getLogger': 'Logger',
  'diag.createComponentLogger': 'DiagLogger',
};

/** Functions that this package looks at and does not call. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'TracerProvider.constructor',
  'MeterProvider.constructor',
  'LoggerProvider.constructor',
  'MeterProvider.shutdown',
]);

/** One member that misbehaves: in every call, or in the nth only. */
export interface Fault {
  readonly member: string;
  readonly misbehaviour: Misbehaviour;
  readonly only?: number;
}

export class Seam {
  /** Members that were used since the last reset. */
  readonly used = new Set<string>();
  #fault: Fault | undefined;
  #calls = 0;
  readonly #shown = new WeakMap<object, object>();

  arm(fault: Fault): void {
    this.#fault = fault;
    this.#calls = 0;
  }

  /** Nothing misbehaves, and nothing was used yet. */
  reset(): void {
    this.#fault = undefined;
    this.used.clear();
  }

  /** How often the armed member was used. */
  get calls(): number {
    return this.#calls;
  }

  /** Uses a member: does its work, unless it is to misbehave. */
  use<T>(member: string, work: () => T): T {
    this.used.add(member);
    if (this.#fault?.member !== member) return work();
    this.#calls += 1;
    const { misbehaviour, only } = this.#fault;
    if (only !== undefined && only !== this.#calls) return work();
    return MISBEHAVIOURS[misbehaviour]() as T;
  }

  /** The object as this package gets to see it; the same one for the same object. */
  show<T>(name: string, target: T): T {
    if (typeof target !== 'object' || target === null) return target;
    const before = this.#shown.get(target);
    if (before !== undefined) return before as T;
    const proxy: object = new Proxy(target, {
      get: (object, key) => this.#read(name, object, key),
    });
    this.#shown.set(target, proxy);
    this.#shown.set(proxy, proxy);
    return proxy as T;
  }

  /**
   * The host's own value as this package gets to see it: whatever is read of it, and of what stands in it, is a
   * member by its path.
   */
  watch<T>(path: string, value: T): T {
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return new Proxy(value, {
      get: (object, key) => {
        // Promises look for this one, the host's as well as ours.
        if (key === 'then') return undefined;
        const member = `${path}.${String(key)}`;
        return this.use(member, () => this.watch(member, Reflect.get(object, key, object)));
      },
      has: (object, key) => this.use(`${String(key)} in ${path}`, () => Reflect.has(object, key)),
      getPrototypeOf: (object) => this.use(`prototype of ${path}`, () => Reflect.getPrototypeOf(object)),
      getOwnPropertyDescriptor: (object, key) =>
        this.use(`descriptor of ${path}.${String(key)}`, () => Reflect.getOwnPropertyDescriptor(object, key)),
      ownKeys: (object) => this.use(`keys of ${path}`, () => Reflect.ownKeys(object)),
    });
  }

  #read(name: string, object: object, key: PropertyKey): unknown {
    const member = `${name}.${String(key)}`;
    const value: unknown = Reflect.get(object, key, object);
    if (READ_ONLY.has(member) || typeof value !== 'function') return this.use(member, () => value);
    return (...args: unknown[]) =>
      this.use(member, () => {
        const result: unknown = Reflect.apply(value, object, args);
        const type = RESULTS[member];
        return type === undefined ? result : this.show(type, result);
      });
  }
}
