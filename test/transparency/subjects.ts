import { functionMaker, type Home, Keeper } from './functions.js';
import type { PropertySpec, SubjectSpec } from './spec.js';
import type { World } from './world.js';

/** An object as the host made it, and the way to another one like it. */
export interface Subject {
  readonly object: object;
  /** An object of the same class, without properties of its own beyond those of the class. */
  readonly sibling: object;
}

/** @param held what the host holds in its place, which may be known later only */
export function makeSubject(world: World, spec: SubjectSpec, name: string, held: () => object): Subject {
  const { object, sibling, prototypes } = makeBase(spec.base);
  Object.assign(object, { driver: 'sandbox' });
  for (const [index, prototype] of prototypes.entries())
    world.called(prototype, `prototype ${index} of ${name}`);
  world.called(sibling, `sibling of ${name}`);
  for (const property of spec.properties) {
    const holders = { own: object, prototype: prototypes[0], 'base prototype': prototypes.at(-1) };
    const holder = holders[property.place] ?? object;
    const home = { holder, subject: held, isOfClass: true };
    Reflect.defineProperty(holder, property.key, descriptorOf(world, property, home));
  }
  if (spec.isPrototypeFrozen) for (const prototype of prototypes) Object.freeze(prototype);
  restrict(object, spec.state);
  if (spec.proxy === 'none') return { object: world.called(object, name), sibling };
  world.called(object, `target of ${name}`);
  const handler = spec.proxy === 'telling' ? tellingHandler(world) : {};
  return { object: world.called(new Proxy(object, handler), name), sibling };
}

function makeBase(base: SubjectSpec['base']): { object: object; sibling: object; prototypes: object[] } {
  class Base extends Keeper {}
  class Derived extends Base {}
  const prototype = {};
  switch (base) {
    case 'literal':
      return { object: {}, sibling: {}, prototypes: [] };
    case 'null prototype':
      return { object: Object.create(null), sibling: Object.create(null), prototypes: [] };
    case 'Object.create':
      return { object: Object.create(prototype), sibling: Object.create(prototype), prototypes: [prototype] };
    case 'class':
      return { object: new Base(), sibling: new Base(), prototypes: [Base.prototype] };
    case 'subclass':
      return {
        object: new Derived(),
        sibling: new Derived(),
        prototypes: [Derived.prototype, Base.prototype],
      };
  }
}

function restrict(object: object, state: SubjectSpec['state']): void {
  if (state === 'not extensible') Object.preventExtensions(object);
  if (state === 'sealed') Object.seal(object);
  if (state === 'frozen') Object.freeze(object);
}

/** The property as it is defined on its holder. */
export function descriptorOf(
  world: World,
  { key, hold, isEnumerable: enumerable, value }: PropertySpec,
  home: Omit<Home, 'key'>,
): PropertyDescriptor {
  const makeFunction = 'form' in value ? functionMaker(world, value, { ...home, key }) : undefined;
  const made = 'form' in value ? makeFunction?.() : world.make(value);
  switch (hold) {
    case 'value':
      return { value: made, enumerable, writable: true, configurable: true };
    case 'read-only':
      return { value: made, enumerable, writable: false, configurable: true };
    case 'permanent':
      return { value: made, enumerable, writable: true, configurable: false };
    case 'constant':
      return { value: made, enumerable, writable: false, configurable: false };
    case 'getter':
    case 'new function': {
      const accessors = {
        get [key](): unknown {
          world.note(`got ${String(key)} of ${world.nameOf(this)}`);
          return hold === 'new function' && makeFunction ? makeFunction() : made;
        },
        set [key](given: unknown) {
          world.note(`set ${String(key)} of ${world.nameOf(this)} to ${world.nameOf(given)}`);
        },
      };
      return { ...Object.getOwnPropertyDescriptor(accessors, key), enumerable, configurable: true };
    }
  }
}

/** Notes what is asked of the target, but for the facts that the telemetry reads of a driver. */
function tellingHandler(world: World): ProxyHandler<object> {
  return {
    get(target, key, receiver) {
      if (key !== 'driver') world.note(`asked for ${String(key)}`);
      return Reflect.get(target, key, receiver);
    },
    set(target, key, value, receiver) {
      world.note(`told to set ${String(key)}`);
      return Reflect.set(target, key, value, receiver);
    },
    deleteProperty(target, key) {
      world.note(`told to delete ${String(key)}`);
      return Reflect.deleteProperty(target, key);
    },
  };
}
