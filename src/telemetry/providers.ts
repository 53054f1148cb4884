/**
 * Tracer, meter and logger of the provider that counts at this moment. The API's own proxies do not cover
 * three cases: it has none for meters (open-telemetry/opentelemetry-js#3622), the proxy tracer of one build
 * of the API never learns of an SDK that was started through the other, and a global provider can be
 * replaced. So each is looked up again whenever the provider changed.
 */
import {
  type Meter,
  type MeterProvider,
  metrics,
  type ProxyTracerProvider,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { reportFault } from '../base/faults.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js';
import type { Logger, LoggerProvider } from './logs-api.js';

/** Follows one kind of provider: the one given explicitly, else the global one of the moment. */
abstract class Follower<Provider extends object, Source extends object> {
  #pinned: Provider | undefined;
  #last: Provider | undefined;
  #source: Source | undefined;

  /**
   * Keeps to a provider given explicitly. The global one, and the placeholders of the API, are what
   * `registerInstrumentations` passes when nobody gave any: they mean "follow the global one".
   */
  pin(provider: Provider): void {
    const follow = provider === this.global() || isPlaceholder(provider);
    this.#pinned = follow ? undefined : provider;
  }

  /** The tracer, meter or logger to use now; `undefined` where nobody listens. */
  current(): Source | undefined {
    try {
      const provider = this.#pinned ?? this.resolve(this.global());
      if (provider !== this.#last) {
        this.#source = isPlaceholder(provider) ? undefined : this.lookUp(provider);
        this.#last = provider;
      }
      return this.#source;
    } catch (error) {
      reportFault('looking up a provider failed', error);
      return undefined;
    }
  }

  /** The provider behind a proxy of the API. */
  protected resolve(provider: Provider): Provider {
    return provider;
  }

  protected abstract global(): Provider;
  protected abstract lookUp(provider: Provider): Source;
}

/**
 * The API's stand-ins for a provider that is not there. They are not all exported, and a process can hold
 * several copies of each (two builds, several versions), so the class name is what tells them.
 */
function isPlaceholder(provider: object): boolean {
  return /^(Proxy|Noop)(Tracer|Meter|Logger)Provider$/.test(provider.constructor?.name ?? '');
}

/** The provider behind the API's proxy; a provider that is no proxy itself. */
export function delegateOf(provider: TracerProvider): TracerProvider {
  const proxy = provider as Partial<ProxyTracerProvider>;
  return typeof proxy.getDelegate === 'function' ? proxy.getDelegate() : provider;
}

export class TracerFollower extends Follower<TracerProvider, Tracer> {
  protected override global(): TracerProvider {
    return trace.getTracerProvider();
  }

  protected override resolve(provider: TracerProvider): TracerProvider {
    return delegateOf(provider);
  }

  protected override lookUp(provider: TracerProvider): Tracer {
    return provider.getTracer(PACKAGE_NAME, PACKAGE_VERSION);
  }
}

export class MeterFollower extends Follower<MeterProvider, Meter> {
  /** @param onMeter called with each meter when it is looked up */
  constructor(private readonly onMeter: (meter: Meter, provider: MeterProvider) => void) {
    super();
  }

  protected override global(): MeterProvider {
    return metrics.getMeterProvider();
  }

  protected override lookUp(provider: MeterProvider): Meter {
    const meter = provider.getMeter(PACKAGE_NAME, PACKAGE_VERSION);
    this.onMeter(meter, provider);
    return meter;
  }
}

export class LoggerFollower extends Follower<LoggerProvider, Logger> {
  /**
   * Logs are part of `@opentelemetry/api` from 1.10 and of `@opentelemetry/api-logs` before. Which of the
   * two is in use, `@opentelemetry/instrumentation` knows: it hands its global provider to every
   * instrumentation that is registered.
   */
  protected override global(): LoggerProvider {
    let global: LoggerProvider = new NoopLoggerProvider();
    registerInstrumentations({
      instrumentations: [
        {
          instrumentationName: PACKAGE_NAME,
          instrumentationVersion: PACKAGE_VERSION,
          enable() {},
          disable() {},
          setConfig() {},
          getConfig: () => ({ enabled: true }),
          setTracerProvider() {},
          setMeterProvider() {},
          setLoggerProvider(provider: LoggerProvider) {
            global = provider;
          },
        },
      ],
    });
    return global;
  }

  protected override lookUp(provider: LoggerProvider): Logger {
    return provider.getLogger(PACKAGE_NAME, PACKAGE_VERSION);
  }
}

/** What is followed where the version of `@opentelemetry/instrumentation` passes no logger provider. */
class NoopLoggerProvider implements LoggerProvider {
  getLogger(): Logger {
    return { emit() {} };
  }
}
