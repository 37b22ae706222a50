import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ALL_FRAMES, FRAME_KEYS, FRAMES, KEYED_FRAMES } from './frames.ts';
import { EXCHANGES, type Exchange, PublicRecord } from './public-record.ts';
import { SignedRecord } from './signed-record.ts';
import { VenueServer } from './venue-server.ts';

const EVERY_MS = 100;
/** A venue's own time is this long before its frame. */
const LAG_MS = 20;
const CENTS = 100;

const CARRIERS: Readonly<Record<string, 'lines' | 'events'>> = { oanda: 'lines', pyth: 'events' };

/** The key and the account of each source that asks for them. */
export const VENUE_KEY = 'a-key.that-nobody_may~see-0123456789';
export const VENUE_ACCOUNT = '101-004-1234567-001';

/** A venue on loopback for each exchange, and for these vendors. */
export async function openVenues(
  vendors: readonly ('oanda' | 'pyth' | 'tiingo')[] = [],
): Promise<Map<string, VenueServer>> {
  const venues = new Map<string, VenueServer>();
  for (const source of [...Object.keys(FRAMES), ...vendors])
    venues.set(source, await VenueServer.start({ carrier: CARRIERS[source] ?? 'socket' }));
  return venues;
}

/** The public records of the exchanges among venues, which their servers answer from. */
export function openRecords(venues: ReadonlyMap<string, VenueServer>): Map<string, PublicRecord> {
  return new Map(
    EXCHANGES.map((source) => {
      const record = new PublicRecord(source);
      const server = venues.get(source) as VenueServer;
      server.history = (url) => record.answer(url);
      return [source, record];
    }),
  );
}

/** Writes the addresses of venues, and the keys of those that ask for one, in a folder of its own. */
export function sourcesFile(venues: ReadonlyMap<string, VenueServer>): string {
  const file = join(mkdtempSync(join(tmpdir(), 'fairtick-venues-')), 'sources.json');
  const keys = { key: VENUE_KEY, account: VENUE_ACCOUNT };
  const entries = [...venues].map(([source, { url }]) => [
    source,
    {
      url,
      ...(source in KEYED_FRAMES ? keys : {}),
      ...(source === 'pyth' ? { signers: FRAME_KEYS } : {}),
      ...(EXCHANGES.includes(source as Exchange) ? { historyUrl: url.replace('ws:', 'http:') } : {}),
    },
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
  return file;
}

/** Venues on loopback, which move together around one price, and a file that names their addresses. */
export class VenueMarket {
  readonly venues: Map<string, VenueServer>;
  readonly file: string;
  readonly records: ReadonlyMap<string, PublicRecord>;
  readonly #signed = new SignedRecord();
  readonly #timer: NodeJS.Timeout;
  readonly #silent = new Set<string>();
  readonly #muted = new Set<string>();
  /** How long after its sending each venue's frame leaves, in ms. */
  readonly #wayMs: (at: number) => number;
  /** How far the venues' clocks are ahead of ours, in ms. One that is set back says nothing until it is where it was. */
  clockMs = 0;
  readonly #lateMs = new Map<string, number>();
  #lastMs = 0;
  #order = 1_000;
  #cents = 6_500_000;

  private constructor(venues: Map<string, VenueServer>, [least, most]: readonly [number, number]) {
    this.venues = venues;
    this.#wayMs = (at) => least + ((most - least) * at) / Math.max(1, venues.size - 1);
    this.file = sourcesFile(venues);
    this.records = openRecords(venues);
    const pyth = venues.get('pyth');
    for (const [source, record] of this.records)
      record.nowMs = () => Date.now() + this.clockMs - (this.#lateMs.get(source) ?? 0);
    if (pyth) pyth.history = (url) => this.#signed.answer(url);
    this.#timer = setInterval(() => this.#move(), EVERY_MS);
  }

  /**
   * @param vendors sources that ask for a key, beside all exchanges
   * @param wayMs how far away the nearest and the furthest venue are
   */
  static async open({
    vendors = [],
    wayMs = [0, 0],
  }: {
    vendors?: readonly ('oanda' | 'pyth' | 'tiingo')[];
    wayMs?: readonly [number, number];
  } = {}): Promise<VenueMarket> {
    return new VenueMarket(await openVenues(vendors), wayMs);
  }

  /** As without a network: nothing listens at the addresses of the venues, until {@link appear}. */
  async vanish(): Promise<void> {
    for (const venue of this.venues.values()) await venue.close();
  }

  async appear(): Promise<void> {
    for (const [source, { carrier, url }] of this.venues)
      await this.#appear(source, { carrier, port: Number(new URL(url).port) });
  }

  /** This venue goes on to trade, and its stream says nothing of it. */
  mute(source: string): void {
    this.#muted.add(source);
  }

  /** From now on a venue says and answers everything so much later, which begins with a silence; 0: nothing of it. */
  delay(source: string, lateMs: number): void {
    this.#lateMs.set(source, lateMs);
  }

  /** These venues are out of reach until {@link heal}. */
  break(...sources: readonly string[]): void {
    for (const source of sources) {
      const venue = this.#venue(source);
      venue.refuses = { status: 503 };
      venue.cut();
      this.#silent.add(source);
    }
  }

  heal(): void {
    for (const source of this.#silent) this.#venue(source).refuses = null;
    this.#silent.clear();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const venue of this.venues.values()) await venue.close();
    rmSync(dirname(this.file), { recursive: true });
  }

  async #appear(source: string, options: Parameters<typeof VenueServer.start>[0]): Promise<void> {
    const server = await VenueServer.start(options);
    server.history = (url) => (this.records.get(source) ?? this.#signed).answer(url);
    this.venues.set(source, server);
  }

  #venue(source: string): VenueServer {
    return this.venues.get(source) as VenueServer;
  }

  #move(): void {
    const atMs = Date.now() + this.clockMs - LAG_MS;
    // A venue's times never fall, whatever becomes of the clocks.
    if (atMs <= this.#lastMs) return;
    this.#lastMs = atMs;
    this.#order += 1;
    this.#cents += (this.#order % 7) - 3;
    for (const [at, [source, venue]] of [...this.venues].entries()) {
      const [bid, ask] = [0, 10].map((more) => ((this.#cents + at + more) / CENTS).toFixed(2)) as [
        string,
        string,
      ];
      this.records.get(source)?.add({ number: BigInt(this.#order), timeMs: atMs, price: bid });
      if (this.#muted.has(source)) continue;
      const said = { bid, ask, atMs, order: this.#order };
      const frame = source === 'pyth' ? this.#signed.say(bid, atMs) : (ALL_FRAMES[source]?.price(said) ?? '');
      const wayMs = this.#wayMs(at) + (this.#lateMs.get(source) ?? 0);
      if (wayMs === 0) venue.say(frame);
      else setTimeout(() => venue.say(frame), wayMs);
    }
  }
}
