import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRAME_KEYS, FRAMES, type FrameOf, KEYED_FRAMES } from './frames.ts';
import { VenueServer } from './venue-server.ts';

const EVERY_MS = 100;
/** A venue's own time is this long before its frame. */
const LAG_MS = 20;
const CENTS = 100;

/** Pyth numbers its updates by steps of this length. */
const SLOT_MS = 50;
const CARRIERS: Readonly<Record<string, 'lines' | 'events'>> = { oanda: 'lines', pyth: 'events' };

const ALL_FRAMES: Readonly<Record<string, FrameOf>> = { ...FRAMES, ...KEYED_FRAMES };
const EXCHANGES = Object.keys(FRAMES);

/**
 * Venues on loopback, which move together around one price, and a file that names their addresses, and the keys of those that ask for
 * one.
 */
export class VenueMarket {
  /** The key and the account of each keyed source. */
  static readonly key = 'a-key-that-nobody-may-see';
  static readonly account = '101-004-1234567-001';
  readonly venues: ReadonlyMap<string, VenueServer>;
  readonly file: string;
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  readonly #silent = new Set<string>();
  #order = 1_000;
  #cents = 6_500_000;

  private constructor(venues: ReadonlyMap<string, VenueServer>) {
    this.venues = venues;
    this.#folder = mkdtempSync(join(tmpdir(), 'fairtick-venues-'));
    this.file = join(this.#folder, 'sources.json');
    const { key, account } = VenueMarket;
    const entries = [...venues].map(([source, { url }]) => [
      source,
      {
        url,
        ...(source in KEYED_FRAMES ? { key, account } : {}),
        ...(source === 'pyth' ? { signers: FRAME_KEYS } : {}),
      },
    ]);
    writeFileSync(this.file, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
    this.#timer = setInterval(() => this.#move(), EVERY_MS);
  }

  /** @param vendors sources that ask for a key, beside all exchanges */
  static async open({
    vendors = [],
  }: {
    vendors?: readonly ('oanda' | 'pyth' | 'tiingo')[];
  } = {}): Promise<VenueMarket> {
    const venues = new Map<string, VenueServer>();
    for (const source of [...EXCHANGES, ...vendors])
      venues.set(source, await VenueServer.start(CARRIERS[source]));
    return new VenueMarket(venues);
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
    rmSync(this.#folder, { recursive: true });
  }

  #venue(source: string): VenueServer {
    return this.venues.get(source) as VenueServer;
  }

  #move(): void {
    this.#order += 1;
    this.#cents += (this.#order % 7) - 3;
    for (const [at, [source, venue]] of [...this.venues].entries()) {
      const [bid, ask] = [0, 10].map((more) => ((this.#cents + at + more) / CENTS).toFixed(2)) as [
        string,
        string,
      ];
      const atMs = Date.now() - LAG_MS;
      const order = source === 'pyth' ? Math.floor(atMs / SLOT_MS) : this.#order;
      venue.say(ALL_FRAMES[source]?.price({ bid, ask, atMs, order }) ?? '');
    }
  }
}
