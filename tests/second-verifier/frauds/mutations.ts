/**
 * Mutations of a receipt, made by rule and not at random: every value of the document is dropped, replaced by other types,
 * changed slightly, and written in other ways; so is every field inside its texts; lists are cut, doubled and reordered; parts of
 * other receipts are inserted. This file knows nothing about a verifier's checks.
 */
export interface Mutation {
  readonly name: string;
  /** The document as text, because some mutations exist only in its notation. */
  readonly text: string;
}

type Tree = any;
/** Member names and list indexes, from the document down. */
type Path = readonly (string | number)[];

/** @param others receipts whose parts are inserted */
export function* mutationsOf(receipt: Tree, others: readonly Tree[]): Generator<Mutation> {
  const valid = [receipt, ...others].map((each) => JSON.stringify(each));
  const seen = new Set([...valid, ...[...harmless(receipt)].map(({ text }) => text)]);
  for (const mutation of all(receipt, others)) {
    // The same document, another valid one, or an equivalent one by the specification is no mutation.
    if (seen.has(mutation.text)) continue;
    seen.add(mutation.text);
    yield mutation;
  }
}

function* all(receipt: Tree, others: readonly Tree[]): Generator<Mutation> {
  for (const [path, value] of walk(receipt, [])) {
    const at = path.join('/');
    if (path.length > 0) {
      for (const [what, next] of replacements(value))
        yield { name: `${at}: ${what}`, text: replaced(receipt, path, next) };
      yield { name: `${at}: dropped`, text: edited(receipt, path, drop) };
      for (const [what, written] of writings(value))
        yield { name: `${at}: ${what}`, text: replacedByText(receipt, path, written) };
    }
    if (Array.isArray(value)) yield* reordered(receipt, path, value);
    else if (value !== null && typeof value === 'object') yield* renamed(receipt, path, value);
    for (const [place, other] of others.entries()) {
      const theirs = get(other, path);
      if (path.length > 0 && theirs !== undefined)
        yield { name: `${at}: that of receipt ${place}`, text: replaced(receipt, path, theirs) };
    }
  }
  yield* broken(JSON.stringify(receipt));
}

function* walk(value: Tree, path: Path): Generator<[Path, Tree]> {
  yield [path, value];
  if (value === null || typeof value !== 'object') return;
  for (const [name, part] of Object.entries(value))
    yield* walk(part, [...path, Array.isArray(value) ? Number(name) : name]);
}

const get = (tree: Tree, path: Path): Tree => path.reduce((at, name) => at?.[name], tree);

/** The document with the member at the path edited in a copy of its parent. */
function edited(receipt: Tree, path: Path, edit: (parent: Tree, name: string | number) => void): string {
  const copy = structuredClone(receipt);
  edit(get(copy, path.slice(0, -1)), path.at(-1) as string | number);
  return JSON.stringify(copy);
}
const replaced = (receipt: Tree, path: Path, value: Tree): string =>
  edited(receipt, path, (parent, name) => {
    parent[name] = value;
  });

const PLACE = 'the place of what JSON.stringify would not write';
const replacedByText = (receipt: Tree, path: Path, written: string): string =>
  // A function, because `$` has a special meaning in a replacement string.
  replaced(receipt, path, PLACE).replace(JSON.stringify(PLACE), () => written);

function drop(parent: Tree, name: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else delete parent[name];
}

function* replacements(value: Tree): Generator<[string, Tree]> {
  for (const other of [null, true, false, 0, 1, '', '0', [], {}, [value], { value }]) {
    yield [JSON.stringify(other).slice(0, 20), other];
  }
  if (typeof value === 'number') {
    for (const other of [
      value - 1,
      value + 1,
      -value,
      value + 0.5,
      value * 2,
      String(value),
      2 ** 53,
      2 ** 32,
    ])
      yield [`${other}`, other];
  } else if (typeof value === 'string') yield* texts(value);
}

