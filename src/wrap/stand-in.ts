/** Makes the object that the host gets in place of one that cannot be patched. */
import type { HostFunction } from '../base/values.js';
import { shared } from '../shared.js';
import { memoize, type Wrappings } from './patch.js';

/**
 * Makes a stand-in for an object that cannot be patched in place. It behaves as the object, with the methods wrapped. Every
 * method that is called on it runs with the object as `this`, so that private fields work.
 */
export function standIn<T extends object>(target: T, wrappings: Wrappings): T {
  const bind = (inner: HostFunction): HostFunction =>
    new Proxy(inner, {
      apply: (_inner, self, args) => Reflect.apply(inner, receiverOf(self), args),
    });
  const bindOnce = memoize(bind);
  const bindWrapper = (wrapper: HostFunction): HostFunction => {
    const bound = bind(wrapper);
    const slot = shared.wrappers.get(wrapper);
    if (slot !== undefined) shared.wrappers.set(bound, slot);
    return bound;
  };
  const wrapOnce = new Map(
    [...wrappings].map(([key, wrap]) => [key, memoize((fn) => bindWrapper(wrap(fn)))]),
  );
  // Functions that the host puts there itself are not wrapped.
  const given = new WeakSet<object>();
  const give = (value: unknown) => {
    if (typeof value === 'function') given.add(value);
    return true;
  };
  const show = (key: PropertyKey, value: unknown): unknown => {
    if (typeof value !== 'function' || key === 'constructor' || given.has(value)) return value;
    return (wrapOnce.get(key) ?? bindOnce)(value as HostFunction);
  };
  // Any other receiver is an object that inherits from the stand-in.
  const receiverOf = (receiver: unknown) => (receiver === proxy ? target : receiver);
  const shadow = new Shadow(target, show);
  const proxy: T = new Proxy(shadow.object as T, {
    get: (_shadow, key, receiver) => show(key, Reflect.get(target, key, receiverOf(receiver))),
    set: (_shadow, key, value, receiver) =>
      Reflect.set(target, key, value, receiverOf(receiver)) && (receiver !== proxy || give(value)),
    has: (_shadow, key) => Reflect.has(target, key) || !shadow.delete(key),
    deleteProperty: (_shadow, key) => Reflect.deleteProperty(target, key) && shadow.delete(key),
    defineProperty: (_shadow, key, descriptor) =>
      Reflect.defineProperty(target, key, descriptor) && give(descriptor.value) && shadow.confirm(key),
    getOwnPropertyDescriptor: (_shadow, key) => shadow.follow(key),
    ownKeys: () => shadow.keys(),
    getPrototypeOf: () => Reflect.getPrototypeOf(target),
    setPrototypeOf: (_shadow, prototype) => Reflect.setPrototypeOf(target, prototype),
    isExtensible: () => shadow.isExtensible(),
    preventExtensions: () => Reflect.preventExtensions(target) && !shadow.isExtensible(),
  });
  return proxy;
}

/**
 * The target of the proxy. JavaScript lets a proxy call a property permanent only if the proxy's target has it as a permanent
 * one. So the permanent properties of the real object are copied to this one when the host asks for them.
 */
class Shadow {
  readonly object: object = Object.create(null);

  constructor(
    private readonly target: object,
    private readonly show: (key: PropertyKey, value: unknown) => unknown,
  ) {}

  /** The property of the real object, with a wrapped method. */
  follow(key: PropertyKey): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(this.target, key);
    if (descriptor === undefined) {
      this.delete(key);
      return undefined;
    }
    if ('value' in descriptor) descriptor.value = this.show(key, descriptor.value);
    if (descriptor.configurable !== true) Reflect.defineProperty(this.object, key, descriptor);
    return descriptor;
  }

  confirm(key: PropertyKey): boolean {
    return this.follow(key) !== undefined;
  }

  delete(key: PropertyKey): boolean {
    return Reflect.deleteProperty(this.object, key);
  }

  keys(): (string | symbol)[] {
    const keys = Reflect.ownKeys(this.target);
    if (!Reflect.isExtensible(this.object)) {
      for (const key of Reflect.ownKeys(this.object)) if (!keys.includes(key)) this.delete(key);
    }
    return keys;
  }

  /** Once it cannot be extended, it must have all properties, and the prototype, of the real object. */
  isExtensible(): boolean {
    if (Reflect.isExtensible(this.target)) return true;
    if (Reflect.isExtensible(this.object)) {
      for (const key of Reflect.ownKeys(this.target)) {
        const descriptor = this.follow(key);
        if (descriptor?.configurable === true) Reflect.defineProperty(this.object, key, descriptor);
      }
      Reflect.setPrototypeOf(this.object, Reflect.getPrototypeOf(this.target));
      Reflect.preventExtensions(this.object);
    }
    return false;
  }
}
