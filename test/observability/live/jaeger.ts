/** A Jaeger with the stack's configuration, and what its query API tells. */
import { fileURLToPath } from 'node:url';
import { answering, freePort, type Servers, until } from './processes.js';

export const JAEGER_CONFIG = fileURLToPath(new URL('../../../examples/stack/jaeger.yaml', import.meta.url));

/** More than any test has, and more than the API returns unless told. */
const LIMIT = '5000';

/** A span as Jaeger tells it. */
export interface FoundSpan {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly references: readonly Reference[];
  readonly tags: readonly { readonly key: string; readonly value: unknown }[];
}

/** `CHILD_OF` names the parent, `FOLLOWS_FROM` a link. */
export interface Reference {
  readonly refType: 'CHILD_OF' | 'FOLLOWS_FROM';
  readonly traceID: string;
  readonly spanID: string;
}

export class Jaeger {
  private constructor(
    /** Where it takes OTLP over gRPC: host and port. */
    readonly otlp: string,
    private readonly api: string,
  ) {}

  static async start(servers: Servers, program: string): Promise<Jaeger> {
    const [otlp, query] = [await address(), await address()];
    const started = servers.start(program, ['--config', JAEGER_CONFIG], {
      JAEGER_OTLP_LISTEN: otlp,
      JAEGER_QUERY_LISTEN: query,
      JAEGER_QUERY_GRPC_LISTEN: await address(),
      JAEGER_HEALTH_LISTEN: await address(),
    });
    await answering(started, `http://${query}/api/services`);
    return new Jaeger(otlp, `http://${query}/api`);
  }

  services(): Promise<string[]> {
    return this.#ask('services');
  }

  /** @param spanKind such as `internal` */
  async operations(service: string, spanKind: string): Promise<string[]> {
    const found = await this.#ask<{ name: string }[]>('operations', { service, spanKind });
    return found.map(({ name }) => name);
  }

  /**
   * The traces with a span that has all of these attributes.
   *
   * @returns the spans of each
   */
  async traces(service: string, attributes: Record<string, string> = {}): Promise<FoundSpan[][]> {
    const tags = JSON.stringify(attributes);
    const found = await this.#ask<{ spans: FoundSpan[] }[]>('traces', { service, tags, limit: LIMIT });
    return found.map(({ spans }) => spans);
  }

  /**
   * Waits until certain spans of a service are there.
   *
   * @param ids those of trace and span, with a space between them
   * @returns all spans of the service, by such ids
   */
  spans(service: string, ids: readonly string[]): Promise<Map<string, FoundSpan>> {
    return until(async () => {
      const spans = (await this.traces(service)).flat();
      const found = new Map(spans.map((span) => [`${span.traceID} ${span.spanID}`, span]));
      return ids.every((id) => found.has(id)) ? found : undefined;
    }, `spans of ${service} in Jaeger`);
  }

  async #ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${this.api}/${path}?${new URLSearchParams(parameters)}`);
    const { data, errors } = (await response.json()) as { data: T | null; errors: unknown };
    if (!response.ok || errors) throw new Error(`Jaeger: ${JSON.stringify(errors)}`);
    return data ?? ([] as T);
  }
}

/** @returns the value of an attribute */
export function tag({ tags }: FoundSpan, name: string): unknown {
  return tags.find(({ key }) => key === name)?.value;
}

/** @returns the ids of the spans that a span refers to in this way */
export function referred({ references }: FoundSpan, refType: Reference['refType']): string[] {
  return references
    .filter((reference) => reference.refType === refType)
    .map(({ traceID, spanID }) => `${traceID} ${spanID}`);
}

/** A free one. */
export async function address(): Promise<string> {
  return `127.0.0.1:${await freePort()}`;
}
