import {
  consistencyProofFrom,
  type HashReader,
  parseCheckpoint,
  splitNoteText,
  toBase64,
} from '@fairtick/proof';
import type { Logger } from 'pino';
import type { Witness } from '../../config/witness-setting.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { nativeSha256 } from './hash.ts';
import { checkpointToCosign, readWitnessStates, takeCosignatures } from './witnesses.ts';

const EVERY_MS = 10_000;
const TIMEOUT_MS = 10_000;
/** Most characters of an answer that are read: a few signature lines. */
const MOST_ANSWER = 16_384;
const COMPLAIN_EVERY_MS = 60_000;

type Pushed = Witness & { readonly url: string };

/**
 * Sends checkpoints to the witnesses that have a URL, and stores their cosignatures (C2SP tlog-witness, `add-checkpoint`). Several
 * processes may do it: a checkpoint that a witness has cosigned is not sent again.
 */
export class WitnessPushes extends RecurringJob {
  readonly #db: Queryable;
  readonly #hashes: HashReader;
  readonly #witnesses: readonly Pushed[];
  readonly #complainedMs = new Map<string, number>();

  constructor(db: Queryable, hashes: HashReader, witnesses: readonly Witness[], log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'checkpoints were not sent to witnesses' });
    this.#db = db;
    this.#hashes = hashes;
    this.#witnesses = witnesses.filter((witness): witness is Pushed => witness.url !== null);
  }

  async run(): Promise<void> {
    if (this.#witnesses.length === 0) return;
    const note = await checkpointToCosign(this.#db);
    if (note === null) return;
    const states = await readWitnessStates(this.#db, this.#witnesses);
    await Promise.all(
      this.#witnesses.map((witness, place) =>
        this.#push(witness, note, states[place]?.size ?? 0).catch((error: unknown) =>
          this.#complain(witness, error),
        ),
      ),
    );
  }

  /** @param knownSize the checkpoint that the witness cosigned last, as far as the database knows */
  async #push(witness: Pushed, note: string, knownSize: number): Promise<void> {
    const text = splitNoteText(note);
    const size = text === null ? null : (parseCheckpoint(text)?.size ?? null);
    if (text === null || size === null || knownSize >= size) return;
    let answer = await this.#send(witness, note, { oldSize: knownSize, size });
    if (answer.status === 409) {
      // The witness says which checkpoint it cosigned last.
      const oldSize = /^(0|[1-9]\d{0,15})\n?$/.exec(answer.text)?.[1];
      if (oldSize === undefined || Number(oldSize) > size) throw new Error('it knows a larger log');
      answer = await this.#send(witness, note, { oldSize: Number(oldSize), size });
    }
    if (answer.status !== 200) throw new Error(`it answers ${answer.status}`);
    if (!(await takeCosignatures(this.#db, [witness], `${text}\n${answer.text}`)))
      throw new Error('its answer is no cosignature of the checkpoint');
  }

  async #send(
    witness: Pushed,
    note: string,
    { oldSize, size }: { oldSize: number; size: number },
  ): Promise<{ status: number; text: string }> {
    const proof = await consistencyProofFrom(this.#hashes, oldSize, size, nativeSha256);
    const response = await fetch(`${witness.url}/add-checkpoint`, {
      method: 'POST',
      body: [`old ${oldSize}`, ...proof.map(toBase64), '', note].join('\n'),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await readShort(response) };
  }

  #complain({ name }: Witness, error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - (this.#complainedMs.get(name) ?? -COMPLAIN_EVERY_MS) < COMPLAIN_EVERY_MS) return;
    this.#complainedMs.set(name, nowMs);
    this.log.warn({ err: error, witness: name }, 'a witness did not cosign the checkpoint');
  }
}

/** The beginning of an answer, as text; the rest is not read. */
async function readShort(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MOST_ANSWER) throw new Error('its answer is too long');
  }
  return text;
}
