import {
  type Acceptance,
  type BatchFault,
  checkpointIn,
  httpSource,
  parseAcceptance,
  parseReceipt,
  payoutOf,
  type Receipt,
  Replay,
  type Replayed,
  type ReplayGroup,
  TILE_WIDTH,
  textOfPrice,
  tileWidthAt,
} from '../src/index.ts';
import { readArguments, readText, say, Trouble } from './command-line.ts';

/**
 * Settles a receipt's order again from the entries that a server publishes. It reads every line from the acceptance on, so it needs no
 * proof.
 * @returns 0 if the entries lead to the receipt's outcome, and are those that the receipt shows; 1 if not
 */
export async function replayReceipt(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { url: { type: 'string' } });
  const [file] = positionals;
  if (file === undefined || values.url === undefined) throw new Trouble('replay receipt.json --url URL');
  const receipt = parseReceipt(readText(file));
  const terms = receipt && parseAcceptance(receipt.acceptance.text);
  if (!receipt || !terms) throw new Trouble(`${file} is no receipt`);
  const { decided, lines, batchFaults, others } = await readUntilDecided(values.url, receipt, terms);
  const { open, settle, ...verdict } = decided.results[terms.direction];
  const byLog = {
    openPrice: open && textOfPrice(open),
    settlePrice: settle && textOfPrice(settle),
    result: verdict.result,
    payout: payoutOf(terms, verdict),
    voidReason: verdict.voidReason,
  };
  const differing = (Object.keys(byLog) as (keyof typeof byLog)[]).filter(
    (name) => byLog[name] !== receipt.outcome[name],
  );
  const wrong = [
    ...differing.map(
      (name) => `DIFFERS ${name}: by the log ${byLog[name]}, in the receipt ${receipt.outcome[name]}`,
    ),
    ...others.map((index) => `DIFFERS at ${index}: the receipt shows another entry than the server`),
    ...batchFaults.map(
      ({ kind, firstBatch, lastBatch, index }) =>
        `WRONG at ${index}: batches ${firstBatch} to ${lastBatch} are ${kind === 'twice' ? 'carried twice' : 'left out'}`,
    ),
  ];
  say(`Read ${lines} entries from ${values.url}.\nBy the log: ${JSON.stringify(byLog)}`);
  for (const line of wrong) say(line);
  say(wrong.length === 0 ? 'Nothing differs.' : 'The receipt does not say what the log says.');
  return wrong.length === 0 ? 0 : 1;
}

interface ReadLog {
  readonly decided: Replayed<ReplayGroup>;
  readonly lines: number;
  readonly batchFaults: readonly BatchFault[];
  /** Indexes at which the server shows another text than the receipt. */
  readonly others: readonly number[];
}

/** Reads until the order is decided and every entry that the receipt shows is read. */
async function readUntilDecided(url: string, receipt: Receipt, terms: Acceptance): Promise<ReadLog> {
  const from = terms.logSize;
  const lastShown = Math.max(...receipt.entries.map(({ role, index }) => (role === 'key' ? 0 : index)));
  const replay = new Replay();
  for (const { role, index, entry } of receipt.entries)
    if (role === 'rules' && index < from) replay.know(index, entry);
  replay.expect([groupOf(terms)]);
  const source = httpSource(url);
  const checkpoint = checkpointIn(await source.checkpoint());
  if (!checkpoint) throw new Trouble('what the server shows is no checkpoint');
  const { size } = checkpoint;
  const others: number[] = [];
  let [lines, decided]: [number, Replayed<ReplayGroup> | undefined] = [0, undefined];
  for (let number = Math.floor(from / TILE_WIDTH); number * TILE_WIDTH < size; number += 1) {
    const entries = await source.bundle(number, tileWidthAt('entries', number, size));
    for (const [at, text] of entries.entries()) {
      const index = number * TILE_WIDTH + at;
      if (receipt.entries.some((shown) => shown.index === index && shown.entry !== text)) others.push(index);
      if (index < from) continue;
      replay.add(index, text);
      lines += 1;
      decided = replay.take()[0] ?? decided;
      if (decided && index >= lastShown) return { decided, lines, batchFaults: replay.batchFaults, others };
    }
  }
  throw new Trouble('the log does not decide this order yet');
}

const groupOf = ({ batch, symbol, opensAt, settlesAt }: Acceptance): ReplayGroup => ({
  batch,
  symbol,
  opensAtMs: opensAt,
  settlesAtMs: settlesAt,
});
