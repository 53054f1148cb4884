/** Why an export failed, and what to do where nothing else answers. */
import { exporterVariable, list, type OtlpExporter, variable } from './exporters.js';
import type { Outcome } from './probes/export.js';

export interface Cause {
  readonly kind: 'refused' | 'name' | 'unreachable' | 'late' | 'tls' | 'credentials' | 'answer' | 'other';
  /** Follows the place. */
  readonly found: string;
  /** What was asked for, where that is what is wrong; follows what was found. */
  readonly path?: string;
  readonly remedy: string;
}

type Env = Readonly<NodeJS.ProcessEnv>;

/** Status codes of gRPC. */
const GRPC = { deadline: 4, forbidden: 7, unimplemented: 12, unauthenticated: 16 } as const;
const SELF_SIGNED =
  /self.signed|unable to (?:verify|get (?:local )?issuer)|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/i;
const OTHER_NAME = /altnames|ALTNAME_INVALID/i;
const EXPIRED = /CERT_HAS_EXPIRED|certificate has expired/i;
const PLAIN = /wrong version number|packet length too long|ssl3_get_record/i;

/** @param limit how long it was waited, in milliseconds */
export function causeOf(exporter: OtlpExporter, outcome: Outcome, env: Env, limit: number): Cause {
  const { status, code, message = '' } = outcome;
  const name = exporter.endpointBy ?? variable(undefined, 'ENDPOINT');
  const text = `${code ?? ''} ${plain(message)}`.trim();
  const is = (...codes: string[]) => codes.some((each) => text.includes(each));

  if (status !== undefined) return ofStatus(exporter, outcome, env, name);
  if (code === GRPC.unauthenticated || code === GRPC.forbidden)
    return credentials(
      exporter,
      env,
      `refuses the credentials (${code === GRPC.forbidden ? 'PERMISSION_DENIED' : 'UNAUTHENTICATED'})`,
    );
  if (is('ECONNREFUSED')) {
    const isLocal = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(exporter.url);
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
    return {
      kind: 'unreachable',
      found: 'cannot be reached: there is no route to it',
      remedy: reach,
    };
  if (is('ETIMEDOUT', 'timed out') || code === GRPC.deadline)
    return { kind: 'late', found: `does not answer within ${limit / 1000} seconds`, remedy: reach };
  if (SELF_SIGNED.test(text))
    return {
      kind: 'tls',
      found: 'has a certificate of an authority that is not known here',
      remedy: `set ${variable(undefined, 'CERTIFICATE')} to the file with the certificate of its authority`,
    };
  if (OTHER_NAME.test(text))
    return {
      kind: 'tls',
      found: 'has a certificate for other names',
      remedy: `set ${name} to a name that the certificate has`,
    };
  if (EXPIRED.test(text))
    return {
      kind: 'tls',
      found: 'has a certificate that has expired',
      remedy: 'renew the certificate of the collector',
    };
  if (PLAIN.test(text))
    return { kind: 'tls', found: 'does not encrypt', remedy: `set ${name} to a URL with http://` };
  if (code === GRPC.unimplemented)
    return {
      kind: 'answer',
      found: `does not take ${exporter.signal} (UNIMPLEMENTED)`,
      remedy: `give the collector a pipeline for ${exporter.signal}, or set ${exporterVariable(exporter.signal)}=none`,
    };
  return {
    kind: 'other',
    found: `does not answer as a collector for ${exporter.protocol}: ${text || 'no answer'}`,
    remedy: `set ${name} to a collector, and ${variable(undefined, 'PROTOCOL')} to its protocol`,
  };
}

function ofStatus(
  exporter: OtlpExporter,
  { status = 0, message, contentType }: Outcome,
  env: Env,
  name: string,
): Cause {
  const { signal } = exporter;
  const answers = `answers ${status}${message ? ` ${message}` : ''}`;
  if (status === 401 || status === 403 || status === 407) return credentials(exporter, env, answers);
  if (status === 404 || status === 405)
    return {
      kind: 'answer',
      found: answers,
      path: exporter.url.replace(/^\w+:\/\/[^/]*|\?.*/g, ''),
      remedy: `give the collector a pipeline for ${signal}, or set ${exporterVariable(signal)}=none; or set ${name} to a collector`,
    };
  if (status === 415)
    return {
      kind: 'answer',
      found: `${answers}: it does not take ${exporter.protocol}`,
      remedy: `set ${variable(undefined, 'PROTOCOL')} to a protocol of the collector`,
    };
  if (contentType?.startsWith('text/html'))
    return {
      kind: 'answer',
      found: `${answers} with a web page: it is not a collector`,
      remedy: `set ${name} to a collector`,
    };
  return {
    kind: 'answer',
    found: answers,
    remedy: `look into the log of the collector, or set ${name} to another one`,
  };
}

/** Values are secret, names are not. */
function credentials({ signal }: OtlpExporter, env: Env, found: string): Cause {
  const variables = [variable(undefined, 'HEADERS'), variable(signal, 'HEADERS')];
  const set = variables.flatMap((name) =>
    list(env, name)
      .filter((entry) => entry.includes('='))
      .map((entry) => `${entry.split('=', 1)[0]?.trim()}=****`),
  );
  const [by] = variables.filter((name) => list(env, name).length > 0).slice(-1);
  return {
    kind: 'credentials',
    found: `${found}; ${set.length === 0 ? 'no header is set' : `headers: ${set.join(', ')}`}`,
    remedy: `set ${by ?? variables[0]} to the credentials that the collector takes, such as authorization=Bearer%20<token>`,
  };
}

/** Without what gRPC puts around the reason: that differs from call to call. */
function plain(message: string): string {
  const reason = message.replace(/^\d+ [A-Z_]+: /, '');
  return /Last error: (.*?)(?: \(\d{4}-\S+\))?\.? Resolution note:/s.exec(reason)?.[1] ?? reason;
}
