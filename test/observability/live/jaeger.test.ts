import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { STACK_CONFIG, startCollector } from './collector.js';
import { PROGRAMS, UNLESS_SKIPPED } from './go.js';
import { type FoundSpan, Jaeger, referred, tag } from './jaeger.js';
import { Servers } from './processes.js';
import { type Emitted, emit } from './traces.js';

const TRAFFIC = { seed: 5, requests: 80 };
/** The steps that the process makes around its last operations. */
const STEPS = ['acquire.sandbox', 'bridge.paperclip', 'session.turn', 'release.sandbox'];

describe.skipIf(!PROGRAMS).each(['http/protobuf', 'grpc'] as const)(
  `Jaeger, through the Collector over %s${UNLESS_SKIPPED}`,
  (protocol) => {
    const service = `paperclip-over-${protocol}`;
    const servers = new Servers();
    let jaeger: Jaeger;
    let emitted: Emitted[];
    let found: Map<string, FoundSpan>;

    beforeAll(async () => {
      if (!PROGRAMS) return;
      jaeger = await Jaeger.start(servers, PROGRAMS.jaeger);
      const { otlp } = await startCollector(servers, PROGRAMS.collector, STACK_CONFIG, {
        JAEGER_OTLP: jaeger.otlp,
      });
      emitted = await emit(TRAFFIC, {
        OTEL_SERVICE_NAME: service,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp[protocol],
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      });
      found = await jaeger.spans(
        service,
        emitted.map(({ id }) => id),
      );
    });
    afterAll(() => servers.close());

    const spanOf = (id: string | undefined): FoundSpan => {
      const span = found.get(id ?? '');
      if (!span) throw new Error(`Jaeger has no span ${id}`);
      return span;
    };

    it('knows the service', async () => {
      expect(await jaeger.services()).toEqual([service]);
    });

    it('knows its operations', async () => {
      const names = new Set([...emitted.map(({ name }) => name), ...STEPS]);
      expect((await jaeger.operations(service, 'internal')).sort()).toEqual([...names].sort());
    });

    it.each([TAG_UNSUPPORTED_DRIVER_OPERATION, TAG_MISSING_METADATA_FIELD, 'QUOTA_EXCEEDED'])(
      'finds the traces with %s',
      async (errorType) => {
        const failed = emitted.filter(({ attributes }) => attributes[ATTR_ERROR_TYPE] === errorType);
        const traces = await jaeger.traces(service, { [ATTR_ERROR_TYPE]: errorType });
        expect(failed.length).toBeGreaterThan(0);
        expect(traces.map(([span]) => span?.traceID).sort()).toEqual(
          [...new Set(failed.map(({ traceId }) => traceId))].sort(),
        );
        const spans = traces.flat().filter((span) => tag(span, ATTR_ERROR_TYPE) === errorType);
        expect(spans).toHaveLength(failed.length);
      },
    );

    it('finds operations on leases that lack certain fields', async () => {
      const fields = 'metadata.pluginId,metadata.provider';
      const lacking = emitted.filter(
        ({ attributes }) => attributes[ATTR_PAPERCLIP_LEASE_MISSING_FIELDS] === fields,
      );
      const traces = await jaeger.traces(service, { [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: fields });
      const spans = traces.flat().filter((span) => tag(span, ATTR_PAPERCLIP_LEASE_MISSING_FIELDS) === fields);
      expect(lacking.length).toBeGreaterThan(0);
      expect(spans.map(({ traceID, spanID }) => `${traceID} ${spanID}`).sort()).toEqual(
        lacking.map(({ id }) => id).sort(),
      );
    });

    it('finds the requests of the demo that fell back on a provider', async () => {
      const traces = await jaeger.traces(service, {
        [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: 'fallback',
        [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'e2b',
      });
      const fallbacks = emitted.filter(
        ({ attributes }) =>
          attributes[ATTR_PAPERCLIP_RECOVERY_KIND] === 'fallback' &&
          attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER] === 'e2b',
      );
      // Without the last, whose first span is not the demo's but a step of Paperclip.
      const inDemo = fallbacks.filter(({ parent }) => spanOf(parent).operationName.startsWith('POST'));
      expect(inDemo.length).toBeGreaterThan(0);
      expect(traces.map(([span]) => span?.traceID).sort()).toEqual(
        inDemo.map(({ traceId }) => traceId).sort(),
      );
    });

    it.each([
      ['fallback', TAG_UNSUPPORTED_DRIVER_OPERATION],
      ['reacquire', TAG_MISSING_METADATA_FIELD],
    ])('links each %s to the operation that failed with %s', (kind, errorType) => {
      const recoveries = emitted.filter(
        ({ attributes, link }) => attributes[ATTR_PAPERCLIP_RECOVERY_KIND] === kind && link,
      );
      expect(recoveries.length).toBeGreaterThan(0);
      for (const { id, link } of recoveries) {
        expect(tag(spanOf(id), ATTR_PAPERCLIP_RECOVERY_KIND)).toBe(kind);
        expect(referred(spanOf(id), 'FOLLOWS_FROM')).toEqual([link]);
        const failed = spanOf(link);
        expect(tag(failed, ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME)).toBe('open_duplex_channel');
        expect(tag(failed, ATTR_ERROR_TYPE)).toBe(errorType);
      }
    });

    it('links nothing else', () => {
      const links = [...found.values()].flatMap((span) => referred(span, 'FOLLOWS_FROM'));
      expect(links.sort()).toEqual(emitted.flatMap(({ link }) => link ?? []).sort());
    });

    it('shows every operation below its parent', () => {
      for (const { id, parent } of emitted) expect(referred(spanOf(id), 'CHILD_OF')).toEqual([parent]);
    });

    it("shows the operations of a step below Paperclip's step", () => {
      const parentsOf = (span: FoundSpan): string[] => {
        const [parent] = referred(span, 'CHILD_OF');
        return parent === undefined ? [] : [spanOf(parent).operationName, ...parentsOf(spanOf(parent))];
      };
      const inSteps = emitted.slice(-5).map(({ id }) => spanOf(id));
      expect(inSteps.map((span) => [span.operationName, ...parentsOf(span)])).toEqual([
        ['acquire_run_lease sandbox', 'acquire.sandbox'],
        ['open_duplex_channel sandbox', 'bridge.paperclip'],
        ['execute sandbox', 'session.turn'],
        ['release_run_lease sandbox', 'release_run_leases', 'release.sandbox'],
        ['release_run_leases', 'release.sandbox'],
      ]);
    });

    it('links from one trace to another', () => {
      const execute = emitted.at(-3);
      const refused = emitted.at(-4);
      expect(referred(spanOf(execute?.id), 'FOLLOWS_FROM')).toEqual([refused?.id]);
      expect(execute?.traceId).not.toBe(refused?.traceId);
    });
  },
);
