import { inForce, named } from './checks.ts';
import type { Move, Receipt } from './document.ts';
import type { Gap, Quote, Rules, Tick } from './entries.ts';
import { fail, GRID_MS, must, unitsOf } from './ground.ts';

/** Check 11: every shown entry follows from its own quotes. */
export function checkPrices(receipt: Receipt): void {
  const moves = [...receipt.opening, ...receipt.settling];
  for (const move of moves) checkMove(receipt, move);
  checkSources(moves);
  const wanted = new Set([receipt.acceptance.rulesHash, ...moves.map(({ entry }) => entry.rulesHash)]);
  must(
    receipt.rules.every(({ leaf }) => wanted.has(leaf.toString('hex'))),
    'prices',
    'rules that nothing names',
  );
}

function checkMove({ rules }: Receipt, { entry, index }: Move): void {
  const own = named(rules, entry.rulesHash) ?? fail('prices', 'rules that are not shown');
  must(inForce(rules, entry.timeMs) === own, 'prices', 'rules that are not in force');
  must(own.index < index, 'prices', 'rules that were logged later');
  const isBare = entry.type === 'gap' && entry.quotes.length === 0;
  const sources = entry.quotes.map(({ source }) => source).join();
  must(isBare || sources === own.entry.sources.join(), 'prices', 'other sources than the rules name');
  must(entry.decimals === null || entry.decimals === own.entry.decimals, 'prices', 'decimals');
  must(entry.timeMs % GRID_MS === 0, 'prices', 'off the grid');
  checkUses(entry, own.entry);
}

const isQuote = (quote: Tick['quotes'][number]): quote is Quote => quote.use !== 'none';

function checkUses(entry: Tick | Gap, { lagMs, staleMs, outlierBps, quorum }: Rules): void {
  const quotes = entry.quotes.filter(isQuote);
  const isStale = ({ sourceMs, receivedMs }: Quote): boolean =>
    entry.timeMs - Math.min(sourceMs, receivedMs) > staleMs ||
    receivedMs > entry.timeMs ||
    sourceMs > entry.timeMs - lagMs;
  const centre = medianOf(quotes.filter((quote) => !isStale(quote)));
  const isFar = ({ price }: Quote): boolean => {
    const away = price > centre ? price - centre : centre - price;
    return away * 10_000n > centre * BigInt(outlierBps);
  };
  for (const quote of quotes) {
    const use = isStale(quote) ? 'stale' : isFar(quote) ? 'outlier' : 'use';
    must(quote.use === use, 'prices', `${quote.source} is ${use}`);
  }
  const used = quotes.filter(({ use }) => use === 'use');
  if (entry.type === 'tick') {
    must(used.length >= quorum, 'prices', 'fewer sources than the quorum');
    must(unitsOf(entry.price) === medianOf(used), 'prices', 'another price than its sources give');
  } else must(entry.reason !== 'quorum' || used.length < quorum, 'prices', 'a quorum, and no price');
}

/** Of none it is 0, which is compared with nothing. */
function medianOf(quotes: readonly Quote[]): bigint {
  const sorted = quotes
    .map(({ price }) => price)
    .sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const [low = 0n, high = 0n] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2n;
}

/** No source goes back, gives a number twice with different quotes, or is as if it had never sent anything. */
function checkSources(moves: readonly Move[]): void {
  const known = new Map<string, Quote>();
  for (const { entry } of [...moves].sort((one, other) => one.index - other.index))
    for (const quote of entry.quotes) {
      const before = known.get(quote.source);
      if (!isQuote(quote)) must(before === undefined, 'prices', `${quote.source} had a quote before`);
      else {
        // Rules may change the decimals.
        const price = quote.price * 10n ** BigInt(18 - (entry.decimals ?? 0));
        const isLater =
          !before || (quote.sourceMs >= before.sourceMs && quote.receivedMs >= before.receivedMs);
        must(isLater, 'prices', `times of ${quote.source} that fall`);
        must(
          !before || quote.sourceSeq >= before.sourceSeq,
          'prices',
          `numbers of ${quote.source} that fall`,
        );
        const isSame =
          price === before?.price &&
          quote.sourceMs === before.sourceMs &&
          quote.receivedMs === before.receivedMs;
        must(
          quote.sourceSeq !== before?.sourceSeq || isSame,
          'prices',
          `two quotes of ${quote.source} with one number`,
        );
        known.set(quote.source, { ...quote, price });
      }
    }
}
