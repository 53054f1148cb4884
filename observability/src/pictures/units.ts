/** Numbers as Grafana writes them in a unit. */

type Format = (value: number) => string;

/** At most one decimal, and none where it is 0. */
const rounded = (value: number) => String(Math.round(value * 10) / 10);

function scaled(value: number, steps: readonly (readonly [factor: number, name: string])[]): string {
  const [factor, name] = steps.find(([least]) => value >= least) ?? (steps.at(-1) as [number, string]);
  return `${rounded(value / factor)}${name}`;
}

const UNITS: Readonly<Record<string, Format>> = {
  none: rounded,
  percentunit: (value) => `${rounded(value * 100)}%`,
  short: (value) =>
    scaled(value, [
      [1e6, ' Mil'],
      [1e3, ' K'],
      [1, ''],
    ]),
  s: (value) =>
    value === 0
      ? '0 s'
      : scaled(value, [
          [3600, ' h'],
          [60, ' min'],
          [1, ' s'],
          [1e-3, ' ms'],
          [1e-6, ' µs'],
        ]),
  Bps: (value) =>
    scaled(value, [
      [1e6, ' MB/s'],
      [1e3, ' kB/s'],
      [1, ' B/s'],
    ]),
};

/** @throws where a unit was never used before; then it has to be written here how it looks */
export function formatOf(unit: string | undefined): Format {
  const format = UNITS[unit ?? 'none'];
  if (!format) throw new Error(`no format for the unit ${unit}`);
  return format;
}
