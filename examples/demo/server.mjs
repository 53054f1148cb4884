// @ts-check
/**
 * The host: an HTTP server that serves lease operations. Each request is a span, as OpenTelemetry's HTTP
 * instrumentation would make it.
 */
import { createServer } from 'node:http';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { bridge } from './bridge.mjs';
import { duplex, duplexByHand, duplexOnly } from './duplex.mjs';
import { acquire, execute, release } from './handlers.mjs';

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { Handler, Host } from './handlers.mjs' */

/** @type {{ name: string, handle: Handler }[]} */
const ROUTES = [
  { name: 'POST /leases', handle: acquire },
  { name: 'POST /leases/{id}/execute', handle: execute },
  { name: 'POST /leases/{id}/duplex', handle: duplex },
  { name: 'POST /leases/{id}/duplex-by-hand', handle: duplexByHand },
  { name: 'POST /leases/{id}/duplex-only', handle: duplexOnly },
  { name: 'POST /leases/{id}/bridge', handle: bridge },
  { name: 'DELETE /runs/{id}', handle: release },
];

/**
 * @param {string} request
 * @returns {[route?: (typeof ROUTES)[number], id?: string | undefined]}
 */
function findRoute(request) {
  for (const route of ROUTES) {
    const match = new RegExp(`^${route.name.replace('{id}', '([^/]+)')}$`).exec(request);
    if (match) return [route, match[1]];
  }
  return [];
}

/**
 * @param {Host} host
 * @returns {Server}
 */
export function createLeaseServer(host) {
  const tracer = trace.getTracer('paperclip-demo');
  return createServer(async (request, response) => {
    const [route, id = ''] = findRoute(`${request.method} ${request.url}`);
    if (!route) return answer(response, 404, { error: 'no such route' });
    await tracer.startActiveSpan(route.name, { kind: SpanKind.SERVER }, async (span) => {
      try {
        answer(response, 200, await route.handle(host, { id, body: await readBody(request) }));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        answer(response, 500, { error: String(error) });
      } finally {
        span.end();
      }
    });
  });
}

/** @param {IncomingMessage} request */
async function readBody(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}

/** @param {ServerResponse} response @param {number} status @param {object} body */
function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
