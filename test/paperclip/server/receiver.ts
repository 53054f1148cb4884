/** A collector for tests: takes OTLP over HTTP as JSON, keeps what it is sent, and can be told to misbehave. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Log, type Metric, readLogs, readMetrics, readSpans, type Span } from '../../support/otlp.js';

/**
 * How requests are served: answered; never answered; with the connection closed; or with a status. One that is not
 * answered with success is counted and otherwise forgotten.
 */
export type Manner = 'answer' | 'hang' | 'refuse' | number;

export class Receiver {
  manner: Manner = 'answer';
  /** All requests that came, served or not. */
  requests = 0;
  readonly spans: Span[] = [];
  readonly logs: Log[] = [];
  /** Every point that was exported: what a cumulative one says is what was said last. */
  readonly metrics: Metric[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Receiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The variables for an SDK to export here. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'otlp',
    };
  }

  /** The same without the one variable that makes Paperclip start an SDK of its own. */
  get envBySignal(): Record<string, string> {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...others } = this.env;
    const endpoints = ['traces', 'metrics', 'logs'].map((signal) => [
      `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`,
      `${url}/v1/${signal}`,
    ]);
    return { ...others, ...Object.fromEntries(endpoints) };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (this.manner === 'hang') return;
    if (this.manner === 'refuse') {
      request.socket.destroy();
      return;
    }
    if (typeof this.manner === 'number') {
      response.writeHead(this.manner).end();
      return;
    }
    this.#keep(request.url ?? '', JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  #keep(path: string, body: object): void {
    if (path === '/v1/traces') this.spans.push(...readSpans(body));
    else if (path === '/v1/metrics') this.metrics.push(...readMetrics(body));
    else if (path === '/v1/logs') this.logs.push(...readLogs(body));
    else throw new Error(`not a path of OTLP: ${path}`);
  }
}
