import { createHmac, timingSafeEqual } from 'node:crypto';
import { points } from '@fairtick/money';
import type { Gap, GapReason, Tick } from '@fairtick/trading';
import { heardAt } from '../candles/candle-batch.ts';
import type { OrderStops } from '../order-stops.ts';
import type { LogHead } from './log-head.ts';
import type { IndexedEntry } from './log-reader.ts';

/** A tick or gap as screens need it: of its quotes only how many count, and when the newest of these was received. */
export type NewsEntry = (Omit<Tick, 'quotes'> | Omit<Gap, 'quotes'>) &
  Pick<IndexedEntry, 'index' | 'productId' | 'rulesId'> & {
    readonly sourcesNow: number;
    readonly heardMs: number | null;
  };

export interface LogNews {
  readonly entries: readonly NewsEntry[];
  /** The head, read after these entries: it covers at least them. */
  readonly head: Pick<LogHead, 'size' | 'root' | 'timeMs' | 'nowMs'>;
  /** The products' quotes after these entries, by product, as the writer has written them; null: they were read. */
  readonly quotes: ReadonlyMap<number, string> | null;
}

/** What a step of the log has for readers, as its writer sends it after the commit. */
export interface ReadyStep extends LogNews {
  /** The log's size before the step: who has another one has missed something. */
  readonly first: number;
  readonly quotes: ReadonlyMap<number, string>;
  /** What stopped orders when the step was made; null: unknown. */
  readonly stops: OrderStops | null;
}

export function newsOf({ quotes, ...entry }: IndexedEntry): NewsEntry {
  const sourcesNow = quotes.filter(({ use }) => use === 'use').length;
  return { ...entry, sourcesNow, heardMs: heardAt(quotes) };
}

/** In the order of the texts below the head. */
type Row = readonly [
  index: number,
  productId: number,
  rulesId: number,
  n: number,
  timeMs: number,
  price: string | null,
  reason: GapReason | null,
  sourcesNow: number,
  heardMs: number | null,
];

interface Head {
  readonly first: number;
  readonly size: number;
  readonly root: string;
  readonly timeMs: number;
  readonly nowMs: number;
  readonly stops:
    | readonly [
        OrderStops['all'],
        ReturnType<typeof entriesOf<'halted'>>,
        ReturnType<typeof entriesOf<'full'>>,
      ]
    | null;
  readonly rows: readonly Row[];
}

/** Lines: a code by which others' steps are told apart, the head, and the quotes of its rows, which go to readers as they are. */
export function writeStep({ first, entries, head, quotes, stops }: ReadyStep, key: Buffer): string {
  const { size, timeMs, nowMs } = head;
  const written: Head = {
    first,
    size,
    root: head.root.toString('base64'),
    timeMs,
    nowMs,
    stops: stops && [stops.all, entriesOf(stops, 'halted'), entriesOf(stops, 'full')],
    rows: entries.map((entry) => [
      entry.index,
      entry.productId,
      entry.rulesId,
      entry.n,
      entry.timeMs,
      entry.kind === 'tick' ? String(entry.price) : null,
      entry.kind === 'gap' ? entry.reason : null,
      entry.sourcesNow,
      entry.heardMs,
    ]),
  };
  const texts = entries.map(({ productId }) => quotes.get(productId) ?? '');
  const body = [JSON.stringify(written), ...texts].join('\n');
  return `${codeOf(body, key)}\n${body}`;
}

/** Null: not of a process that has the log's keys. */
export function readStep(text: string, key: Buffer): ReadyStep | null {
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  const [code, right] = [Buffer.from(text.slice(0, Math.max(end, 0))), Buffer.from(codeOf(body, key))];
  if (code.length !== right.length || !timingSafeEqual(code, right)) return null;
  const [first = '', ...texts] = body.split('\n');
  const { rows, stops, root, ...head } = JSON.parse(first) as Head;
  return {
    first: head.first,
    entries: rows.map(readRow),
    head: { ...head, root: Buffer.from(root, 'base64') },
    quotes: new Map(rows.map(([, productId], place) => [productId, texts[place] as string])),
    stops: stops && { all: stops[0], halted: new Map(stops[1]), full: new Map(stops[2]) },
  };
}

function readRow([index, productId, rulesId, n, timeMs, price, reason, sourcesNow, heardMs]: Row): NewsEntry {
  const common = { index, productId, rulesId, n, timeMs, sourcesNow, heardMs };
  return price === null
    ? { ...common, kind: 'gap', reason: reason as GapReason }
    : { ...common, kind: 'tick', price: points(BigInt(price)) };
}

const entriesOf = <K extends 'halted' | 'full'>(stops: OrderStops, kind: K) =>
  [...stops[kind]] as [number, OrderStops[K] extends ReadonlyMap<number, infer V> ? V : never][];

const codeOf = (body: string, key: Buffer): string => createHmac('sha256', key).update(body).digest('base64');