/** Other notations of a value, which a careless reader would take for the same value or for another. */
function* writings(value: Tree): Generator<[string, string]> {
  if (typeof value === 'number') {
    const ways = [
      `${value}.0`,
      `${value}e0`,
      `0${value}`,
      `+${value}`,
      `-${value}`,
      `${value}.00000000000000001`,
    ];
    for (const way of [...ways, 'NaN', '1e999', '9007199254740993']) yield [`written ${way}`, way];
  }
  if (typeof value === 'string') {
    const text = JSON.stringify(value).slice(1, -1);
    for (const [what, added] of [
      ['half a surrogate', '\\ud800'],
      ['a zero', '\\u0000'],
      ['a line end', '\\n'],
      ['a bare line end', '\n'],
      ['an invisible sign', '\\u200b'],
      ['a space', ' '],
    ] as const) {
      yield [`${what} after it`, `"${text}${added}"`];
      yield [`${what} before it`, `"${added}${text}"`];
    }
  }
}

function* texts(text: string): Generator<[string, string]> {
  if (text.includes('\n')) yield* parts(text, '\n', 'line');
  if (text.includes('|')) {
    yield* parts(text, '|', 'field');
    yield* parts(text, ';', 'quote');
    yield* parts(text, ',', 'part');
  }
  yield* flips(text);
}

/** Flips a bit in characters of a text: in each of a short text, in some of a long one. */
function* flips(text: string): Generator<[string, string]> {
  const step = Math.max(1, Math.floor(text.length / 9));
  for (let at = 0; at < text.length; at += step) {
    const other = String.fromCharCode(text.charCodeAt(at) ^ (at % 2 ? 1 : 32));
    yield [`sign ${at} is ${other}`, text.slice(0, at) + other + text.slice(at + 1)];
  }
  yield ['cut at its end', text.slice(0, -1)];
  yield ['cut at its beginning', text.slice(1)];
  yield ['upper case', text.toUpperCase()];
  yield ['backwards', [...text].reverse().join('')];
  yield ['twice', text + text];
}

function* parts(text: string, by: string, called: string): Generator<[string, string]> {
  const all = text.split(by);
  const made = (edit: (parts: string[]) => void): string => {
    const copy = [...all];
    edit(copy);
    return copy.join(by);
  };
  for (const [at, part] of all.entries()) {
    for (const other of fields(part))
      yield [
        `${called} ${at} is ${other.slice(0, 40)}`,
        made((copy) => {
          copy[at] = other;
        }),
      ];
    yield [`${called} ${at} dropped`, made((copy) => copy.splice(at, 1))];
    yield [`${called} ${at} twice`, made((copy) => copy.splice(at, 0, part))];
    const next = all[at + 1];
    if (next !== undefined)
      yield [`${called} ${at} and the next swapped`, made((copy) => copy.splice(at, 2, next, part))];
  }
}

function* fields(part: string): Generator<string> {
  yield '';
  yield `${part} `;
  yield ` ${part}`;
  if (/^[0-9]+$/.test(part)) {
    const value = BigInt(part);
    yield* [`0${part}`, `+${part}`, `-${part}`, `${part}.0`, `${part}e0`, `${value + 1n}`, `${value - 1n}`];
    yield* [`${value + 250n}`, `${value + 1000n}`, `${value + 2n ** 64n}`];
  } else if (/^[0-9]+\.[0-9]+$/.test(part)) {
    yield* [`${part}0`, `0${part}`, `-${part}`, `+${part}`, part.slice(0, -1), part.replace('.', ',')];
    const last = Number(part.at(-1));
    yield `${part.slice(0, -1)}${(last + 1) % 10}`;
    yield `${part.slice(0, -1)}${(last + 9) % 10}`;
  }
  const opposite = OPPOSITES[part];
  if (opposite !== undefined) yield opposite;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  up: 'down',
  down: 'up',
  on: 'off',
  off: 'on',
  use: 'quiet',
  quiet: 'use',
  outlier: 'use',
  said: 'open',
  open: 'said',
  none: 'away',
  away: 'none',
  fix: 'close',
  close: 'fix',
  tick: 'gap',
};

function* reordered(receipt: Tree, path: Path, list: readonly Tree[]): Generator<Mutation> {
  const at = path.join('/');
  const put = (name: string, value: Tree): Mutation => ({
    name: `${at}: ${name}`,
    text: path.length === 0 ? JSON.stringify(value) : replaced(receipt, path, value),
  });
  yield put('reversed', [...list].reverse());
  yield put('twice', [...list, ...list]);
  yield put('empty', []);
  for (const [place, value] of list.entries()) {
    yield put(`${place} twice`, list.toSpliced(place, 0, value));
    yield put(`${place} at the end`, [...list.toSpliced(place, 1), value]);
    if (place + 1 < list.length)
      yield put(`${place} and the next swapped`, list.toSpliced(place, 2, list[place + 1], value));
  }
}

