/** Why an export failed, and what to do where no other place or protocol answers. */
import { pathStep } from './alternatives.js';
import { hasCredentials } from './credentials.js';
import { type Env, list, text as textOf } from './environment.js';
import { exporterVariable, type OtlpExporter, variable } from './exporters.js';
import { origin } from './urls.js';

/** How an export went. */
export interface Outcome {
  readonly isDone: boolean;
  /** Of an answer over HTTP. */
  readonly status?: number | undefined;
  readonly contentType?: string | undefined;
  /** Of Node.js, such as `ECONNREFUSED`, or of gRPC: a number. */
  readonly code?: string | number | undefined;
  readonly message?: string | undefined;
  /** How long an answer took, in milliseconds. */
  readonly took?: number | undefined;
  /** Whether an answer has begun that does not end. */
  readonly isUnfinished?: boolean | undefined;
}

export interface Cause {
  readonly kind: 'refused' | 'name' | 'unreachable' | 'encryption' | 'credentials' | 'other';
  /** What is wrong; follows the place. */
  readonly found: string;
  readonly remedy: string;
}

const other = (found: string, remedy: string): Cause => ({ kind: 'other', found, remedy });
const encryption = (found: string, remedy: string): Cause => ({ kind: 'encryption', found, remedy });

/** Status codes of gRPC. */
const GRPC = { deadline: 4, forbidden: 7, unimplemented: 12, unauthenticated: 16 } as const;
const SELF_SIGNED =
  /self.signed|unable to (?:verify|get (?:local )?issuer)|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/i;
const OTHER_NAME = /altnames|ALTNAME_INVALID/i;
const EXPIRED = /CERT_HAS_EXPIRED|certificate has expired/i;
const PLAIN = /wrong version number|packet length too long|ssl3_get_record/i;

/** @param limit the time limit of the export, in milliseconds */
export function causeOf(exporter: OtlpExporter, outcome: Outcome, env: Env, limit: number): Cause {
  const { status, code, message = '' } = outcome;
  const { signal, protocol } = exporter;
  const name = exporter.endpointBy ?? variable(undefined, 'ENDPOINT');
  const text = `${code ?? ''} ${reasonIn(message)}`.trim();
  const is = (...codes: string[]) => codes.some((each) => text.includes(each));

  if (status !== undefined) return causeOfStatus(exporter, status, outcome, env, name);
  if (code === GRPC.unauthenticated || code === GRPC.forbidden)
    return credentials(
      exporter,
      env,
      `refuses the credentials (${code === GRPC.forbidden ? 'PERMISSION_DENIED' : 'UNAUTHENTICATED'})`,
    );
  if (is('ECONNREFUSED')) {
    const isLocal = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(origin(exporter.url));
    const where = isLocal ? '; in a container, localhost is the container itself' : '';
    return {
      kind: 'refused',
      found: 'refuses the connection: nothing listens there',
      remedy: `start a collector there, or set ${name} to where one listens${where}`,
    };
  }
  if (is('ENOTFOUND', 'EAI_AGAIN', 'Name resolution failed'))
    return {
      kind: 'name',
      found: 'is a name that cannot be resolved here',
      remedy: `set ${name} to a host that this machine can resolve`,
    };
  const reach = `let this machine reach it (firewall, network policy, proxy), or set ${name} to another collector`;
  if (is('EHOSTUNREACH', 'ENETUNREACH'))
    return { kind: 'unreachable', found: 'cannot be reached: there is no route to it', remedy: reach };
  if (is('ETIMEDOUT', 'timed out') || code === GRPC.deadline)
    return other(`does not answer within ${limit / 1000} seconds`, reach);
  if (SELF_SIGNED.test(text))
    return encryption(
      'has a certificate that is not trusted here: its authority is not known',
      `set ${authorityVariable(exporter, env)} to the file with the certificate of its authority`,
    );
  if (OTHER_NAME.test(text))
    return encryption('has a certificate for other names', `set ${name} to a name that the certificate has`);
  if (EXPIRED.test(text))
    return encryption('has a certificate that has expired', 'renew the certificate of the collector');
  if (PLAIN.test(text))
    return hasCredentials(env, exporter)
      ? encryption(
          'does not encrypt, and your credentials must not be sent so',
          `give the collector a certificate, or set ${name} to one that encrypts`,
        )
      : other('does not encrypt', `let ${name} begin with http://`);
  if (code === GRPC.unimplemented)
    return other(
      `does not take ${signal} (UNIMPLEMENTED)`,
      `give the collector a pipeline for ${signal}, or set ${exporterVariable(signal)}=none`,
    );
  return other(
    `does not answer as a collector for ${protocol}: ${text || 'no answer'}`,
    `set ${name} to a collector, and ${variable(undefined, 'PROTOCOL')} to its protocol`,
  );
}

