/** A collector that receives OTLP over HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readLogs, readMetrics, readSpans } from './otlp.js';

export interface Collector {
  readonly url: string;
  /** What was received as JSON. */
  readonly spans: string[];
  readonly metrics: string[];
  readonly logs: unknown[];
  /** The attributes of the resources, as JSON. */
  readonly resources: Set<string>;
  /** `<name> <version> <instance>` of the resources. */
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
    logs: [] as unknown[],
    resources: new Set<string>(),
    services: new Set<string>(),
    requests: new Set<string>(),
  };
  const collect = (batch: object) => {
    const [spans, metrics, logs] = [readSpans(batch), readMetrics(batch), readLogs(batch)];
    for (const { resource } of [...spans, ...metrics, ...logs]) {
      const parts = ['name', 'version', 'instance.id'].map((part) => resource[`service.${part}`]);
      collected.services.add(parts.join(' '));
      collected.resources.add(JSON.stringify(resource));
    }
    collected.spans.push(...spans.map(({ name }) => name));
    collected.metrics.push(...metrics.map(({ name }) => name));
    collected.logs.push(...logs.map(({ body }) => body));
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
