/** Reading XML, as strictly as browsers read SVG; Node.js has no parser for it. */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Of this element, without those within. */
  text: string;
}

const TAG = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const TEXT = /[^<&>]*(?:&(?:amp|lt|gt|quot|#\d+);[^<&>]*)*/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/**
 * Every element, in the order in which they begin.
 *
 * @throws where the text is not well-formed, or has what pictures do without: comments, instructions, CDATA
 */
export function parseXml(xml: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  const source = xml.trimEnd();
  for (let at = 0; at < source.length; ) {
    TAG.lastIndex = at;
    TEXT.lastIndex = at;
    const tag = TAG.exec(source);
    const text = TEXT.exec(source)?.[0] ?? '';
    const inner = open.at(-1);
    if (tag) {
      const [whole, closing, name = '', attributes = '', isEmpty] = tag;
      if (closing && inner?.name !== name) throw new Error(`</${name}> at ${at} closes <${inner?.name}>`);
      if (closing) open.pop();
      else {
        if (!inner && elements.length > 0) throw new Error(`a second root at ${at}`);
        const element = { name, attributes: parseAttributes(attributes), text: '' };
        elements.push(element);
        if (!isEmpty) open.push(element);
      }
      at += whole.length;
    } else if (text !== '' && inner) {
      inner.text += decoded(text);
      at += text.length;
    } else throw new Error(`not well-formed at ${at}: ${source.slice(at, at + 40)}`);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.map(({ name }) => name).join(', ')}`);
  return elements;
}

function parseAttributes(source: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of source.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`${name} is given twice`);
    if (!/^[^&]*(?:&(?:amp|lt|gt|quot|#\d+);[^&]*)*$/.test(value)) throw new Error(`a bare & in ${name}`);
    attributes[name] = decoded(value);
  }
  return attributes;
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|(\w+));/g, (_match, code?: string, name = '') =>
    code === undefined ? (ENTITIES[name] ?? '') : String.fromCodePoint(Number(code)),
  );
}
