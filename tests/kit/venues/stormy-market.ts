import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../hostile/random.ts';
import { FRAMES } from './frames.ts';
import type { PublicRecord } from './public-record.ts';
import { renamed } from './renamed.ts';
import { openRecords, openVenues, sourcesFile } from './venue-market.ts';
import type { VenueServer } from './venue-server.ts';

/** Fifty frames a second of each market at each venue. */
export const EVERY_MS = 20;
const LAG_MS = 5;
const FIRST_CENTS = 6_000_000;
/** A new fault begins after a random time up to this. */
const CALM_MS = 12_000;
const LONGEST_MS = 15_000;

/** What is wrong with a venue. Those that are harmless leave its right frames among others. */
const FAULTS = ['cut', 'frozen', 'silent', 'pings', 'away', 'limited', 'outlier', 'huge'] as const;
const HARMLESS = ['nonsense', 'twice', 'reordered', 'future'] as const;
export type Fault = (typeof FAULTS)[number] | (typeof HARMLESS)[number];

const NONSENSE = [
  'not json',
  '{"a":',
  '[]',
  'null',
  '{}',
  '{"data":null}',
  '{"channel":"ticker","data":[{}]}',
];
const BAD_PRICES = ['0', '-5', '1e400', '123456789012345678901234567890123456789012'];

interface Station {
  readonly source: string;
  readonly server: VenueServer;
  fault: { readonly kind: Fault; readonly untilMs: number } | null;
  /** Times in which a follower can't have had all its right frames. */
  readonly bad: { readonly fromMs: number; toMs: number }[];
  last: string;
}

/**
 * All venues on loopback, which send each market's price fifty times a second and fail at random. The price rises by a cent with each
 * step, so that a price names the moment at which it was said.
 */
export class StormyMarket {
  readonly file: string;
  /** How often each fault began. */
  readonly faults = new Map<Fault, number>();
  readonly records: ReadonlyMap<string, PublicRecord>;
  readonly #stations: readonly Station[];
  readonly #bases: readonly string[];
  readonly #random: Random;
  readonly #saidMs: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #nextFaultMs: number;

  private constructor(
    venues: ReadonlyMap<string, VenueServer>,
    options: { bases: readonly string[]; random: Random },
  ) {
    this.file = sourcesFile(venues);
    this.records = openRecords(venues);
    this.#stations = [...venues].map(([source, server]) => ({
      source,
      server,
      fault: null,
      bad: [],
      last: '',
    }));
    this.#bases = options.bases;
    this.#random = options.random;
    this.#nextFaultMs = Number.POSITIVE_INFINITY;
    this.#timer = setInterval(() => this.#step(), EVERY_MS);
  }

  static async open(options: { bases: readonly string[]; random: Random }): Promise<StormyMarket> {
    return new StormyMarket(await openVenues(), options);
  }

  /** From now on venues fail. */
  begin(): void {
    this.#nextFaultMs = Date.now();
  }

  /** When a price was said first, Unix ms; undefined: it never was. */
  saidMs(cents: number): number | undefined {
    return this.#saidMs[Math.floor(cents) - FIRST_CENTS];
  }

  /** No venue fails any more. */
  calm(): void {
    this.#nextFaultMs = Number.POSITIVE_INFINITY;
    for (const station of this.#stations) if (station.fault) this.#heal(station);
  }

  /** How many of these sources sent all their right frames in a span. */
  good(sources: readonly string[], fromMs: number, toMs: number): number {
    return this.#stations.filter(
      ({ source, bad }) =>
        sources.includes(source) && !bad.some((span) => span.fromMs <= toMs && span.toMs >= fromMs),
    ).length;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const { server } of this.#stations) await server.close();
    rmSync(dirname(this.file), { recursive: true });
  }

  #step(): void {
    const nowMs = Date.now();
    const step = this.#saidMs.push(nowMs) - 1;
    const price = ((FIRST_CENTS + step) / 100).toFixed(2);
    if (nowMs >= this.#nextFaultMs) {
      this.#fail(this.#random.of(this.#stations), nowMs);
      this.#nextFaultMs = nowMs + this.#random.whole(0, CALM_MS);
    }
    for (const station of this.#stations) {
      const { fault, server } = station;
      server.heard.length = 0;
      if (fault && nowMs >= fault.untilMs) this.#heal(station);
      const isBad = server.open === 0 || FAULTS.some((kind) => kind === station.fault?.kind);
      if (isBad) keepBad(station, nowMs);
      this.#say(station, { price, order: 1_000 + step, nowMs });
    }
  }

  #fail(station: Station, nowMs: number): void {
    if (station.fault) return;
    const { server } = station;
    const drawn = this.#random.of<Fault>([...FAULTS, ...HARMLESS]);
    // Two of three venues that err alike would make a price, as they should.
    const hasOutlier = this.#stations.some(({ fault }) => fault?.kind === 'outlier');
    const kind = drawn === 'outlier' && hasOutlier ? 'silent' : drawn;
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    station.fault = { kind, untilMs: nowMs + this.#random.whole(500, LONGEST_MS) };
    if (kind === 'frozen') server.freeze();
    if (kind === 'away') server.refuses = { status: 503 };
    if (kind === 'limited') server.refuses = { status: 429, headers: { 'retry-after': '2' } };
    if (kind === 'huge') server.say('x'.repeat(2 << 20));
    if (kind === 'cut' || kind === 'away' || kind === 'limited') server.cut();
  }

  #heal(station: Station): void {
    if (station.fault?.kind === 'frozen') station.server.thaw();
    station.fault = null;
    station.server.refuses = null;
  }

  #say(station: Station, { price, order, nowMs }: { price: string; order: number; nowMs: number }): void {
    const { server } = station;
    const kind = station.fault?.kind;
    const said = kind === 'outlier' ? String(Number(price) * 1.1) : price;
    const trade = { number: BigInt(order), timeMs: nowMs - LAG_MS, price: said };
    for (const base of this.#bases) this.records.get(station.source)?.add(trade, base);
    if (kind === 'pings' && order % 50 === 0) server.ping();
    if (kind === 'frozen' || kind === 'silent' || kind === 'pings') return;
    const frame = (text: string, atMs = nowMs - LAG_MS): string =>
      FRAMES[station.source]?.price({ bid: text, ask: text, atMs, order }) ?? '';
    const right = frame(said);
    const more: string[] = [];
    if (kind === 'twice') more.push(right);
    if (kind === 'reordered') more.push(station.last);
    if (kind === 'future') more.push(frame('1', nowMs + 60_000));
    if (kind === 'nonsense') server.say(...NONSENSE);
    station.last = right;
    for (const base of this.#bases) {
      if (kind === 'nonsense') server.say(renamed(frame(this.#random.of(BAD_PRICES)), base));
      for (const text of [right, ...more]) if (text !== '') server.say(renamed(text, base));
    }
  }
}

/** Two steps may lie between two looks. */
const BETWEEN_MS = 10 * EVERY_MS;

function keepBad({ bad }: Station, nowMs: number): void {
  const last = bad.at(-1);
  if (last && nowMs - last.toMs <= BETWEEN_MS) last.toMs = nowMs;
  else bad.push({ fromMs: nowMs, toMs: nowMs });
}
