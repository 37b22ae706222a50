import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FRAMES } from './frames.ts';
import { VenueServer } from './venue-server.ts';

const EVERY_MS = 100;
/** A venue's own time is this long before its frame. */
const LAG_MS = 20;
const CENTS = 100;

/** A venue on loopback for each source. */
export async function openVenues(): Promise<Map<string, VenueServer>> {
  const venues = new Map<string, VenueServer>();
  for (const source of Object.keys(FRAMES)) venues.set(source, await VenueServer.start());
  return venues;
}

/** Writes the addresses of venues, in a folder of its own. */
export function sourcesFile(venues: ReadonlyMap<string, VenueServer>): string {
  const file = join(mkdtempSync(join(tmpdir(), 'fairtick-venues-')), 'sources.json');
  const entries = [...venues].map(([source, { url }]) => [source, { url }]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
  return file;
}

/** All venues on loopback, which move together around one price of BTC/USDT, and a file that names their addresses. */
export class VenueMarket {
  readonly venues: Map<string, VenueServer>;
  readonly file: string;
  readonly #timer: NodeJS.Timeout;
  readonly #silent = new Set<string>();
  #order = 1_000;
  #cents = 6_500_000;

  private constructor(venues: Map<string, VenueServer>) {
    this.venues = venues;
    this.file = sourcesFile(venues);
    this.#timer = setInterval(() => this.#move(), EVERY_MS);
  }

  static async open(): Promise<VenueMarket> {
    return new VenueMarket(await openVenues());
  }

  /** As without a network: nothing listens at the addresses of the venues, until {@link appear}. */
  async vanish(): Promise<void> {
    for (const venue of this.venues.values()) await venue.close();
  }

  async appear(): Promise<void> {
    for (const [source, { url }] of this.venues)
      this.venues.set(source, await VenueServer.start({ port: Number(new URL(url).port) }));
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
      venue.say(FRAMES[source]?.price({ bid, ask, atMs, order: this.#order }) ?? '');
    }
  }
}
