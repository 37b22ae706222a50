/** An entry of a list. */
export interface Listed {
  readonly list: string;
  readonly reference: string;
  readonly text: string;
}

export interface Match {
  readonly list: string;
  readonly reference: string;
  readonly listed: string;
  /** Percent; 100 is equal. */
  readonly score: number;
}

/** The least similarity that people look at, percent. */
const LEAST = 60;
/** The best matches of one name that are kept. */
const MOST = 20;

/** A name's words without accents, case and signs. */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** The trigrams of each word with two blanks before and one after it, as pg_trgm has them, so that the order of words is no matter. */
function trigramsOf(name: string): Set<string> {
  const found = new Set<string>();
  for (const word of wordsOf(name)) {
    const padded = [...`  ${word} `];
    for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3).join(''));
  }
  return found;
}

interface Entry {
  readonly listed: Listed;
  readonly size: number;
}

/** Names of lists, found by the trigrams that they share with a name: shared ones divided by all of both. */
export class NameIndex {
  readonly #entries: readonly Entry[];
  readonly #places = new Map<string, number[]>();

  constructor(all: readonly Listed[]) {
    this.#entries = all.map((listed, place) => {
      const trigrams = trigramsOf(listed.text);
      for (const trigram of trigrams) {
        const places = this.#places.get(trigram);
        if (places) places.push(place);
        else this.#places.set(trigram, [place]);
      }
      return { listed, size: trigrams.size };
    });
  }

  matches(name: string): Match[] {
    const trigrams = trigramsOf(name);
    const shared = new Map<number, number>();
    for (const trigram of trigrams)
      for (const place of this.#places.get(trigram) ?? []) shared.set(place, (shared.get(place) ?? 0) + 1);
    const found: Match[] = [];
    for (const [place, count] of shared) {
      const { listed, size } = this.#entries[place] as Entry;
      const score = Math.floor((100 * count) / (trigrams.size + size - count));
      if (score >= LEAST)
        found.push({ list: listed.list, reference: listed.reference, listed: listed.text, score });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, MOST);
  }
}
