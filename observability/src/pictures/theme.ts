/** Colours and letters, as Grafana has them. */

export interface Theme {
  readonly name: 'light' | 'dark';
  readonly canvas: string;
  readonly panel: string;
  readonly border: string;
  readonly grid: string;
  readonly text: string;
  readonly faint: string;
  /** The colours that thresholds name. */
  readonly named: Readonly<Record<string, string>>;
  /** The colours of series; those of thresholds come late. */
  readonly palette: readonly string[];
}

export const FONT = "Inter, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";

export const THEMES: readonly Theme[] = [
  {
    name: 'light',
    canvas: '#f4f5f5',
    panel: '#ffffff',
    border: '#dcdee0',
    grid: '#e8e9ea',
    text: '#24292e',
    faint: '#636b73',
    named: { green: '#56a64b', orange: '#ff780a', red: '#e02f44', blue: '#3274d9' },
    palette: [
      ...['#3274d9', '#56a64b', '#8f3bb8', '#e0b400', '#37a2b4', '#ff780a'],
      ...['#e02f44', '#b877d9', '#96581e', '#19730e', '#d64f9b', '#7c8591'],
    ],
  },
  {
    name: 'dark',
    canvas: '#111217',
    panel: '#181b1f',
    border: '#2d2f36',
    grid: '#26292e',
    text: '#ccccdc',
    faint: '#8e8e9a',
    named: { green: '#73bf69', orange: '#ff9830', red: '#f2495c', blue: '#5794f2' },
    palette: [
      ...['#5794f2', '#73bf69', '#b877d9', '#fade2a', '#4fc3d6', '#ff9830'],
      ...['#f2495c', '#deb6f2', '#c4894a', '#37872d', '#f27fc0', '#9aa3ae'],
    ],
  },
];

/** The same colour for the same name, in all panels of a picture. */
export class Palette {
  readonly #colors: readonly string[];
  readonly #byName = new Map<string, string>();

  constructor(colors: readonly string[]) {
    this.#colors = colors;
  }

  /** @param names of a panel's series, which should differ in colour */
  colorsOf(names: readonly string[]): string[] {
    const used = new Set(names.map((name) => this.#byName.get(name)));
    return names.map((name, index) => {
      const free = () => this.#colors.find((color) => !used.has(color));
      const color = this.#byName.get(name) ?? free() ?? (this.#colors[index % this.#colors.length] as string);
      this.#byName.set(name, color);
      used.add(color);
      return color;
    });
  }
}

/** Black or white, whichever is easier to read on the colour. */
export function readableOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  // Relative luminance and contrast as WCAG 2 defines them: above this value black has more contrast than white.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#111217' : '#ffffff';
}
