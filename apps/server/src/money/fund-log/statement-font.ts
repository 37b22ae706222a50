import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

/**
 * Noto Sans SC (SIL Open Font License) comes in a hundred parts by ranges of characters, each with all weights. A statement needs
 * a few parts in one weight; the PDF embeds only the glyphs that it uses.
 */
const FOLDER = dirname(
  createRequire(import.meta.url).resolve('@fontsource-variable/noto-sans-sc/package.json'),
);
const REGULAR = { wght: 400 };
/** Stands for a character that is in none of the parts. */
const UNKNOWN = '?';

interface Part {
  readonly name: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** A piece of text in one part of the font. */
export interface Run {
  readonly name: string;
  readonly font: Buffer;
  readonly text: string;
}

/** The font's parts that some texts need. */
export class StatementFont {
  readonly #parts: readonly { readonly part: Part; readonly font: Buffer }[];

  private constructor(parts: readonly { part: Part; font: Buffer }[]) {
    this.#parts = parts;
  }

  /** Loads the parts with the characters of `texts`, and the Latin ones. */
  static async for(texts: readonly string[]): Promise<StatementFont> {
    const needed = new Set(
      [...`${UNKNOWN}${texts.join('')}`].map(partOf).filter((part) => part !== undefined),
    );
    return new StatementFont(
      await Promise.all([...needed].map(async (part) => ({ part, font: await load(part) }))),
    );
  }

  /** Splits text into runs, each in the part that has its characters. */
  runsOf(text: string): Run[] {
    const runs: { name: string; font: Buffer; text: string }[] = [];
    for (const given of text) {
      const found = this.#find(given);
      const { part, font } = found ?? this.#latin();
      const character = found ? given : UNKNOWN;
      const last = runs.at(-1);
      if (last?.name === part.name) last.text += character;
      else runs.push({ name: part.name, font, text: character });
    }
    return runs;
  }

  #find(character: string) {
    return this.#parts.find(({ part }) => has(part, character));
  }

  #latin() {
    const found = this.#find(UNKNOWN);
    if (!found) throw new Error('the font has no question mark');
    return found;
  }
}

let parts: readonly Part[] | null = null;
const loaded = new Map<string, Promise<Buffer>>();

function partOf(character: string): Part | undefined {
  parts ??= readParts();
  return parts.find((part) => has(part, character));
}

function has({ ranges }: Part, character: string): boolean {
  const code = character.codePointAt(0) as number;
  return ranges.some(([first, last]) => code >= first && code <= last);
}

/** Latin first, so that all figures come from one part. */
function readParts(): Part[] {
  const listed: Record<string, string> = JSON.parse(readFileSync(join(FOLDER, 'unicode.json'), 'utf8'));
  return Object.entries(listed)
    .sort(([one], [other]) => Number(other === 'latin') - Number(one === 'latin'))
    .map(([name, ranges]) => ({ name: name.replace(/[[\]]/g, ''), ranges: ranges.split(',').map(rangeOf) }));
}

function rangeOf(text: string): [number, number] {
  const [first = '', last = first] = text.replace('U+', '').split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}

/** Loads one weight of a part, once per process. */
function load(part: Part): Promise<Buffer> {
  const known = loaded.get(part.name);
  if (known) return known;
  const packed = readFileSync(join(FOLDER, 'files', `noto-sans-sc-${part.name}-wght-normal.woff2`));
  const font = subsetFont(packed, charactersOf(part), { targetFormat: 'truetype', variationAxes: REGULAR });
  loaded.set(part.name, font);
  return font;
}

function charactersOf({ ranges }: Part): string {
  const codes = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, place) => first + place),
  );
  return codes.map((code) => String.fromCodePoint(code)).join('');
}
