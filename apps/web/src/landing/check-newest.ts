import { followLogKeys, httpSource, LogFault, parseEntry, readBundle, TILE_WIDTH } from '@fairtick/proof';
import { get } from '../api/client.ts';

/** Bundles of the log's end that are read. */
const BUNDLES = 2;

export interface NewestEntries {
  readonly count: number;
  /** Time of the newest one that has a time, Unix ms. */
  readonly untilMs: number;
  /** Whether they are those of the signed log, in the order of time, with no number of a product left out. */
  readonly isRight: boolean;
}

/**
 * Reads the end of the log, where the newest prices and settlements are.
 * @throws ServerTrouble, NetworkError
 */
export async function checkNewest(): Promise<NewestEntries> {
  const wrong = { count: 0, untilMs: 0, isRight: false };
  const source = httpSource(location.origin);
  const { checkpoints: key } = await get('transparency/key', {}, { isSilent: true });
  try {
    const { checkpoint } = await followLogKeys(source, [{ key }]);
    const last = Math.floor((checkpoint.size - 1) / TILE_WIDTH);
    const all: string[] = [];
    for (let number = Math.max(0, last - BUNDLES + 1); number <= last; number += 1) {
      const texts = await readBundle(number, checkpoint, source);
      if (texts === null) return wrong;
      all.push(...texts);
    }
    return judge(all);
  } catch (error) {
    if (error instanceof LogFault) return wrong;
    throw error;
  }
}

export function judge(texts: readonly string[]): NewestEntries {
  const numbers = new Map<string, number>();
  let untilMs = 0;
  let isRight = true;
  for (const text of texts) {
    const entry = parseEntry(text);
    if (entry === null) isRight = false;
    else if ('timeMs' in entry) {
      isRight &&= entry.timeMs >= untilMs;
      untilMs = entry.timeMs;
    }
    if (entry?.kind === 'tick' || entry?.kind === 'gap') {
      isRight &&= entry.n === (numbers.get(entry.symbol) ?? entry.n - 1) + 1;
      numbers.set(entry.symbol, entry.n);
    }
  }
  return { count: texts.length, untilMs, isRight };
}
