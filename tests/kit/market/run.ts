/**
 * `npm run test:market -- FOLDER`: replays recorded prices through the product's writer, placement and settlement, on a database
 * of its own, and compares the results with a computation from the files that shares no code.
 */
import setup from '../database/postgres.ts';
import { checkRecording } from './check-recording.ts';
import type { Tally } from './compare.ts';
import { type Recording, recordingsOf } from './recordings.ts';

const SEED = 20_260_601;
const BATCHES = 130;
const CUSTOMERS = 12;
/** Appending this many rows one by one takes about a minute. */
const LARGE_ROWS = 60_000;
const SHOWN_MISMATCHES = 10;

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: npm run test:market -- FOLDER');
  process.exit(2);
}
process.exit((await run(folder)) ? 0 : 1);

interface Line {
  readonly file: string;
  readonly compared: number;
  readonly mismatches: number;
}

async function run(path: string): Promise<boolean> {
  const startedMs = performance.now();
  console.log(`seed ${SEED}, up to ${BATCHES * CUSTOMERS} orders in each recording of ticks`);
  const lines: Line[] = [];
  const stop = await setup();
  try {
    for (const found of recordingsOf(path)) {
      if ('why' in found) console.log(`\nskipped ${found.file}: ${found.why}`);
      else lines.push({ file: found.file, ...(await checkOne(found)) });
    }
  } finally {
    await stop();
  }
  console.log('');
  for (const { file, compared, mismatches } of lines) {
    console.log(`${file.padEnd(40)} ${String(compared).padStart(8)} compared, ${mismatches} mismatches`);
  }
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  if (lines.length === 0) console.error(`no recordings in ${path}`);
  return lines.length > 0 && lines.every(({ compared, mismatches }) => compared > 0 && mismatches === 0);
}

async function checkOne(recording: Recording): Promise<{ compared: number; mismatches: number }> {
  const startedMs = performance.now();
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  const { file, symbol, read } = recording;
  console.log(`\n${file}: ${symbol}, ${read.description}`);
  let told = 0;
  const onProgress = (share: number) => {
    const tenth = Math.floor(share * 10);
    if (tenth <= told) return;
    told = tenth;
    console.log(`  ${tenth * 10} % after ${seconds()}`);
  };
  try {
    const options = { batches: BATCHES, customers: CUSTOMERS, seed: SEED, largeRows: LARGE_ROWS, onProgress };
    const { tallies, notes } = await checkRecording(recording, options);
    for (const note of notes) console.log(`  ${note}`);
    for (const tally of tallies) tell(tally);
    console.log(`  done after ${seconds()}`);
    const sum = (read: (tally: Tally) => number) => tallies.reduce((total, tally) => total + read(tally), 0);
    return { compared: sum((tally) => tally.compared), mismatches: sum((tally) => tally.mismatches.length) };
  } catch (error) {
    // A recording that the product can't play is a mismatch; the others are still judged.
    console.log(`  failed after ${seconds()}: ${error instanceof Error ? error.message : String(error)}`);
    return { compared: 0, mismatches: 1 };
  }
}

function tell({ what, compared, mismatches }: Tally): void {
  if (compared === 0) return;
  console.log(
    `  ${what.padEnd(14)} ${String(compared).padStart(7)} compared, ${mismatches.length} mismatches`,
  );
  for (const mismatch of mismatches.slice(0, SHOWN_MISMATCHES)) console.log(`    ${mismatch}`);
}
