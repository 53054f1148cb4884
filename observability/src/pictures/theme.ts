/** Colours and letters of the pictures of traces, as Grafana has them. */

export interface Theme {
  readonly name: 'light' | 'dark';
  readonly canvas: string;
  readonly panel: string;
  readonly border: string;
  readonly grid: string;
  readonly text: string;
  readonly faint: string;
  readonly orange: string;
  readonly red: string;
  readonly blue: string;
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
    orange: '#ff780a',
    red: '#e02f44',
    blue: '#3274d9',
  },
  {
    name: 'dark',
    canvas: '#111217',
    panel: '#181b1f',
    border: '#2d2f36',
    grid: '#26292e',
    text: '#ccccdc',
    faint: '#8e8e9a',
    orange: '#ff9830',
    red: '#f2495c',
    blue: '#5794f2',
  },
];
