import { parseArgs } from 'node:util';
import { formatDecimal } from '@fairtick/money';
import {
  type Acceptance,
  type BatchFault,
  type DecidingRules,
  httpSource,
  leafHash,
  parseAcceptance,
  parseCheckpoint,
  parseEntry,
  parseReceipt,
  payoutOf,
  type Receipt,
  Replay,
  type Replayed,
  type ReplayGroup,
  readRules,
  splitNoteText,
  TILE_WIDTH,
  tileWidthAt,
  toHex,
} from '../src/index.ts';
import { readText } from './pinned-keys.ts';

class ReplayTrouble extends Error {}

/**
 * Settles a receipt's order again from the entries that a server publishes. It reads every line from the acceptance on, so it needs no
 * proof.
 * @returns 0 if the entries lead to the receipt's outcome, and are those that the receipt shows; 1 if not
 */
export async function replayReceipt(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { url: { type: 'string' } },
  });
  const [file] = positionals;
  if (file === undefined || values.url === undefined)
    throw new ReplayTrouble('replay receipt.json --url URL');
  const receipt = parseReceipt(readText(file));
  const terms = receipt && parseAcceptance(receipt.acceptance.text);
  if (!receipt || !terms) throw new ReplayTrouble(`${file} is no receipt`);
  const { decided, lines, batchFaults, others } = await readUntilDecided(values.url, receipt, terms);
  const verdict = decided.verdict[terms.direction];
  const price = (tick: Replayed<ReplayGroup>['open']) =>
    tick === null ? null : formatDecimal(tick.worth[terms.direction], tick.decimals);
  const byLog = {
    openPrice: price(decided.open),
    settlePrice: price(decided.settle),
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
  process.stdout.write(
    [
      `Read ${lines} entries from ${values.url}.`,
      `By the log: ${JSON.stringify(byLog)}`,
      ...wrong,
      wrong.length === 0 ? 'Nothing differs.' : 'The receipt does not say what the log says.',
      '',
    ].join('\n'),
  );
  return wrong.length === 0 ? 0 : 1;
}

interface ReadLog {
  readonly decided: Replayed<ReplayGroup>;
  readonly lines: number;
  readonly batchFaults: readonly BatchFault[];
  /** Indexes at which the receipt shows another text. */
  readonly others: readonly number[];
}

async function readUntilDecided(url: string, receipt: Receipt, terms: Acceptance): Promise<ReadLog> {
  // The product may have had its last entry long before the acceptance.
  const before = receipt.entries.find(({ role }) => role === 'opening')?.index ?? terms.logSize;
  const from = Math.min(terms.logSize, before);
  const replay = new Replay();
  for (const { role, index, entry } of receipt.entries)
    if (role === 'rules' && index < from) replay.know(index, entry);
  replay.expect([groupOf(terms, namedRules(receipt, terms))]);
  const source = httpSource(url);
  const checkpoint = parseCheckpoint(splitNoteText(await source.checkpoint()) ?? '');
  if (!checkpoint) throw new ReplayTrouble('what the server shows is no checkpoint');
  const { size } = checkpoint;
  const others: number[] = [];
  let lines = 0;
  for (let number = Math.floor(from / TILE_WIDTH); number * TILE_WIDTH < size; number += 1) {
    const entries = await source.bundle(number, tileWidthAt('entries', number, size));
    for (const [at, text] of entries.entries()) {
      const index = number * TILE_WIDTH + at;
      if (receipt.entries.some((shown) => shown.index === index && shown.entry !== text)) others.push(index);
      if (index < from) continue;
      replay.add(index, text);
      lines += 1;
      const [decided] = replay.take();
      if (decided) return { decided, lines, batchFaults: replay.batchFaults, others };
    }
  }
  throw new ReplayTrouble('the log does not decide this order yet');
}

function namedRules({ entries }: Receipt, { rulesHash }: Acceptance): DecidingRules {
  const named = entries.find(({ entry }) => toHex(leafHash(entry)) === rulesHash);
  const entry = parseEntry(named?.entry ?? '');
  const rules = entry?.kind === 'rules' ? readRules(entry.json) : null;
  if (!rules) throw new ReplayTrouble('the receipt does not show the rules that it names');
  return rules;
}

const groupOf = (terms: Acceptance, { delayMs, openWithinMs }: DecidingRules): ReplayGroup => ({
  batch: terms.batch,
  symbol: terms.symbol,
  opensAtMs: terms.opensAt,
  settlesAtMs: terms.settlesAt,
  delayMs,
  openWithinMs,
});
