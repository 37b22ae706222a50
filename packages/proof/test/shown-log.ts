/** A log server in memory, whose answers a test can change. */
import {
  formatCheckpoint,
  type LogSource,
  leafHash,
  type NoteSigner,
  nobleSigner,
  rootOf,
  ServerTrouble,
  signNote,
  type ToldKeys,
  timeExtension,
} from '../src/index.ts';
import { consistencyProof, inclusionProof } from './rfc-proofs.ts';
import { ACCEPTANCES_KEY, DAY_MS, LOG_KEY, ORIGIN, SIGNED_MS } from './story.ts';

export class ShownLog implements LogSource {
  texts: string[];
  signerKey = LOG_KEY.signerKey;
  /** Entries that are served, if they differ from the signed ones. */
  served: string[] | null = null;
  /** The time of its checkpoints; null: they have none. */
  timeMs: number | null = SIGNED_MS + 2 * DAY_MS;
  /** The time of a checkpoint by when it was asked for, in place of `timeMs`. */
  tellsItsTime: ((askedMs: number) => number) | null = null;
  answersAfterMs = 0;
  isDown = false;
  /** Bundles that were asked for. */
  bundles = 0;
  deniesProofs = false;
  /** Size of its checkpoints; null: all entries. */
  shownSize: number | null = null;
  readonly cosigned: string[] = [];

  constructor(texts: readonly string[]) {
    this.texts = [...texts];
  }

  async keys(): Promise<ToldKeys> {
    const told = { checkpoints: LOG_KEY.verifierKey, acceptances: ACCEPTANCES_KEY.verifierKey };
    return { origin: ORIGIN, ...told, rotations: [] };
  }

  async checkpoint(): Promise<string> {
    this.#mustBeUp();
    const shown = this.texts.slice(0, this.shownSize ?? this.texts.length);
    const leaves = shown.map((text) => leafHash(text));
    const timeMs = this.tellsItsTime?.(Date.now()) ?? this.timeMs;
    if (this.answersAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, this.answersAfterMs));
    const extensions = timeMs === null ? [] : [timeExtension(timeMs)];
    const text = formatCheckpoint({ origin: ORIGIN, size: leaves.length, root: rootOf(leaves), extensions });
    return signNote(text, nobleSigner(this.signerKey) as NoteSigner);
  }

  toCosign(): Promise<string> {
    return this.checkpoint();
  }

  async cosign(note: string): Promise<void> {
    this.cosigned.push(note);
  }

  async bundle(index: number, width: number): Promise<string[]> {
    this.#mustBeUp();
    this.bundles += 1;
    return (this.served ?? this.texts).slice(index * 256, index * 256 + width);
  }

  async tile({ level, index, width }: Parameters<LogSource['tile']>[0]): Promise<Uint8Array> {
    const span = 256 ** Number(level);
    const leaves = this.texts.map((text) => leafHash(text));
    const hashes = Array.from({ length: width }, (_, at) => {
      const start = (index * 256 + at) * span;
      return rootOf(leaves.slice(start, start + span));
    });
    return Buffer.concat(hashes);
  }

  async consistency(fromSize: number, size: number): Promise<Uint8Array[]> {
    this.#mustBeUp();
    if (this.deniesProofs) throw new ServerTrouble('no proof');
    const leaves = this.texts.slice(0, size).map((text) => leafHash(text));
    if (leaves.length < size) throw new ServerTrouble('the log has not grown so far');
    return consistencyProof(leaves, fromSize);
  }

  async inclusion(index: number, size: number): Promise<Uint8Array[]> {
    const leaves = this.texts.slice(0, size).map((text) => leafHash(text));
    return inclusionProof(leaves, index);
  }

  #mustBeUp(): void {
    if (this.isDown) throw new ServerTrouble('connection refused');
  }
}
