import type { PaperclipInstrumentation } from '../../src/index.js';
import type { WayIn } from './spec.js';

/** What a world's host is given to hold. */
export interface Instrument {
  driver<T extends object>(driver: T): T;
  service<T extends object>(service: T): T;
  module(module: HostModule): HostModule;
}

/** A module like the server's `services/environment-runtime`. */
export interface HostModule {
  environmentRuntimeService(db: object, options: { drivers: object[] }): object;
}

export const nothing: Instrument = {
  driver: (driver) => driver,
  service: (service) => service,
  module: (module) => module,
};

/** Each way in by itself: what one of them gives is not given to another. */
export function instrumentBy(
  wayIn: WayIn,
  instrumentations: readonly PaperclipInstrumentation[],
): Instrument {
  switch (wayIn) {
    case 'instrumentDriver':
      return {
        ...nothing,
        driver: (driver) => instrumentations.reduce((held, one) => one.instrumentDriver(held), driver),
      };
    case 'instrumentRuntime':
      return {
        ...nothing,
        service: (service) => instrumentations.reduce((held, one) => one.instrumentRuntime(held), service),
      };
    case 'module':
      return { ...nothing, module: (module) => instrumentations.reduce(patchModule, module) };
  }
}

/** As the preload does where the server's module is loaded. */
function patchModule(module: HostModule, instrumentation: PaperclipInstrumentation): HostModule {
  const { instrumenter } = instrumentation as unknown as {
    instrumenter: { factory(original: unknown): HostModule['environmentRuntimeService'] };
  };
  return { environmentRuntimeService: instrumenter.factory(module.environmentRuntimeService) };
}
