/** Keeps the names of failures few: they are an attribute of metrics, and a host can make up any number of them. */
import { VALUE_OTHER } from '../semconv.js';

/** How many codes and class names are told apart, beside the tags of the catalog. */
export const MAX_UNCLASSIFIED = 32;

export class ErrorTypes {
  readonly #unclassified = new Set<string>();

  /**
   * @param name what a failure is called
   * @param tags of the catalog, which are always told apart
   * @returns the name, or `_OTHER` where as many others came before it as are told apart
   */
  bounded(name: string, tags: ReadonlySet<string>): string {
    if (tags.has(name) || name === VALUE_OTHER || this.#unclassified.has(name)) return name;
    if (this.#unclassified.size >= MAX_UNCLASSIFIED) return VALUE_OTHER;
    this.#unclassified.add(name);
    return name;
  }
}