function causeOfStatus(
  exporter: OtlpExporter,
  status: number,
  { message, contentType, isUnfinished }: Outcome,
  env: Env,
  name: string,
): Cause {
  const { signal } = exporter;
  const answers = `answers ${status}${message ? ` ${message}` : ''}`;
  if (isUnfinished === true)
    return other(
      `${answers}, and its response never ends`,
      `look into the log of the collector, or set ${name} to another one`,
    );
  if (status === 401 || status === 403 || status === 407) return credentials(exporter, env, answers);
  if (status === 404 || status === 405)
    return other(
      `${answers}: it does not know the path`,
      pathRemedy(exporter, env) ??
        `give the collector a pipeline for ${signal}, or set ${exporterVariable(signal)}=none; or set ${name} to a collector`,
    );
  if (status === 415)
    return other(
      `${answers}: it does not take ${exporter.protocol}`,
      `set ${variable(undefined, 'PROTOCOL')} to a protocol of the collector`,
    );
  if (contentType?.startsWith('text/html'))
    return other(`${answers} with a web page: it is not a collector`, `set ${name} to a collector`);
  return other(answers, `look into the log of the collector, or set ${name} to another one`);
}

/** The variable that names an authority for this signal's exports. */
function authorityVariable({ signal }: OtlpExporter, env: Env): string {
  const own = variable(signal, 'CERTIFICATE');
  return textOf(env, own) === undefined
    ? `${variable(undefined, 'CERTIFICATE')} or NODE_EXTRA_CA_CERTS`
    : own;
}

/** What to do about a path that can hardly be right. */
function pathRemedy({ signal, endpointBy, protocol }: OtlpExporter, env: Env): string | undefined {
  const written = textOf(env, endpointBy ?? '')?.trim() ?? '';
  if (endpointBy === undefined || protocol === 'grpc' || !URL.canParse(written)) return undefined;
  const { pathname } = new URL(written);
  const own = `/v1/${signal}`;
  if (endpointBy === variable(signal, 'ENDPOINT'))
    return pathname === '/' ? pathStep(endpointBy, own) : undefined;
  return pathname.endsWith(own) ? `take ${own} out of ${endpointBy}` : undefined;
}

/** Whether a collector asks for credentials, or for others. */
export function asksForCredentials({ status, code }: Outcome): boolean {
  return status === 401 || status === 403 || code === GRPC.unauthenticated || code === GRPC.forbidden;
}

/** Quotes the names of headers, and not their values, which are secret. */
function credentials({ signal }: OtlpExporter, env: Env, found: string): Cause {
  const variables = [variable(undefined, 'HEADERS'), variable(signal, 'HEADERS')];
  const set = variables.flatMap((name) =>
    list(env, name)
      .filter((entry) => entry.includes('='))
      .map((entry) => `${entry.split('=', 1)[0]?.trim()}=****`),
  );
  const by = variables.findLast((name) => list(env, name).length > 0);
  return {
    kind: 'credentials',
    found: `${found}; ${set.length === 0 ? 'no header is set' : `headers: ${set.join(', ')}`}`,
    remedy: `set ${by ?? variables[0]} to the credentials that the collector takes, such as authorization=Bearer%20<token>`,
  };
}

/** The reason in a message of gRPC. The text around it differs from call to call. */
function reasonIn(message: string): string {
  const reason = message.replace(/^\d+ [A-Z_]+: /, '');
  return /Last error: (.*?)(?: \(\d{4}-\S+\))?\.? Resolution note:/s.exec(reason)?.[1] ?? reason;
}
