/** A random sample of all fixes of a log, compared with what their exchanges say of the same records. */
import { type FixEntry, formatEntry, parseEntry } from '../entry.ts';
import { isOpen } from '../receipt/fix-judge.ts';
import {
  type Ask,
  type AskedFix,
  type AskOptions,
  canBeAsked,
  checkFixAtSources,
  isContradiction,
  type SourceFinding,
  type SourceState,
  wordsOfFinding,
} from '../venues/at-sources.ts';

/** The signed log around an entry, for others to check. */
export interface EntryProof {
  readonly checkpoint: string;
  readonly proof: readonly string[];
}

/** A fix that an exchange contradicts: both documents. */
export interface Contradiction {
  readonly index: number;
  readonly entry: string;
  /** When the exchange was asked last, Unix ms. */
  readonly askedMs: number;
  readonly findings: readonly SourceFinding[];
  readonly logged: EntryProof | null;
}

/** Plain JSON, so that it can be stored between runs. */
export interface SampleState {
  fixes: number;
  /** Records compared, by result; one that is asked about twice counts twice. */
  readonly records: Record<SourceState, number>;
  /** Fixes of the log without a source that can be asked. */
  unaskable: number;
  /** Fixes that an exchange contradicts, as far as was found last; the oldest are asked again in turn. */
  standing: Contradiction[];
}

export const beginSample = (): SampleState => ({
  fixes: 0,
  records: { same: 0, differs: 0, skipped: 0, unread: 0, unasked: 0 },
  unaskable: 0,
  standing: [],
});

const MOST_STANDING = 16;

export interface SampleOptions extends AskOptions {
  readonly ask: Ask;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The proof that an entry is in the log. */
  readonly prove: (index: number) => Promise<EntryProof | null>;
  /** Told of a contradiction, and of its end. */
  readonly onReport: (text: string) => void;
}

export class SourceSample {
  readonly state: SampleState;
  readonly #options: SampleOptions;
  /** A fix drawn at random from those since the last turn. */
  #candidate: AskedFix | null = null;
  #offered = 0;
  /** The fix to ask for in the next turn. */
  #drawn: AskedFix | null = null;
  #wasAgain = false;

  constructor(state: SampleState, options: SampleOptions) {
    this.state = state;
    this.#options = options;
  }

  offer(entry: FixEntry, index: number): void {
    if (!canBeAsked(entry, this.#options)) {
      this.state.unaskable += 1;
      return;
    }
    this.#offered += 1;
    if (this.#options.random() * this.#offered < 1) this.#candidate = { index, entry };
  }

  /**
   * Asks each exchange about one fix; in every other turn about one that is contradicted, if there is any. A new fix waits one turn, so that
   * the exchanges have time to publish its records.
   */
  async turn(): Promise<void> {
    const again = this.#wasAgain ? undefined : this.state.standing[0];
    this.#wasAgain = again !== undefined;
    if (again) return this.#askAgain(again);
    const fix = this.#drawn;
    this.#drawn = this.#take();
    if (fix) await this.#askFirst(fix);
  }

  /** Asks about the oldest contradicted fix and about a new one, without waiting a turn. */
  async once(): Promise<void> {
    const [again] = this.state.standing;
    if (again) await this.#askAgain(again);
    const fix = this.#take();
    if (fix) await this.#askFirst(fix);
  }

  #take(): AskedFix | null {
    const fix = this.#candidate;
    [this.#candidate, this.#offered] = [null, 0];
    return fix;
  }

  async #askFirst(fix: AskedFix): Promise<void> {
    this.state.fixes += 1;
    const findings = (await this.#ask(fix)).filter(isContradiction);
    if (findings.length === 0) return;
    const logged = await this.#options.prove(fix.index);
    const told = { index: fix.index, entry: formatEntry(fix.entry), askedMs: Date.now(), findings, logged };
    if (this.state.standing.length < MOST_STANDING) this.state.standing.push(told);
    for (const finding of findings) this.#report(fix, wordsOfFinding(finding));
  }

  /** A contradiction ends only when every exchange that made it agrees; no answer does not end it. */
  async #askAgain(known: Contradiction): Promise<void> {
    const entry = parseEntry(known.entry) as FixEntry;
    const fix = { index: known.index, entry };
    const found = await this.#ask(fix);
    const now = (source: string) => found.find((each) => each.source === source);
    const findings = known.findings.map((before) => {
      const after = now(before.source);
      return after && after.state !== 'unread' ? after : before;
    });
    this.state.standing.shift();
    const left = findings.filter(isContradiction);
    if (left.length > 0) this.state.standing.push({ ...known, findings: left, askedMs: Date.now() });
    else this.#report(fix, 'the exchange that contradicted it has now what the log says');
  }

  #report({ index, entry }: AskedFix, text: string): void {
    this.#options.onReport(`entry ${index}, ${entry.symbol}: ${text.replace(/\.$/, '')}`);
  }

  async #ask({ index, entry }: AskedFix): Promise<SourceFinding[]> {
    const findings = await checkFixAtSources({ index, entry }, this.#options.ask, this.#options);
    // An open record may skip a later one: its close, which the sample has as well, corrects it.
    const open = entry.records.filter(isOpen).map(({ source }) => source);
    const judged = findings.map(
      (each): SourceFinding =>
        each.state === 'skipped' && open.includes(each.source) ? { ...each, state: 'same' } : each,
    );
    for (const { state } of judged) this.state.records[state] += 1;
    return judged;
  }
}

export function wordsOfSample({ fixes, records, unaskable, standing }: SampleState): string {
  const { same, differs, skipped, unread, unasked } = records;
  return [
    `at the exchanges: ${fixes} prices asked for, ${same} records agreed`,
    `${differs + skipped} did not`,
    `${unread} could not be read`,
    `${unasked} can't be asked for`,
    `${unaskable} prices without a source that can be asked`,
    ...(standing.length > 0 ? [`${standing.length} PRICES CONTRADICTED`] : []),
  ].join(', ');
}