function* renamed(receipt: Tree, path: Path, object: Tree): Generator<Mutation> {
  const at = path.join('/') || 'the document';
  const put = (value: string): string => (path.length === 0 ? value : replacedByText(receipt, path, value));
  const members = Object.entries(object).map(([name, value]): [string, string] => [
    name,
    `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  ]);
  const written = members.map(([, text]) => text);
  yield { name: `${at}: a member more`, text: put(`{${[...written, '"more":0'].join()}}`) };
  yield { name: `${at}: a __proto__`, text: put(`{${[...written, '"__proto__":{}'].join()}}`) };
  for (const [place, [name, text]] of members.entries()) {
    const twice = [`${JSON.stringify(name)}:null`, `${JSON.stringify(name)}:0`, text];
    for (const again of twice) {
      yield {
        name: `${at}/${name}: twice, ${again.slice(0, 30)} first`,
        text: put(`{${[again, ...written].join()}}`),
      };
      yield {
        name: `${at}/${name}: twice, ${again.slice(0, 30)} last`,
        text: put(`{${[...written, again].join()}}`),
      };
    }
    const capital = `${JSON.stringify(name[0]?.toUpperCase() + name.slice(1))}${text.slice(name.length + 2)}`;
    yield {
      name: `${at}/${name}: in capitals`,
      text: put(`{${written.toSpliced(place, 1, capital).join()}}`),
    };
  }
}

function* broken(text: string): Generator<Mutation> {
  for (const [name, made] of [
    ['nothing', ''],
    ['cut', text.slice(0, -1)],
    ['more after it', `${text}0`],
    ['a byte order mark', `\uFEFF${text}`],
    ['in a list', `[${text}]`],
    ['as a text', JSON.stringify(text)],
    ['with a comma too many', `${text.slice(0, -1)},}`],
    ['twice', text + text],
    ['with a comment', `/* */${text}`],
  ] as const)
    yield { name, text: made };
}

const UNKNOWN_SIGNER = `— somebody.example/else ${Buffer.alloc(76, 7).toString('base64')}`;

/**
 * Changes that docs/receipt-format.md allows: the order of members, spaces and escapes are JSON's own; lines of other keys prove
 * nothing in a note, and a repeated valid line proves no more; an order without a fix of its settlement wins with its opening or without.
 */
export function* harmless(receipt: Tree): Generator<Mutation> {
  const members = Object.keys(receipt).reverse();
  const backwards = JSON.stringify(Object.fromEntries(members.map((name) => [name, receipt[name]])));
  const text = JSON.stringify(receipt);
  yield { name: 'members in another order', text: backwards };
  yield { name: 'with spaces and lines', text: `\r\n\t ${JSON.stringify(receipt, null, 2)}\n` };
  yield { name: 'with signs escaped', text: text.replaceAll('e', '\\u0065').replaceAll('/', '\\/') };
  const isUnfixed = receipt.entries?.some(({ role }: Tree) => role === 'waited');
  const opening = isUnfixed ? receipt.entries.filter(({ role }: Tree) => role === 'opening') : [];
  if (opening.length === 1) {
    const entries = receipt.entries.filter((entry: Tree) => !opening.includes(entry));
    yield { name: 'an unfixed order without its opening', text: replaced(receipt, ['entries'], entries) };
  }
  for (const path of [['checkpoint'], ['held', 'checkpoint'], ['acceptance', 'signed']]) {
    const note: unknown = get(receipt, path);
    if (typeof note !== 'string') continue;
    const [head = '', lines = ''] = note.split('\n\n');
    for (const [name, made] of [
      ['a line of another key after it', `${note}${UNKNOWN_SIGNER}\n`],
      ['a line of another key before it', `${head}\n\n${UNKNOWN_SIGNER}\n${lines}`],
      ['its line twice', `${note}${lines}`],
    ] as const)
      yield { name: `${path.join('/')}: ${name}`, text: replaced(receipt, path, made) };
  }
}
