/** SVG as text. */

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with its content, which is SVG already. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? decimal(value) : escaped(value ?? '')}"`);
  const opening = `<${name}${written.join('')}`;
  return content.length === 0 ? `${opening}/>` : `${opening}>${content.join('')}</${name}>`;
}

export interface TextStyle {
  readonly color: string;
  readonly size: number;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** @param y of the baseline */
export function text(content: string, x: number, y: number, style: TextStyle): string {
  const { color, size, weight, anchor } = style;
  const attributes = { x, y, fill: color, 'font-size': size, 'font-weight': weight, 'text-anchor': anchor };
  return element('text', attributes, escaped(content));
}

export function escaped(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** As short as it may be without being seen. */
export function decimal(value: number): string {
  return String(Math.round(value * 100) / 100);
}
