import { describe, expect, it } from 'vitest';
import { alternatives } from '../../../src/cli/otel/alternatives.js';
import { causeOf, type Outcome } from '../../../src/cli/otel/causes.js';
import { otlpExporter, type Protocol } from '../../../src/cli/otel/exporters.js';

const ENV = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example' };
const cause = (outcome: Omit<Outcome, 'isDone'>, protocol: Protocol = 'http/protobuf') =>
  causeOf(otlpExporter(ENV, 'metrics', protocol), { isDone: false, ...outcome }, ENV, 3_000);

describe('why an export fails, as Node.js and gRPC tell it', () => {
  it.each<[Omit<Outcome, 'isDone'>, Protocol, string, string]>([
    [
      { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
      'http/protobuf',
      'has a certificate that has expired',
      'renew the certificate of the collector',
    ],
    [
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: "Hostname/IP does not match certificate's altnames" },
      'http/protobuf',
      'has a certificate for other names',
      'set OTEL_EXPORTER_OTLP_ENDPOINT to a name that the certificate has',
    ],
    [
      {
        code: 14,
        message:
          '14 UNAVAILABLE: No connection established. Last error: Error: self-signed certificate. Resolution note: ',
      },
      'grpc',
      'has a certificate that is not trusted here: its authority is not known',
      'set OTEL_EXPORTER_OTLP_CERTIFICATE or NODE_EXTRA_CA_CERTS to the file with the certificate of its authority',
    ],
    [
      { code: 14, message: '14 UNAVAILABLE: Name resolution failed for target dns:collector.example' },
      'grpc',
      'is a name that cannot be resolved here',
      'set OTEL_EXPORTER_OTLP_ENDPOINT to a host that this machine can resolve',
    ],
    [
      { code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND collector.example' },
      'http/protobuf',
      'is a name that cannot be resolved here',
      'set OTEL_EXPORTER_OTLP_ENDPOINT to a host that this machine can resolve',
    ],
    [
      { code: 'EAI_AGAIN', message: 'getaddrinfo EAI_AGAIN collector.example' },
      'http/protobuf',
      'is a name that cannot be resolved here',
      'set OTEL_EXPORTER_OTLP_ENDPOINT to a host that this machine can resolve',
    ],
    [
      { code: 'EHOSTUNREACH', message: 'connect EHOSTUNREACH 10.0.0.1:4318' },
      'http/protobuf',
      'cannot be reached: there is no route to it',
      'let this machine reach it (firewall, network policy, proxy), or set OTEL_EXPORTER_OTLP_ENDPOINT to another collector',
    ],
    [
      {
        code: 14,
        message:
          '14 UNAVAILABLE: No connection established. Last error: Error: connect ENETUNREACH 10.0.0.1:4317. Resolution note: ',
      },
      'grpc',
      'cannot be reached: there is no route to it',
      'let this machine reach it (firewall, network policy, proxy), or set OTEL_EXPORTER_OTLP_ENDPOINT to another collector',
    ],
    [
      { code: 'ETIMEDOUT', message: 'connect ETIMEDOUT 10.0.0.1:4318' },
      'http/protobuf',
      'does not answer within 3 seconds',
      'let this machine reach it (firewall, network policy, proxy), or set OTEL_EXPORTER_OTLP_ENDPOINT to another collector',
    ],
    [
      { code: 12, message: '12 UNIMPLEMENTED: unknown service' },
      'grpc',
      'does not take metrics (UNIMPLEMENTED)',
      'give the collector a pipeline for metrics, or set OTEL_METRICS_EXPORTER=none',
    ],
    [
      { code: 7, message: '7 PERMISSION_DENIED: no' },
      'grpc',
      'refuses the credentials (PERMISSION_DENIED); no header is set',
      'set OTEL_EXPORTER_OTLP_HEADERS to the credentials that the collector takes, such as authorization=Bearer%20<token>',
    ],
  ])('%j', (outcome, protocol, found, remedy) => {
    expect(cause(outcome, protocol)).toMatchObject({ found, remedy });
  });

  it('an answer that does not end is told', () => {
    expect(cause({ status: 200, message: 'OK', code: 'ETIMEDOUT', isUnfinished: true })).toMatchObject({
      found: 'answers 200 OK, and its response never ends',
      remedy: 'look into the log of the collector, or set OTEL_EXPORTER_OTLP_ENDPOINT to another one',
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a' }, 'https://collector'],
    [{ OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'api-key=a' }, 'https://collector'],
    [{}, 'https://me:a@collector'],
    [{}, 'https://collector/in/a'],
    [{}, 'https://collector?key=a'],
    [{}, 'https://collector#a'],
  ])('with credentials nobody is told to go without encryption: %j, %s', (headers, endpoint) => {
    const env = { ...headers, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint };
    const exporter = otlpExporter(env, 'metrics', 'http/protobuf');
    const outcome = { isDone: false, code: 'EPROTO', message: 'wrong version number' };
    expect(causeOf(exporter, outcome, env, 3_000)).toEqual({
      kind: 'encryption',
      found: 'does not encrypt, and your credentials must not be sent so',
      remedy:
        'give the collector a certificate, or set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT to one that encrypts',
    });
    const others = alternatives(env, exporter, false).map(({ url }) => url);
    expect(others.filter((url) => url.startsWith('http:'))).toEqual([]);
  });

  it('the authority is named by the variable that is set', () => {
    const env = { ...ENV, OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: 'other.pem' };
    const outcome = { isDone: false, code: 'SELF_SIGNED_CERT_IN_CHAIN' };
    expect(causeOf(otlpExporter(env, 'metrics', 'http/protobuf'), outcome, env, 1)).toMatchObject({
      kind: 'encryption',
      remedy: 'set OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE to the file with the certificate of its authority',
    });
  });

  it.each([
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://host/v1/metrics',
      'take /v1/metrics out of OTEL_EXPORTER_OTLP_ENDPOINT',
    ],
    [
      'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
      'http://me:a@host',
      'change the path in OTEL_EXPORTER_OTLP_METRICS_ENDPOINT to /v1/metrics',
    ],
  ])('a path that can hardly be right: %s=%s', (name, endpoint, remedy) => {
    const env = { [name]: endpoint };
    expect(
      causeOf(otlpExporter(env, 'metrics', 'http/json'), { isDone: false, status: 404 }, env, 1),
    ).toEqual({
      kind: 'other',
      found: 'answers 404: it does not know the path',
      remedy,
    });
  });

  it('is the same text for each call', () => {
    const message = (time: string) =>
      `14 UNAVAILABLE: No connection established. Last error: Protocol error (${time}). Resolution note: `;
    for (const time of ['2026-11-30T13:21:51.420Z', '2026-11-30T13:21:52.001Z'])
      expect(cause({ code: 14, message: message(time) }, 'grpc').found).toBe(
        'does not answer as a collector for grpc: 14 Protocol error',
      );
  });
});
