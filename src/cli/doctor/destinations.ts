/** Where telemetry goes, in words. */
import type { Exporter, OtlpExporter, Signal } from './exporters.js';

/** @returns the signals by where they go, in words */
export function destinations(exporters: readonly Exporter[]): Map<string, Signal[]> {
  const signals = new Map<string, Signal[]>();
  for (const exporter of exporters) {
    const what = destination(exporter);
    signals.set(what, [...(signals.get(what) ?? []), exporter.signal]);
  }
  return signals;
}

function destination(exporter: Exporter): string {
  switch (exporter.type) {
    case 'otlp':
      return `otlp to ${placeOf(exporter)}`;
    case 'console':
      return 'console';
    case 'zipkin':
      return `zipkin to ${exporter.url}`;
    case 'prometheus':
      return `prometheus on port ${exporter.port}${exporter.host === undefined ? '' : ` of ${exporter.host}`}`;
  }
}

export function placeOf(exporter: OtlpExporter): string {
  return `${addressOf(exporter)} (${exporter.protocol})`;
}

/** Without the path that belongs to the signal, so that signals with the same base are one. */
export function addressOf({ url, signal }: OtlpExporter): string {
  return url.replace(new RegExp(`/v1/${signal}$`), '');
}
