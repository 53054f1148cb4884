// @ts-check
/**
 * The host: an HTTP server that serves lease operations. It handles their errors as Paperclip's callers do,
 * and knows nothing of the instrumentation, except that it asks the error catalog what an error means. Each
 * request is a span, as OpenTelemetry's HTTP instrumentation would make it.
 */
import { createServer } from 'node:http';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { classifyLeaseError } from 'opentelemetry-instrumentation-paperclip';
import {
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { ENVIRONMENTS } from './environments.mjs';

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { Environment } from './environments.mjs' */
/** @import { Lease, LeaseStore } from './leases.mjs' */
/** @import { Runtime } from './runtime.mjs' */

/**
 * @typedef {{ runtime: Runtime, leases: LeaseStore }} Host
 * @typedef {{ id: string, body: Record<string, any> }} Call
 * @typedef {'channel' | 'fallback' | 'reacquire'} DuplexAnswer how the work of a duplex request was done
 */

const COMPANY_ID = 'company-demo';

/** @type {{ name: string, handle: (host: Host, call: Call) => Promise<object> }[]} */
const ROUTES = [
  { name: 'POST /leases', handle: acquire },
  { name: 'POST /leases/{id}/execute', handle: execute },
  { name: 'POST /leases/{id}/duplex', handle: duplex },
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

/** @param {Host} host @param {Call} call */
async function acquire({ runtime }, { body }) {
  const environment = ENVIRONMENTS.get(body.environment);
  if (!environment) throw new Error(`no environment "${body.environment}"`);
  const { lease } = await acquireFor(runtime, environment, body.run);
  for (const field of body.lost ?? []) lose(lease, field);
  return { lease: lease.id };
}

/** @param {Host} host @param {Call} call */
async function execute({ runtime, leases }, { id, body }) {
  return await runtime.execute({ ...subjectOf(leases, id), command: body.command });
}

/**
 * A channel where there can be one. Where the driver has none, the command runs without it; where the lease
 * lacks a field, a fresh lease gets one more try.
 *
 * @param {Host} host
 * @param {Call} call
 * @returns {Promise<{ via: DuplexAnswer }>}
 */
async function duplex({ runtime, leases }, { id, body }) {
  const subject = subjectOf(leases, id);
  try {
    await talk(runtime, subject, body.command);
    return { via: 'channel' };
  } catch (error) {
    switch (classifyLeaseError(error)?.backgroundTag) {
      case TAG_UNSUPPORTED_DRIVER_OPERATION:
        await runtime.execute({ ...subject, command: body.command });
        return { via: 'fallback' };
      case TAG_MISSING_METADATA_FIELD: {
        const fresh = await acquireFor(runtime, subject.environment, subject.lease.heartbeatRunId);
        await talk(runtime, fresh, body.command);
        return { via: 'reacquire' };
      }
      default:
        throw error;
    }
  }
}

/** @param {Host} host @param {Call} call */
async function release({ runtime }, { id }) {
  return { released: (await runtime.releaseRunLeases(id)).length };
}

/**
 * @param {Runtime} runtime
 * @param {{ environment: Environment, lease: Lease }} subject
 * @param {string} command
 */
async function talk(runtime, subject, command) {
  const channel = await runtime.openDuplexChannel({ ...subject, command: [command] });
  await channel.close();
}

/**
 * @param {Runtime} runtime
 * @param {Environment} environment
 * @param {string} run
 */
function acquireFor(runtime, environment, run) {
  return runtime.acquireRunLease({ environment, companyId: COMPANY_ID, heartbeatRunId: run });
}

/**
 * @param {LeaseStore} leases
 * @param {string} id
 */
function subjectOf(leases, id) {
  const lease = leases.get(id);
  const environment = lease && ENVIRONMENTS.get(lease.environmentId);
  if (!environment) throw new Error(`no lease "${id}"`);
  return { environment, lease };
}

/**
 * Makes a lease look as if an older release had stored it, which did not know this field.
 *
 * @param {Lease} lease
 * @param {string} field
 */
function lose(lease, field) {
  const [first = '', inMetadata] = field.split('.');
  if (inMetadata) Reflect.deleteProperty(lease.metadata, inMetadata);
  else Reflect.deleteProperty(lease, first);
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
