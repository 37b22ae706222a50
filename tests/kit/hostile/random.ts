/** Random choices that repeat for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 (included) to 1 (excluded), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  isLikely(share: number): boolean {
    return this.next() < share;
  }

  of<T>(values: readonly T[]): T {
    return values[this.whole(0, values.length - 1)] as T;
  }
}

type Piece = { readonly min: number; readonly max: number; make(random: Random): string };

/** Text that matches a pattern. Supports the constructs of the API's patterns: classes, groups, alternatives and counts. */
export function textLike(pattern: string, random: Random): string {
  const parser = new PatternParser(pattern.replace(/^\^/, '').replace(/\$$/, ''));
  const text = parser.choices()(random);
  if (!new RegExp(pattern, 'u').test(text)) throw new Error(`made ${JSON.stringify(text)} of ${pattern}`);
  return text;
}

const LETTERS = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place));
/** Non-ASCII characters, for patterns that exclude characters instead of listing them. */
const OTHERS = ['é', 'ß', '中', '文', 'Ж', 'ع', '😀', '½'];

class PatternParser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  choices(): (random: Random) => string {
    const options = [this.#sequence()];
    while (this.#pattern[this.#at] === '|') {
      this.#at += 1;
      options.push(this.#sequence());
    }
    return (random) => random.of(options)(random);
  }

  #sequence(): (random: Random) => string {
    const pieces: Piece[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] as string)) {
      const make = this.#atom();
      pieces.push({ make, ...this.#count() });
    }
    return (random) =>
      pieces
        .map(({ make, min, max }) =>
          Array.from({ length: random.whole(min, max) }, () => make(random)).join(''),
        )
        .join('');
  }

  #atom(): (random: Random) => string {
    const sign = this.#pattern[this.#at] as string;
    this.#at += 1;
    if (sign === '(') {
      if (this.#pattern.startsWith('?:', this.#at)) this.#at += 2;
      const inner = this.choices();
      this.#at += 1;
      return inner;
    }
    if (sign === '[') {
      const end = this.#pattern.indexOf(']', this.#at);
      const isWanted = new RegExp(`[${this.#pattern.slice(this.#at, end)}]`, 'u');
      this.#at = end + 1;
      const letters = [...LETTERS, ...OTHERS].filter((letter) => isWanted.test(letter));
      return (random) => random.of(letters);
    }
    if (sign !== '\\') return () => sign;
    const escaped = this.#pattern[this.#at] as string;
    this.#at += 1;
    return escaped === 'd' ? (random) => String(random.whole(0, 9)) : () => escaped;
  }

  #count(): { min: number; max: number } {
    const [whole, sign, min, comma, max] =
      /^(?:([?*+])|\{(\d+)(,?)(\d*)\})/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (whole === undefined) return { min: 1, max: 1 };
    this.#at += whole.length;
    if (sign) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : 4 };
    return { min: Number(min), max: max ? Number(max) : Number(min) + (comma ? 4 : 0) };
  }
}
