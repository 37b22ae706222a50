/** `fairtick monitor --at-sources`: asks the exchanges from time to time and keeps contradictions. */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import {
  beginSample,
  checkpointIn,
  type EntryProof,
  type LogEntry,
  type LogSource,
  type MonitorState,
  ServerTrouble,
  SourceSample,
  toHex,
  wordsOfSample,
} from '../src/index.ts';
import { askExchange } from './ask-exchange.ts';

const RANDOM_STEPS = 2 ** 32;

interface SampleSettings {
  /** Addresses in place of an exchange's own, by source. */
  readonly origins: Readonly<Record<string, string>>;
  readonly everyMs: number;
  /** Where the documents of contradictions are written. */
  readonly file: string;
}

/** Asks exchanges in the background; reading the log never waits for an answer. */
export class Sampling {
  readonly #settings: SampleSettings;
  readonly #report: (text: string) => void;
  #sample: SourceSample | null = null;
  #running: Promise<void> | null = null;
  #dueMs = 0;

  constructor(settings: SampleSettings, report: (text: string) => void) {
    this.#settings = settings;
    this.#report = report;
  }

  /** Goes on from a state, before its entries are read. */
  follow(source: LogSource, state: MonitorState): void {
    if (this.#sample) return;
    state.sources ??= beginSample();
    const prove = async (index: number): Promise<EntryProof | null> => {
      const { note } = state;
      // Reading may have come further than the checkpoint.
      const size = checkpointIn(note ?? '')?.size ?? 0;
      if (note === null || index >= size) return null;
      try {
        return { checkpoint: note, proof: (await source.inclusion(index, size)).map(toHex) };
      } catch (error) {
        if (error instanceof ServerTrouble) return null;
        throw error;
      }
    };
    this.#sample = new SourceSample(state.sources, {
      ask: askExchange,
      origins: this.#settings.origins,
      random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
      prove,
      onReport: (text) => this.#report(`${text}; both documents are in ${this.#settings.file}`),
    });
  }

  offer(entry: LogEntry, index: number): void {
    if (entry.kind === 'fix' || entry.kind === 'close') this.#sample?.offer(entry, index);
  }

  /** Takes a turn if one is due, without waiting for it. */
  turn(): void {
    if (this.#running !== null || performance.now() < this.#dueMs) return;
    this.#dueMs = performance.now() + this.#settings.everyMs;
    this.#running = this.#ask((sample) => sample.turn()).finally(() => {
      this.#running = null;
    });
  }

  once(): Promise<void> {
    return this.#ask((sample) => sample.once());
  }

  async #ask(how: (sample: SourceSample) => Promise<void>): Promise<void> {
    if (!this.#sample) return;
    const before = JSON.stringify(this.#sample.state.standing);
    await how(this.#sample);
    const { standing } = this.#sample.state;
    if (JSON.stringify(standing) !== before)
      writeFileSync(this.#settings.file, `${JSON.stringify(standing, null, 2)}\n`);
  }

  get isContradicted(): boolean {
    return (this.#sample?.state.standing.length ?? 0) > 0;
  }

  get words(): string {
    return this.#sample ? wordsOfSample(this.#sample.state) : '';
  }
}
