import { createHash } from 'node:crypto';

/**
 * What became of an order, worked out from the log's lines and the signed acceptance alone, the way a customer with a text
 * editor would: line by line, with no code of the product's. Slow and simple on purpose.
 */
export interface NaiveOutcome {
  readonly result: 'profit' | 'loss' | 'none';
  readonly reason: string | null;
  /** In whole smallest units of an asset with six decimals. */
  readonly credited: bigint;
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
}

interface Line {
  readonly kind: string;
  readonly fields: readonly string[];
  readonly text: string;
}

/** @param decimals of the asset */
export function naiveOutcome(
  log: readonly string[],
  acceptance: string,
  options: { batch: number; decimals: number },
): NaiveOutcome {
  const lines = log.map(
    (text): Line => ({ kind: text.slice(0, text.indexOf('|')), fields: text.split('|'), text }),
  );
  const said = acceptance.split('\n');
  const [symbol, direction] = [said[3] as string, said[4] as string];
  const [amount, rate, rulesHash] = [said[7] as string, said[8] as string, said[9] as string];
  const [acceptedAt, settlesAt] = [Number(said[10]), Number(said[11])];
  const stake = smallest(amount, options.decimals);
  const back = (reason: string): NaiveOutcome => ({
    result: 'none',
    reason,
    credited: stake,
    openPrice: null,
    settlePrice: null,
  });

  const rules = lines.find(({ kind, text }) => kind === 'rules' && leafOf(text) === rulesHash);
  if (!rules) throw new Error('the rules that the acceptance names are not in the log');
  const terms = JSON.parse(rules.fields.slice(4).join('|'));
  const carried = lines.findIndex(
    ({ kind, fields }) =>
      kind === 'orders' && Number(fields[3]) <= options.batch && options.batch <= Number(fields[4]),
  );
  if (carried < 0 || Number(lines[carried]?.fields[2]) - acceptedAt > 2000) return back('not_logged');

  const mine = lines
    .map((line, place) => ({ ...line, place }))
    .filter(({ kind, fields }) => (kind === 'tick' || kind === 'gap') && fields[2] === symbol);
  const from = acceptedAt + terms.delayMs;
  let open: (typeof mine)[number] | null = null;
  for (const line of mine.filter(({ place }) => place > carried)) {
    const time = Number(line.fields[4]);
    if (time > from + 5000 || time > settlesAt) break;
    if (line.kind === 'gap') return back('gap');
    const used = (line.fields[8] as string).split(';').filter((quote) => quote.endsWith(',use'));
    const received = used.filter((quote) => Number(quote.split(',')[4]) >= from);
    if (time >= from && received.length > used.length / 2) {
      open = line;
      break;
    }
  }
  if (!open) return back('no_open');

  const ticks = mine.filter(({ kind, fields }) => kind === 'tick' && Number(fields[4]) <= settlesAt);
  const settle = ticks[ticks.length - 1] as (typeof mine)[number];
  const [openPrice, settlePrice] = [open.fields[5] as string, settle.fields[5] as string];
  const moved = compare(settlePrice, openPrice);
  const isWon = direction === 'up' ? moved > 0 : moved < 0;
  const isOld = settlesAt - Number(settle.fields[4]) > terms.settleBoundMs;
  const prices = { openPrice, settlePrice };
  if (isWon) {
    // floor(stake × rate), with the rate as a fraction of ten thousand.
    const income = (stake * smallest(rate, 4)) / 10_000n;
    return { result: 'profit', reason: null, credited: stake + income, ...prices };
  }
  if (isOld) return { result: 'none', reason: 'stale', credited: stake, ...prices };
  if (moved === 0) return { result: 'none', reason: null, credited: stake, ...prices };
  return { result: 'loss', reason: null, credited: 0n, ...prices };
}

function leafOf(text: string): string {
  return createHash('sha256')
    .update(Buffer.from([0]))
    .update(text)
    .digest('hex');
}

function smallest(text: string, decimals: number): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
}

/** Prices of one product have equally many decimals. */
function compare(a: string, b: string): number {
  const difference = BigInt(a.replace('.', '')) - BigInt(b.replace('.', ''));
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}
