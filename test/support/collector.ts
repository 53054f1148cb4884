/** A collector that receives OTLP over HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
interface OfResource {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly scopeSpans?: readonly { readonly spans: readonly { readonly name: string }[] }[];
  readonly scopeMetrics?: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  readonly scopeLogs?: readonly { readonly logRecords: readonly { readonly body: KeyValue['value'] }[] }[];
}
/** What a request carries, as far as tests look at it (OTLP/JSON, opentelemetry-proto 1.x). */
type Batch = Partial<Record<'resourceSpans' | 'resourceMetrics' | 'resourceLogs', readonly OfResource[]>>;

export interface Collector {
  readonly url: string;
  /** What was received as JSON. */
  readonly spans: string[];
  readonly metrics: string[];
  readonly logs: (string | undefined)[];
  /** `<name> <version>` of the resources. */
  readonly services: Set<string>;
  /** `<content type> <path>` of the requests, in any encoding. */
  readonly requests: Set<string>;
  close(): void;
}

/** @param answers whether requests are answered, or left waiting */
export async function openCollector({ answers = true } = {}): Promise<Collector> {
  const collected = {
    spans: [] as string[],
    metrics: [] as string[],
    logs: [] as (string | undefined)[],
    services: new Set<string>(),
    requests: new Set<string>(),
  };
  const collect = ({ resourceSpans = [], resourceMetrics = [], resourceLogs = [] }: Batch) => {
    for (const batch of [...resourceSpans, ...resourceMetrics, ...resourceLogs]) {
      const { resource, scopeSpans = [], scopeMetrics = [], scopeLogs = [] } = batch;
      const textOf = (name: string) => resource.attributes.find(({ key }) => key === name)?.value.stringValue;
      collected.services.add(`${textOf('service.name')} ${textOf('service.version')}`);
      for (const { spans } of scopeSpans) collected.spans.push(...spans.map(({ name }) => name));
      for (const { metrics } of scopeMetrics) collected.metrics.push(...metrics.map(({ name }) => name));
      for (const { logRecords } of scopeLogs)
        collected.logs.push(...logRecords.map(({ body }) => body.stringValue));
    }
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const type = request.headers['content-type'];
    collected.requests.add(`${type} ${request.url}`);
    if (type === 'application/json') collect(JSON.parse(body));
    if (answers) response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...collected,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
