import { parse } from 'csv-parse/sync';
import { DomHandler, type Element, isTag } from 'domhandler';
import { DomUtils, Parser } from 'htmlparser2';

export interface ListEntry {
  readonly kind: 'name' | 'address';
  readonly reference: string;
  readonly text: string;
}

const MOST_ENTRIES = 200_000;
/** `Digital Currency Address - XBT 12ab…` among the remarks of the SDN list. */
const CURRENCY_ADDRESS = /Digital Currency Address - \w+ ([A-Za-z0-9]{20,100})/g;

/**
 * The names and addresses of a list: OFAC's SDN list as XML or CSV, or a CSV with the columns kind (`name` or `address`), reference, text.
 * @throws Error that names the line
 */
export function listEntries(text: string): ListEntry[] {
  const start = text.slice(0, 2_000).trimStart();
  const found = start.startsWith('<') ? sdnXml(text) : csvEntries(text);
  if (found.length === 0) throw new Error('the file has no names and no addresses');
  if (found.length > MOST_ENTRIES) throw new Error(`the file has more than ${MOST_ENTRIES} entries`);
  return found;
}

function csvEntries(text: string): ListEntry[] {
  const rows = parse(text, {
    relax_column_count: true,
    skip_empty_lines: true,
    relax_quotes: true,
    bom: true,
  }) as string[][];
  const head = rows[0]?.map((cell) => cell.trim().toLowerCase()) ?? [];
  const isOurs = ['kind', 'reference', 'text'].every((name, at) => head[at] === name);
  if (!isOurs) return rows.flatMap(sdnRow);
  return rows.slice(1).map(([kind = '', reference = '', value = ''], at) => {
    const fits = (kind === 'name' || kind === 'address') && reference !== '' && value.trim() !== '';
    if (!fits) throw new Error(`row ${at + 2} has no kind, reference or text`);
    return entry(kind, reference, value);
  });
}

/** SDN.CSV: number, name, type, programme, …, remarks. The last row is a sign for the end of the file. */
function sdnRow(row: string[], at: number): ListEntry[] {
  const [number = '', name = ''] = row.map((cell) => cell.trim());
  if (!/^\d+$/.test(number)) {
    if (/^\W*$/.test(number)) return [];
    throw new Error(`row ${at + 1} is no row of the SDN list`);
  }
  const addresses = [...(row[11] ?? '').matchAll(CURRENCY_ADDRESS)].map(([, address = '']) => address);
  return [entry('name', number, name), ...addresses.map((address) => entry('address', number, address))];
}

const MAX_DEPTH = 20;

function sdnXml(text: string): ListEntry[] {
  if (/<!(doctype|entity)/i.test(text.slice(0, 10_000))) throw new Error('the file has a DTD');
  const found: ListEntry[] = [];
  const handler = new DomHandler(undefined, { xmlMode: true });
  let depth = 0;
  const open = handler.onopentag.bind(handler);
  const close = handler.onclosetag.bind(handler);
  handler.onopentag = (name, attributes) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new Error('the file is nested too deeply');
    open(name, attributes);
  };
  handler.onclosetag = () => {
    depth -= 1;
    close();
  };
  new Parser(handler, { xmlMode: true }).end(text);
  const root = handler.root.children.find(isTag);
  for (const one of root ? named(root, 'sdnEntry') : []) {
    const number = textOf(one, 'uid');
    const people = [one, ...named(one, 'akaList').flatMap((list) => named(list, 'aka'))];
    for (const person of people) {
      const name = [textOf(person, 'firstName'), textOf(person, 'lastName')].filter(Boolean).join(' ');
      if (name !== '') found.push(entry('name', number, name));
    }
    for (const id of named(one, 'idList').flatMap((list) => named(list, 'id')))
      if (/^Digital Currency Address/.test(textOf(id, 'idType')))
        found.push(entry('address', number, textOf(id, 'idNumber')));
  }
  return found;
}

const named = (parent: Element, name: string): Element[] =>
  parent.children.filter((node): node is Element => isTag(node) && node.name === name);

function textOf(parent: Element, name: string): string {
  const [child] = named(parent, name);
  return child ? DomUtils.textContent(child).trim() : '';
}

const entry = (kind: ListEntry['kind'], reference: string, text: string): ListEntry => ({
  kind,
  reference: reference.trim().slice(0, 100),
  text: text.trim().slice(0, 300),
});
