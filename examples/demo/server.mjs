// @ts-check
/**
 * The host: an HTTP server that serves lease operations. Each request is a span, as OpenTelemetry's HTTP
 * instrumentation would make it, with what a trace is searched by: the provider, and how a wish for a channel ended.
 */
import { createServer } from 'node:http';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { bridge } from './bridge.mjs';
import { duplex, duplexByHand, duplexOnly } from './duplex.mjs';
import { ENVIRONMENTS, providerOf } from './environments.mjs';
import { acquire, execute, release } from './handlers.mjs';

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { Handler, Host } from './handlers.mjs' */

/** @type {{ name: string, handle: Handler, isForChannel?: boolean }[]} */
const ROUTES = [
  { name: 'POST /leases', handle: acquire },
  { name: 'POST /leases/{id}/execute', handle: execute },
  { name: 'POST /leases/{id}/duplex', handle: duplex, isForChannel: true },
  { name: 'POST /leases/{id}/duplex-by-hand', handle: duplexByHand, isForChannel: true },
  { name: 'POST /leases/{id}/duplex-only', handle: duplexOnly, isForChannel: true },
  { name: 'POST /leases/{id}/bridge', handle: bridge, isForChannel: true },
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
    const body = await readBody(request);
    const environment = ENVIRONMENTS.get(body.environment ?? host.leases.get(id)?.environmentId);
    const provider = environment && providerOf(environment);
    const attributes = provider ? { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider } : {};
    await tracer.startActiveSpan(route.name, { kind: SpanKind.SERVER, attributes }, async (span) => {
      let outcome = 'failed';
      try {
        const result = await route.handle(host, { id, body });
        // Only a channel has an output.
        outcome = 'output' in result ? 'opened' : 'fallback';
        answer(response, 200, result);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        answer(response, 500, { error: String(error) });
      } finally {
        if (route.isForChannel) span.setAttribute(ATTR_PAPERCLIP_DUPLEX_OUTCOME, outcome);
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
