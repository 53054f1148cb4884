/** Attributes that an observable instrument of one meter has reported. */
import type { Attributes } from '@opentelemetry/api';

/**
 * OpenTelemetry JS goes on exporting the last value of attributes that a callback no longer reports, although the specification
 * says that it should not. So what is gone is reported as zero.
 */
export class Shown {
  readonly #all = new Map<string, Attributes>();

  /**
   * @param now what is reported now, by a key that tells the attributes apart
   * @returns what was reported before, and is not now
   */
  gone(now: ReadonlyMap<string, Attributes>): Attributes[] {
    const gone = [...this.#all].filter(([key]) => !now.has(key)).map(([, attributes]) => attributes);
    for (const [key, attributes] of now) this.#all.set(key, attributes);
    return gone;
  }
}
