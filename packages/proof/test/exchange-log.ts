/** A small log of one product whose prices are trades of four exchanges, and these exchanges' own records. */
import { EXCHANGES, type Exchange, PublicRecord } from '@fairtick/kit/venues/public-record.ts';
import { type FixEntry, parseEntry } from '../src/index.ts';
import { fix, hash, next, RULES, record } from './story.ts';

const SYMBOL = 'BTC/USDT';
const PRICE = '60000.12';
const json = JSON.stringify({ ...RULES, decimals: 2, sources: EXCHANGES, symbol: SYMBOL });

export class ExchangeLog {
  readonly records = new Map<string, PublicRecord>(
    EXCHANGES.map((source) => [source, new PublicRecord(source)]),
  );
  readonly rules: string;
  readonly #startMs: number;

  /** @param startMs a whole second */
  constructor(startMs: number) {
    this.#startMs = startMs;
    this.rules = `rules|4|${SYMBOL}|1|${startMs - 86_400_000}|${'0'.repeat(64)}|${json}`;
    for (const each of this.records.values()) each.nowMs = () => Number.POSITIVE_INFINITY;
  }

  of(source: Exchange): PublicRecord {
    return this.records.get(source) as PublicRecord;
  }

  /** The n-th fix, whose trades the exchanges have on record, as is told or otherwise. */
  fix(n: number, told: { source?: Exchange; price?: string; closing?: string } = {}): string {
    const fixMs = this.#startMs + n * 1_000;
    const number = 500 + 2 * n;
    const parts = EXCHANGES.map((source) => {
      const own = this.of(source);
      own.add({ number: BigInt(number), timeMs: fixMs - 90, price: PRICE });
      own.add({ number: BigInt(number + 1), timeMs: fixMs + 120, price: PRICE });
      const after = next(PRICE, fixMs + 120, number + 1);
      const { price = PRICE, closing = after } = told.source === source ? told : {};
      return record(source, price, fixMs - 90, { number, closing });
    });
    return fix(
      { n, fixMs, timeMs: fixMs + 3_000, symbol: SYMBOL, rulesHash: hash(this.rules) },
      PRICE,
      parts,
    );
  }

  entry(n: number, told: Parameters<ExchangeLog['fix']>[1] = {}): FixEntry {
    return parseEntry(this.fix(n, told)) as FixEntry;
  }

  /** Asks an exchange without a network. */
  readonly ask = async (url: URL): Promise<unknown> => {
    for (const each of this.records.values()) {
      const answer = each.answer(url);
      if (answer?.status === 200) return JSON.parse(answer.body);
    }
    throw new Error('no answer');
  };
}
