/** `fairtick monitor URL`: follows a server's log, checks every entry, and optionally cosigns as a witness. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginMonitor,
  COSIGNATURE_TYPE,
  COSIGNED_WITHIN_S,
  checkpointIn,
  checkpointTime,
  followLogKeys,
  generateNoteKey,
  httpSource,
  type LogEntry,
  LogFault,
  type LogSource,
  lookOnce,
  MONITOR_STATE_VERSION,
  MOST_DRIFT_MS,
  type MonitorState,
  type NoteSigner,
  nameOfKey,
  ProofDenied,
  ServerTrouble,
  SourceRecords,
  signNote,
  splitNoteText,
  witnessSigner,
} from '../src/index.ts';
import { originsIn } from './ask-exchange.ts';
import { readArguments, replaceText, say, Trouble } from './command-line.ts';
import { Sampling } from './monitor-sample.ts';
import { openRecordSource } from './monitor-sources.ts';

export const MONITOR_USAGE = `fairtick monitor URL [--every SECONDS] [--state FILE] [--key KEY]... [--from-now] [--once] [--witness FILE]
    [--record SOURCE]... [--at-sources [--source NAME=URL]... [--sample-every SECONDS] [--agreed-only]]
  Follows the log of a server: takes its checkpoint every 10 seconds, twice a second with --witness, and checks that it is signed, that
  it extends all that was seen before, that the entries are those that were signed, and that each is one that the rules of the log allow. What it knows it
  keeps in FILE (fairtick-monitor.json) and goes on from there. It begins with the first entry, or with --from-now at the end.
  KEY is a verifier key of the log, from a place that you trust; without one those that the server shows first are taken and told.
  --witness cosigns what was found right with the key in FILE, and hands it to the server; within 5 s of the checkpoint's time, as
  verifiers count no other cosignatures.
  --record also receives a source's own records itself, and reports those that the prices of the log have otherwise, or pass over. SOURCE
  is a file, or - for what is piped in, of lines source,symbol,number,timeMs,price; or NAME=URL, a WebSocket of Binance with trades, NAME
  being the source in the log:
    --record 'binance=wss://data-stream.binance.vision/stream?streams=btcusdt@aggTrade/ethusdt@aggTrade'
  --at-sources asks the exchanges, once a minute and over the network, for the records of one price of the log, drawn at random from all that
  came since: one question for each of its sources. Where one has something else, it is reported, FILE.sources.json holds both documents,
  and the exchange is asked again in turn. What agreed, what did not, and what could not be asked is counted in FILE and told.
  --source asks another place that answers as this exchange does; --sample-every changes the minute, to a second or more.
  --agreed-only, with --witness, cosigns nothing while an exchange contradicts a price that was asked for.
  Reported are also prices that a close changed, a source that is left out of all prices for more than 5 minutes of a day, an order that is
  named twice, rules that let old or far-off records count, and a newest checkpoint whose time is more than 2 s from this machine's clock; half of the time that the server took to
  answer is allowed on top, and an answer that took more than 2 s is reported.
  Exit: 0 stopped, or --once and all is right; 1 something is wrong with the log, FILE.fault.json shows it; 2 the command is
  wrong; 3 --once and the server gave no answer; 4 --once, the log is right, and something was reported; 5 the server denied twice the
  proof that two logs that it signed are one, FILE.fault.json shows them. A server that gives no answer is told and tried again.

fairtick witness-key NAME FILE
  Makes a key for a witness called NAME, a name like witness.example.com, in FILE, and shows its public half.`;

const EVERY_S = 10;
/** Far within the limits of each exchange, which gets one question each time. */
const SAMPLE_EVERY_S = 60;
/** A cosignature counts only near the checkpoint's own time, and the log signs one a second. */
const WITNESS_EVERY_S = 0.5;
/** How often progress is told at most, ms. */
const TELL_EVERY_MS = 10_000;

interface Options {
  readonly url: string;
  readonly file: string;
  readonly keys: readonly string[];
  readonly isFromNow: boolean;
  readonly witnessKey: string | null;
  /** Null: the exchanges are not asked. */
  readonly sampling: Sampling | null;
  /** Whether nothing is cosigned while an exchange contradicts a price. */
  readonly isAgreedOnly: boolean;
  readonly reports: Reports;
  readonly progress: Progress;
}

