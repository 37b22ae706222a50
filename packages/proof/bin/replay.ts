import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatDecimal, type Minor, parseDecimal, parseRate, payoutFloor } from '@fairtick/money';
import { voidPayout } from '@fairtick/trading';
import {
  type BatchFault,
  decodeEntryBundle,
  formatTilePath,
  leafHash,
  parseAcceptance,
  parseCheckpoint,
  parseEntry,
  parseReceipt,
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

const ANSWER_MS = 30_000;

export class ReplayTrouble extends Error {}

/**
 * Settles a receipt's order again from the entries that a server publishes. It reads every line from the acceptance on, so it needs no
 * proof.
 * @returns 0 if the entries lead to the receipt's outcome, 1 if they don't
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
  const receipt = parseReceipt(readFileSync(file, 'utf8'));
  const terms = receipt && parseAcceptance(receipt.acceptance.text);
  if (!receipt || !terms) throw new ReplayTrouble(`${file} is no receipt`);
  const named = receipt.entries.find(({ entry }) => toHex(leafHash(entry)) === terms.rulesHash);
  const entry = parseEntry(named?.entry ?? '');
  const rules = entry?.kind === 'rules' ? readRules(entry.json) : null;
  if (!rules) throw new ReplayTrouble('the receipt does not show the rules that it names');
  // The product may have had its last entry long before the acceptance.
  const before = receipt.entries.find(({ role }) => role === 'opening')?.index ?? terms.logSize;
  const group = {
    batch: terms.batch,
    symbol: terms.symbol,
    opensAtMs: terms.opensAt,
    settlesAtMs: terms.settlesAt,
    delayMs: rules.delayMs,
    openWithinMs: rules.openWithinMs,
  };
  const from = Math.min(terms.logSize, before);
  const { decided, lines, batchFaults } = await readUntilDecided(values.url, group, { from, receipt });
  const decimals = (terms.amount.split('.')[1] ?? '').length;
  const stake = parseDecimal(terms.amount, decimals) as Minor;
  const { result, voidReason } = decided.verdict[terms.direction];
  const rate = parseRate(terms.payoutRate);
  if (rate === null) throw new ReplayTrouble('the acceptance has no payout rate');
  const returned = voidReason === null ? stake : voidPayout(stake);
  const payout = { profit: stake + payoutFloor(stake, rate), none: returned, loss: 0n }[result];
  const price = (tick: Replayed<ReplayGroup>['open']) =>
    tick === null ? null : formatDecimal(tick.worth[terms.direction], tick.decimals);
  const byLog = {
    openPrice: price(decided.open),
    settlePrice: price(decided.settle),
    result,
    payout: formatDecimal(payout, decimals),
    voidReason,
  };
  const differing = (Object.keys(byLog) as (keyof typeof byLog)[]).filter(
    (name) => byLog[name] !== receipt.outcome[name],
  );
  process.stdout.write(
    [
      `Read ${lines} entries from ${values.url}.`,
      `By the log: ${JSON.stringify(byLog)}`,
      ...differing.map(
        (name) => `DIFFERS ${name}: by the log ${byLog[name]}, in the receipt ${receipt.outcome[name]}`,
      ),
      ...batchFaults.map(
        ({ kind, firstBatch, lastBatch, index }) =>
          `WRONG at ${index}: batches ${firstBatch} to ${lastBatch} are ${kind === 'twice' ? 'carried twice' : 'left out'}`,
      ),
      differing.length === 0 ? 'Nothing differs.' : 'The receipt does not say what the log says.',
      '',
    ].join('\n'),
  );
  return differing.length + batchFaults.length === 0 ? 0 : 1;
}

async function readUntilDecided(
  url: string,
  group: ReplayGroup,
  { from, receipt }: { from: number; receipt: Receipt },
): Promise<{ decided: Replayed<ReplayGroup>; lines: number; batchFaults: readonly BatchFault[] }> {
  const replay = new Replay();
  for (const { role, index, entry } of receipt.entries)
    if (role === 'rules' && index < from) replay.know(index, entry);
  replay.expect([group]);
  const note = new TextDecoder().decode(await fetchBytes(url, 'checkpoint'));
  const size = parseCheckpoint(splitNoteText(note) ?? '')?.size ?? 0;
  let lines = 0;
  for (let number = Math.floor(from / TILE_WIDTH); number * TILE_WIDTH < size; number += 1) {
    const width = tileWidthAt('entries', number, size);
    const bytes = await fetchBytes(url, formatTilePath({ level: 'entries', index: number, width }));
    const entries = decodeEntryBundle(bytes, width);
    if (entries === null) throw new ReplayTrouble(`bundle ${number} is malformed`);
    for (const [at, entry] of entries.entries()) {
      const index = number * TILE_WIDTH + at;
      if (index < from) continue;
      replay.add(index, new TextDecoder().decode(entry));
      lines += 1;
      const [decided] = replay.take();
      if (decided) return { decided, lines, batchFaults: replay.batchFaults };
    }
  }
  throw new ReplayTrouble('the log does not decide this order yet');
}

async function fetchBytes(url: string, path: string): Promise<Uint8Array> {
  const response = await fetch(new URL(`/api/transparency/${path}`, url), {
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!response.ok) throw new ReplayTrouble(`${url} answers ${response.status} to ${path}`);
  return new Uint8Array(await response.arrayBuffer());
}
