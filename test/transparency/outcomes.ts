import { createContext, runInContext } from 'node:vm';
import type { OutcomeSpec } from './spec.js';
import type { World } from './world.js';

const OtherRealmsPromise: PromiseConstructor = runInContext('Promise', createContext());
class Query extends Promise<unknown> {}

/**
 * Gives back, or throws, what the specification says.
 *
 * @param keep the one promise that is given each time, where one is
 */
export function give(
  world: World,
  spec: OutcomeSpec,
  value: unknown,
  keep: (Type?: PromiseConstructor) => Promise<unknown>,
): unknown {
  const { way, fails, later } = spec;
  const settle = (Type?: PromiseConstructor) => world.promise(value, fails, later, Type);
  const subscribe = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => {
    world.note('subscribed to');
    (fails ? reject : resolve)(value);
  };
  switch (way) {
    case 'plainly':
      if (fails) throw value;
      return value;
    case 'by promise':
      return settle();
    case 'by the same promise each time':
      return keep();
    case 'by the same promise of a subclass each time':
      return world.called(keep(Query as unknown as PromiseConstructor), way);
    case 'by frozen promise':
      return Object.freeze(settle());
    case 'by promise of a subclass':
      return world.called(settle(Query as unknown as PromiseConstructor), way);
    case 'by lazy promise of a subclass':
      return world.called(new LazyPromise(subscribe), way);
    case 'by promise with properties':
      return world.called(Object.assign(settle(), { abort: () => world.note('aborted') }), way);
    case 'by promise with a symbol':
      return world.called(Object.assign(settle(), { [Symbol('cancel')]: true }), way);
    case 'by promise with a constructor of its own':
      return world.called(Object.assign(settle(), { constructor: Query }), way);
    case 'by promise of another realm':
      return world.called(settle(OtherRealmsPromise), way);
    case 'by proxy of a promise':
      return world.called(tellingProxy(world, settle()), way);
    // biome-ignore-start lint/suspicious/noThenProperty: thenables are what this is about
    case 'by thenable':
      return world.called({ then: subscribe }, way);
    case 'by thenable with a getter':
      return world.called(
        {
          get then() {
            world.note('read then');
            return subscribe;
          },
        },
        way,
      );
    case 'by thenable that cannot be read':
      return world.called(
        {
          get then(): never {
            world.note('read then');
            throw value;
          },
        },
        way,
      );
    case 'by function with then':
      return world.called(
        Object.assign(() => {}, { then: subscribe }),
        way,
      );
    // biome-ignore-end lint/suspicious/noThenProperty: thenables are what this is about
  }
}

/** Begins its work when somebody subscribes, as the promises of the `openai` package do. */
class LazyPromise extends Promise<unknown> {
  readonly #start: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void;
  constructor(start: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void) {
    super(() => {});
    this.#start = start;
  }
  static override get [Symbol.species]() {
    return Promise;
  }
  // biome-ignore lint/suspicious/noThenProperty: a promise that overrides it is what this is about
  override then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return new Promise<unknown>((resolve, reject) => this.#start(resolve, reject)).then(
      onFulfilled,
      onRejected,
    );
  }
}

/** A proxy of a promise: `then` works on it because it is bound. */
function tellingProxy(world: World, promise: Promise<unknown>): object {
  return new Proxy(promise, {
    get(target, key) {
      world.note(`asked a promise for ${String(key)}`);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