/** Creates a witness key; refuses to overwrite an existing file. */
export function makeWitnessKey(args: readonly string[]): number {
  const [name, file] = args;
  if (name === undefined || file === undefined || args.length > 2) throw new Trouble(MONITOR_USAGE);
  if (existsSync(file)) throw new Trouble(`${file} is there already`);
  let pair: { signerKey: string; verifierKey: string };
  try {
    pair = generateNoteKey(name, randomBytes(32), COSIGNATURE_TYPE);
  } catch (error) {
    throw new Trouble((error as Error).message);
  }
  writeFileSync(file, `${pair.signerKey}\n`, { mode: 0o600, flag: 'wx' });
  say(pair.verifierKey);
  return 0;
}

export async function monitor(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    every: { type: 'string' },
    state: { type: 'string' },
    key: { type: 'string', multiple: true },
    'from-now': { type: 'boolean' },
    once: { type: 'boolean' },
    witness: { type: 'string' },
    record: { type: 'string', multiple: true },
    'at-sources': { type: 'boolean' },
    source: { type: 'string', multiple: true },
    'sample-every': { type: 'string' },
    'agreed-only': { type: 'boolean' },
  });
  const [url] = positionals;
  const sampleEvery = Number(values['sample-every'] ?? SAMPLE_EVERY_S);
  const every = Number(values.every ?? (values.witness === undefined ? EVERY_S : WITNESS_EVERY_S));
  if (
    url === undefined ||
    positionals.length > 1 ||
    !/^https?:/.test(url) ||
    !(every >= 0.1 && every <= 86_400) ||
    !(sampleEvery >= 1 && sampleEvery <= 86_400) ||
    (!values['at-sources'] &&
      (values.source ?? values['sample-every'] ?? values['agreed-only']) !== undefined)
  )
    throw new Trouble(MONITOR_USAGE);
  const file = values.state ?? 'fairtick-monitor.json';
  const reports = new Reports(values.record === undefined ? null : new SourceRecords());
  const sampled = {
    origins: originsIn(values.source),
    everyMs: sampleEvery * 1000,
    file: `${file}.sources.json`,
  };
  const options: Options = {
    url,
    file,
    keys: values.key ?? [],
    isFromNow: values['from-now'] ?? false,
    witnessKey: values.witness === undefined ? null : readWitnessKey(values.witness),
    sampling: values['at-sources'] ? new Sampling(sampled, (text) => reports.say(text)) : null,
    isAgreedOnly: values['agreed-only'] ?? false,
    reports,
    progress: new Progress(),
  };
  const source = httpSource(url);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const feeds = (values.record ?? []).map((each) =>
    openRecordSource(each, (record) => options.reports.received?.add(record), tell),
  );
  try {
    await Promise.all(feeds.map(({ ready }) => ready));
    return await follow(source, options, { every, isOnce: values.once ?? false, stop: stop.signal });
  } finally {
    for (const feed of feeds) feed.close();
  }
}

/** Tells from time to time how far the log was found right. */
class Progress {
  /** The last checkpoint that was looked at. */
  note: string | null = null;
  #toldSize: number | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;

  tell({ size }: MonitorState, { before, more }: { before: number; more: string }): void {
    this.#toldSize ??= before;
    if (size === this.#toldSize || performance.now() - this.#toldMs < TELL_EVERY_MS) return;
    say(`${size} entries are right, ${size - this.#toldSize} of them new${more}`);
    this.#toldSize = size;
    this.#toldMs = performance.now();
  }
}

/** What people should look at although the log is right: oddities in it, differences from records received here, and clocks that differ. */
class Reports {
  readonly received: SourceRecords | null;
  count = 0;
  /** The last report about the clocks; null: they agree. */
  #saidOfClock: 'apart' | 'slow' | null = null;

  constructor(received: SourceRecords | null) {
    this.received = received;
  }

