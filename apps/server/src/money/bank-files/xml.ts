/** An element: its name, its attributes, and its text or its children. A child that is null is left out. */
export type XmlNode = readonly [
  name: string,
  content: string | readonly (XmlNode | null)[],
  attributes?: Readonly<Record<string, string>>,
];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Characters that no XML 1.0 document can have, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const escaped = (text: string): string => {
  if (FORBIDDEN.test(text)) throw new Error('a character that XML does not have');
  return text.replace(/[&<>"\r\n\t]/g, (sign) => ESCAPES[sign] as string);
};

/** A document in UTF-8 without whitespace between elements. Names are the caller's own and not escaped. */
export const xmlDocument = (root: XmlNode): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${written(root)}\n`);

function written([name, content, attributes = {}]: XmlNode): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inner =
    typeof content === 'string'
      ? escaped(content)
      : content
          .filter((child) => child !== null)
          .map(written)
          .join('');
  return `<${name}${pairs.join('')}>${inner}</${name}>`;
}
