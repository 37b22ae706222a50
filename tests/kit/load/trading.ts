import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Journal, JournalEntry } from '../judges/journal.ts';
import { seen, until } from '../waiting/until.ts';
import type { LoadClient } from './load-client.ts';

/** A cycle of one minute, rounded up to a whole second, plus time to settle. */
const SETTLED_WITHIN_MS = 90_000;
/** Pause between retries, as in the app. */
const ASK_AGAIN_MS = 500;
const MAX_PAUSE_MS = 300;

/** Products that are open and have a price; waits until there are some. */
export async function openSymbols(origin: string, count = 8): Promise<string[]> {
  let open: string[] = [];
  await until(async () => {
    const { data } = (await (await fetch(`${origin}/api/product/list`)).json()) as {
      data: { symbol: string; isOpen: boolean; price: string | null; assetClass: string }[];
    };
    open = data
      .filter(({ isOpen, price, assetClass }) => isOpen && price !== null && assetClass !== 'stock')
      .map(({ symbol }) => symbol);
    return open.length >= count;
  });
  return open.slice(0, count);
}

/** Runs `work` while customers trade, and always ends the trading. */
export async function during<T>(
  trade: (signal: AbortSignal) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const trading = trade(end.signal);
  try {
    return await work();
  } finally {
    end.abort();
    await trading;
  }
}

/** All customers trade at a moderate pace and continue after any answer, so that requests never stop. */
export async function tradeOn(
  client: LoadClient,
  symbols: readonly string[],
  { signal, onAnswer }: { signal: AbortSignal; onAnswer: (entry: JournalEntry) => void },
): Promise<void> {
  await Promise.all(
    client.sessions.map(async ([account]) => {
      while (!signal.aborted) {
        const order = {
          key: randomBytes(16).toString('hex'),
          account,
          symbol: symbols[randomInt(symbols.length)] as string,
          direction: randomInt(2) ? ('up' as const) : ('down' as const),
          amount: `${randomInt(10, 15)}.${String(randomInt(1_000_000)).padStart(6, '0')}`,
        };
        onAnswer(await client.place(order));
        await sleep(randomInt(MAX_PAUSE_MS));
      }
    }),
  );
}

/** Orders that were sent and whose outcome is unknown. */
const unknownOf = (journal: Journal): JournalEntry[] =>
  [...journal.read().values()].filter(({ outcome }) => outcome === 'unknown' || outcome === 'sent');

/** Sends unanswered orders again with the same key until there is an answer, which is final. */
export async function resolveUnknown(
  client: LoadClient,
  journal: Journal,
  withinMs: number,
): Promise<number> {
  const unknown = unknownOf(journal);
  const ask = async (entry: JournalEntry) => (await client.place(entry)).outcome !== 'unknown';
  await Promise.all(
    unknown.map((entry) =>
      seen(() => ask(entry), { withinMs, everyMs: ASK_AGAIN_MS, what: 'what became of an order' }),
    ),
  );
  return unknown.length;
}

export async function untilSettled(db: pg.Pool, withinMs = SETTLED_WITHIN_MS): Promise<void> {
  await until(async () => {
    const { rows } = await db.query<{ open: string }>(
      'select count(*) as open from orders_and_results where settled_at_ms is null',
    );
    return rows[0]?.open === '0';
  }, withinMs);
}

/** The number of orders by outcome. */
export function countOutcomes(journal: Journal): string {
  const counts = new Map<string, number>();
  for (const { outcome } of journal.read().values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return `${counts.get('ok') ?? 0} orders acknowledged, ${counts.get('refused') ?? 0} refused`;
}