  entry(entry: LogEntry, index: number): void {
    if (entry.kind !== 'fix' && entry.kind !== 'close') return;
    for (const text of this.received?.take(entry, index) ?? []) this.say(text);
  }

  /**
   * Reports once, until they agree again, that the newest checkpoint and the clock differ. A slow answer is reported, too: its time may be
   * of any moment in between, so that a slow server could hide how far its log is behind.
   */
  clock(note: string, { askedMs, answeredMs }: { askedMs: number; answeredMs: number }): void {
    const checkpoint = checkpointIn(note);
    const timeMs = checkpoint && checkpointTime(checkpoint);
    if (timeMs === null) return;
    const halfMs = (answeredMs - askedMs) / 2;
    const apartMs = timeMs - askedMs - halfMs;
    const isApart = Math.abs(apartMs) > MOST_DRIFT_MS + halfMs;
    const state = isApart ? 'apart' : answeredMs - askedMs > MOST_DRIFT_MS ? 'slow' : null;
    const way = apartMs < 0 ? 'behind' : 'ahead of';
    if (state === 'apart' && this.#saidOfClock !== 'apart')
      this.say(
        `the newest checkpoint is ${Math.round(Math.abs(apartMs) / 1000)} s ${way} this machine's clock`,
      );
    if (state === 'slow' && this.#saidOfClock === null)
      this.say(
        `the server took ${Math.round((answeredMs - askedMs) / 1000)} s to show the newest checkpoint, too long to compare its time with this machine's clock`,
      );
    this.#saidOfClock = state;
  }

  say(text: string): void {
    this.count += 1;
    say(`REPORT: ${text}.`);
  }
}

async function follow(
  source: LogSource,
  options: Options,
  { every, isOnce, stop }: { every: number; isOnce: boolean; stop: AbortSignal },
): Promise<number> {
  let state = readState(options.file);
  let troubleSince: Date | null = null;
  while (!stop.aborted) {
    try {
      state ??= await begin(source, options);
      options.sampling?.follow(source, state);
      await look(source, state, options);
      if (!isOnce) options.sampling?.turn();
      if (troubleSince) say(`the server answers again (it did not since ${troubleSince.toISOString()})`);
      troubleSince = null;
    } catch (error) {
      if (error instanceof LogFault) return tellFault(error, options.file);
      if (!(error instanceof ServerTrouble)) throw error;
      if (!troubleSince) tell(`Nothing could be found out, which is no sign of fraud: ${error.message}`);
      troubleSince ??= new Date();
      if (isOnce) return 3;
    }
    if (isOnce) return endOnce(state, options);
    await sleep(every * 1000, null, { signal: stop }).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
  }
  return 0;
}

async function endOnce(state: MonitorState | null, { sampling, reports, file }: Options): Promise<number> {
  if (sampling && state) {
    await sampling.once();
    writeState(file, state);
    say(sampling.words);
  }
  return reports.count > 0 || sampling?.isContradicted ? 4 : 0;
}

async function begin(source: LogSource, { keys, isFromNow, url }: Options): Promise<MonitorState> {
  const told = await source.keys();
  const shown = [told.checkpoints, told.acceptances];
  if (keys.length === 0) {
    say(`These keys are taken for those of ${url}; compare them with a place that you trust:`);
    for (const key of shown) say(`  ${key}`);
  }
  // A full read takes later keys from the log's own `key` entries, so it starts from the first keys.
  const trusted = keys.length > 0 ? keys : shown;
  const first = isFromNow ? await currentKeys(source, trusted) : firstKeys(trusted, told.rotations);
  return beginMonitor(source, { origin: told.origin, keys: first, isFromNow });
}

/** The keys in use now, reached from the trusted ones by hand-overs that are proved to be in the log. */
async function currentKeys(source: LogSource, trusted: readonly string[]): Promise<readonly string[]> {
  const { keys } = await followLogKeys(
    source,
    trusted.map((key) => ({ key })),
  );
  return keys.flatMap(({ key, until }) => (until === null ? [key] : []));
}

/**
 * The log's first keys, as the server reports them. Hand-overs in the log must lead from them to the trusted keys.
 * {@link checkTrusted} checks this after the entries are read.
 */
function firstKeys(
  trusted: readonly string[],
  rotations: readonly { readonly oldKey: string }[],
): readonly string[] {
  return trusted.map((key) => {
    const first = rotations.find(({ oldKey }) => nameOfKey(oldKey) === nameOfKey(key));
    return first?.oldKey ?? key;
  });
}

/** @throws LogFault if a given key is not, and never was, a key of the log */
function checkTrusted({ judge, note }: MonitorState, given: readonly string[]): void {
  if (judge.from > 0) return;
  const known = [...Object.values(judge.keys), ...(judge.formerKeys ?? [])];
  const missing = given.find((key) => !known.includes(key));
  if (missing !== undefined && note !== null)
    throw new LogFault(`the log is not that of the key ${missing}, and never was`, {
      now: note,
      keys: known,
    });
}

async function look(source: LogSource, state: MonitorState, options: Options): Promise<void> {
  const before = state.size;
  const keep = (now: MonitorState) => writeState(options.file, now);
  const askedMs = Date.now();
  const newest = await source.checkpoint();
  options.reports.clock(newest, { askedMs, answeredMs: Date.now() });
  const note = options.witnessKey === null ? newest : ((await source.toCosign()) ?? newest);
  if (note === options.progress.note) return;
  const onEntry = (entry: LogEntry, index: number) => {
    options.reports.entry(entry, index);
    options.sampling?.offer(entry, index);
  };
  const onReport = (text: string) => options.reports.say(text);
  const { size, timeMs } = await lookOnce(source, state, { note, keep, onEntry, onReport });
  checkTrusted(state, options.keys);
  keep(state);
  options.progress.note = note;
  let signed = '';
  if (options.witnessKey !== null && size === state.size && size > before) {
    const nowMs = Date.now();
    const signer = witnessSigner(options.witnessKey, nowMs) as NoteSigner;
    const isTimely = Math.abs(nowMs - timeMs) <= COSIGNED_WITHIN_S * 1000;
    const isRefused = options.isAgreedOnly && options.sampling?.isContradicted === true;
    if (isTimely && !isRefused) await source.cosign(signNote(splitNoteText(note) as string, signer));
    signed = isRefused
      ? `; did not cosign ${size}: an exchange contradicts a price of the log`
      : isTimely
        ? `; cosigned ${size} as ${signer.name}`
        : `; did not cosign ${size}: its time is too far from this machine's clock for a cosignature to count`;
  }
  const sampled = options.sampling ? `; ${options.sampling.words}` : '';
  options.progress.tell(state, { before, more: `${lateIn(state)}${sampled}${signed}` });
}

const lateIn = ({ judge: { late } }: MonitorState): string =>
  late === 0 ? '' : `; ${late} entries of orders more than a second after their first batch was accepted`;

function tellFault(fault: LogFault, file: string): number {
  const evidence = `${file}.fault.json`;
  writeFileSync(
    evidence,
    `${JSON.stringify({ fault: fault.message, at: new Date(), ...fault.evidence }, null, 2)}\n`,
  );
  say(`WRONG: ${fault.message}.`);
  say(`What shows it stands in ${evidence}: keep it, and show it to others.`);
  return fault instanceof ProofDenied ? 5 : 1;
}

function readWitnessKey(file: string): string {
  const key = readFileSync(file, 'utf8').trim();
  if (witnessSigner(key, 0) === null)
    throw new Trouble(`${file} holds no key of a witness (fairtick witness-key)`);
  return key;
}

function readState(file: string): MonitorState | null {
  if (!existsSync(file)) return null;
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as MonitorState;
    if (state?.version === MONITOR_STATE_VERSION) return state;
    if (Number.isSafeInteger(state?.version))
      throw new Trouble(
        `${file} has version ${state.version} of a monitor's state, and this program reads ${MONITOR_STATE_VERSION}: go on with the program that wrote it, or move the file away, and the log is read again from its first entry (from its end with --from-now)`,
      );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Trouble(`${file} is no state of a monitor`);
}

const writeState = (file: string, state: MonitorState): void => replaceText(file, JSON.stringify(state));

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
