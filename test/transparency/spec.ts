/** What a host is like and what it does, as plain data: a failing case prints as what it is. */

/** Objects that each world makes for itself, so that neither can be mistaken for the other's. */
export const THINGS = [
  'object',
  'frozen object',
  'null-prototype object',
  'array',
  'function',
  'class instance',
  'error',
  'frozen error',
  'error that causes itself',
  'error whose properties throw',
  'lease',
  'input',
  'input of a command',
  'input of an acquire',
  'channel',
  'hostile proxy',
  'revoked proxy',
] as const;
export type Thing = (typeof THINGS)[number];

export type ValueSpec = { readonly primitive: unknown } | { readonly thing: Thing };

/** What a method gives back. Where a promise or thenable can be had in several kinds, `way` says which. */
export const WAYS = [
  'plainly',
  'by promise',
  'by the same promise each time',
  'by the same promise of a subclass each time',
  'by frozen promise',
  'by promise of a subclass',
  'by lazy promise of a subclass',
  'by promise with properties',
  'by promise with a symbol',
  'by promise with a constructor of its own',
  'by promise of another realm',
  'by proxy of a promise',
  'by thenable',
  'by thenable with a getter',
  'by thenable that cannot be read',
  'by function with then',
] as const;
export type Way = (typeof WAYS)[number];

export interface OutcomeSpec {
  readonly way: Way;
  readonly fails: boolean;
  /** Settles at a later step, where the way allows it. */
  readonly later: boolean;
  readonly value: ValueSpec;
}

/** A call of another method from inside of one. */
export interface InnerCall {
  readonly on: 'this' | 'subject' | 'super';
  readonly key: PropertyKey;
  /** `return` gives back what came, as it came; `drop` leaves it alone. */
  readonly follow: 'await' | 'return' | 'drop';
}

export const FORMS = [
  'async method',
  'async arrow',
  'method',
  'arrow',
  'function',
  'class',
  'generator',
  'async generator',
  'bound',
  'proxy',
  'frozen',
  'with properties',
] as const;

export interface FunctionSpec {
  readonly form: (typeof FORMS)[number];
  readonly length: number;
  readonly inner: readonly InnerCall[];
  readonly outcome: OutcomeSpec;
}

/** How a property holds its function, or value. */
export const HOLDS = ['value', 'read-only', 'permanent', 'constant', 'getter', 'new function'] as const;

export interface PropertySpec {
  readonly key: PropertyKey;
  readonly place: 'own' | 'prototype' | 'base prototype';
  readonly hold: (typeof HOLDS)[number];
  readonly isEnumerable: boolean;
  readonly value: FunctionSpec | ValueSpec;
}

export interface SubjectSpec {
  readonly base: 'literal' | 'null prototype' | 'Object.create' | 'class' | 'subclass';
  readonly properties: readonly PropertySpec[];
  readonly state: 'open' | 'not extensible' | 'sealed' | 'frozen';
  readonly isPrototypeFrozen: boolean;
  readonly proxy: 'none' | 'transparent' | 'telling';
}

export type Step =
  | {
      readonly do: 'call';
      readonly subject: number;
      readonly key: PropertyKey;
      readonly how: 'method' | 'detached' | 'other this' | 'apply' | 'bind' | 'new' | 'inherited';
      readonly args: readonly ValueSpec[];
      readonly follow: 'await' | 'await later' | 'drop' | 'await twice';
    }
  | { readonly do: 'look'; readonly subject: number }
  | { readonly do: 'read'; readonly subject: number; readonly key: PropertyKey }
  | {
      readonly do: 'assign';
      readonly subject: number;
      readonly key: PropertyKey;
      readonly value: PropertySpec;
    }
  | { readonly do: 'define'; readonly subject: number; readonly value: PropertySpec }
  | { readonly do: 'delete'; readonly subject: number; readonly key: PropertyKey }
  | {
      readonly do: 'restrict';
      readonly subject: number;
      readonly how: 'preventExtensions' | 'seal' | 'freeze' | 'setPrototypeOf';
    }
  | { readonly do: 'settle' }
  | { readonly do: 'toggle' };

/** Where instrumented objects come from. */
export type WayIn = 'instrumentDriver' | 'instrumentRuntime' | 'module';

/** What the telemetry is up to. */
export const MODES = [
  'recording',
  'sampled out',
  'no SDK',
  'disabled',
  'two instances',
  'passing the context on',
] as const;
export type Mode = (typeof MODES)[number];

export interface Scenario {
  readonly wayIn: WayIn;
  readonly mode: Mode;
  /** One service over one driver, or one driver and an instance of its class that is not instrumented. */
  readonly driver: SubjectSpec;
  readonly service: SubjectSpec;
  readonly steps: readonly Step[];
}
