import { Replay, type ReplayGroup } from '@fairtick/proof';
import { LogReader } from '../apps/server/src/market/log/log-reader.ts';
import { Products } from '../apps/server/src/market/products.ts';
import { RuleBook } from '../apps/server/src/market/rule-book.ts';
import { replayedLog } from '../apps/server/src/transparency/replay/replayed-log.ts';
import { aDayAgoMs, openBusyParts, openBusyWriter } from './kit/busy-writer.ts';
import { openInstallation } from './kit/installation.ts';
import { printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Log entries per second that a replay reads and settles by: a million ticks of three sources each, of every product at every
 * grid time, with an order of each product opening and settling every second. The baseline only reads the same rows. A busy day
 * has ten million ticks.
 *   npm run bench -- replay [TICKS]
 */
const TICKS = Number(process.argv[2] ?? sized(1_000_000, 100_000));
const GRID_TIMES = 7;
const START_MS = aDayAgoMs();
const BUSY_DAY = 10_000_000;

const installation = await openInstallation();
try {
  await openBusyWriter(installation, START_MS);
  const { draft, append } = await openBusyParts(installation, START_MS, { hasFixes: true });
  for (let written = 0; written < TICKS; ) written += await append(draft(GRID_TIMES));
  const { server } = installation;
  const client = await server.connect();
  await client.query('begin isolation level repeatable read read only');
  await client.query('set local statement_timeout = 0');
  const products = await Products.load(client);
  const reader = new LogReader(client, products, new RuleBook(client));
  const { rows } = await client.query<{ size: string }>('select size from log_head');
  const size = Number(rows[0]?.size);

  const plain = await seconds(async () => {
    for (let from = 0; from < size; from += 16_384)
      await client.query('select * from log_entries where index >= $1 and index < $2 order by index', [
        from,
        from + 16_384,
      ]);
  });
  let settled = 0;
  const replayed = await seconds(async () => {
    settled = await replayAll(replayedLog(reader, { from: 0, size }), products.all);
  });
  if (settled === 0) throw new Error('the replay settled no order');
  await client.query('rollback');
  client.release();
  const row = (what: string, took: number) => [
    what,
    Math.round(size / took),
    (plain / took).toFixed(2),
    (BUSY_DAY / (size / took) / 60).toFixed(1),
  ];
  printTable(
    ['contender', 'entries/s', '× plain read', 'minutes for a day of 10 M'],
    [row('plain read of the rows', plain), row(`replay, ${settled} orders settled`, replayed)],
  );
} finally {
  await installation.close();
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** An order of each product at every second of the log, carried by an entry of its own. */
async function replayAll(
  log: ReturnType<typeof replayedLog>,
  products: readonly { readonly symbol: string }[],
): Promise<number> {
  const replay = new Replay<ReplayGroup>();
  let settled = 0;
  let second = 0;
  for await (const { from, texts } of log) {
    for (const [at, text] of texts.entries()) {
      replay.add(from + at, text);
      const timeMs = text.startsWith('tick|') ? Number(text.split('|', 5)[4]) : 0;
      if (Math.floor(timeMs / 1000) <= second) continue;
      second = Math.floor(timeMs / 1000);
      const terms = { batch: second, opensAtMs: (second + 2) * 1000, settlesAtMs: (second + 62) * 1000 };
      replay.expect(products.map(({ symbol }) => ({ ...terms, symbol })));
      replay.add(from + at, `orders|4|${timeMs}|${second}|${second}|${timeMs}|${timeMs}|${'0'.repeat(64)}|`);
    }
    settled += replay.take().length;
  }
  return settled;
}
