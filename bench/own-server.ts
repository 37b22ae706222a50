import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { expectOpened, expectRightBooks } from './kit/books.ts';
import { type BenchHouse, openHouse } from './kit/house.ts';
import { inTurn, median, percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { placeFor, type Round } from './placement.ts';

/**
 * Placement on a PostgreSQL of one's own: `npm run bench -- own-server postgres://OWNER:PASSWORD@127.0.0.1:PORT/DATABASE`, an empty
 * database as for `DATABASE_URL`. The baseline is the embedded server; rounds of both take turns in the same run.
 */
const REQUESTERS = (process.env.REQUESTERS ?? sized('64,256', '16')).split(',').map(Number);
const ROUNDS = Number(process.env.ROUNDS ?? sized(3, 1));
const SECONDS = Number(process.env.SECONDS ?? sized(8, 1));
const CUSTOMERS = sized(100_000, 1_000);
const TARGET = 1.5;

async function main(): Promise<void> {
  const databaseUrl = process.argv[2];
  if (!databaseUrl) throw new Error('the address of an empty database is missing');
  const embedded = await openHouse({ customers: CUSTOMERS });
  try {
    const own = await openHouse({ customers: CUSTOMERS, databaseUrl });
    try {
      await compare({ embedded, own });
      for (const house of [embedded, own]) {
        await expectOpened(house);
        await expectRightBooks(house);
      }
    } finally {
      await own.close();
    }
  } finally {
    await embedded.close();
  }
}

async function compare({ embedded, own }: { embedded: BenchHouse; own: BenchHouse }): Promise<void> {
  const placer = async (house: BenchHouse) => {
    const queue = new PlacementQueue(house.placement);
    const products = await house.openProducts();
    const place = (requesters: number, seconds: number) =>
      placeFor(house, queue, { products, requesters, seconds });
    await place(sized(256, 16), sized(3, 1));
    return place;
  };
  const [onEmbedded, onOwn] = [await placer(embedded), await placer(own)];
  const rows: string[][] = [];
  for (const requesters of REQUESTERS) {
    const rounds = await inTurn(ROUNDS, {
      embedded: () => onEmbedded(requesters, SECONDS),
      own: () => onOwn(requesters, SECONDS),
    });
    const baseline = rounds.embedded as Round[];
    rows.push(lineOf(requesters, 'embedded', baseline, baseline));
    rows.push(lineOf(requesters, `own, ${await versionOf(own)}`, rounds.own as Round[], baseline));
  }
  printTable(
    [
      'requesters',
      'server',
      'orders/s',
      'p50 / p99 ms',
      'p50 of the rounds',
      '× p50',
      `met (${TARGET} ×)`,
      'refused',
    ],
    rows,
  );
}

function lineOf(
  requesters: number,
  name: string,
  rounds: readonly Round[],
  baseline: readonly Round[],
): string[] {
  const latency = (q: number, of = rounds) => median(of.map((round) => percentile(round.latencies, q)));
  const ratio = latency(0.5) / latency(0.5, baseline);
  return [
    String(requesters),
    name,
    median(rounds.map(({ rate }) => rate)).toFixed(0),
    `${latency(0.5).toFixed(1)} / ${latency(0.99).toFixed(0)}`,
    rounds.map((round) => percentile(round.latencies, 0.5).toFixed(1)).join(', '),
    ratio.toFixed(2),
    rounds === baseline ? '' : ratio <= TARGET ? 'yes' : 'no',
    rounds.map(({ refused }) => refused).join(', '),
  ];
}

/** The server's version, with the settings that decide about placement. */
async function versionOf({ owner }: BenchHouse): Promise<string> {
  const { rows } = await owner.query<{ text: string }>(
    `select format('%s, shared_buffers %s, jit %s', split_part(version(), ' ', 2),
       current_setting('shared_buffers'), current_setting('jit')) as text`,
  );
  return rows[0]?.text ?? '';
}

await main();
