import {
  consistencyProofFrom,
  type HashReader,
  parseCheckpoint,
  splitNoteText,
  toBase64,
} from '@fairtick/proof';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Witness } from '../../config/witness-setting.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { nativeSha256 } from './hash.ts';
import { type CosignFault, checkpointToCosign, readWitnessStates, takeCosignatures } from './witnesses.ts';

const EVERY_MS = 10_000;
/** For all requests of one turn. */
const TIMEOUT_MS = 10_000;
/** Most bytes of an answer that are read: a few signature lines. */
const MOST_ANSWER = 16_384;
const COMPLAIN_EVERY_MS = 60_000;
/** First key of the advisory locks, one for each witness; the holder is the only process that sends to it. */
const LOCK = 7047;

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  403: 'it does not trust the key of this log',
  404: 'it does not know this log',
  422: 'it says that this log does not extend the one it saw',
};
const FAULT_TEXTS: Readonly<Record<CosignFault, string>> = {
  NO_CHECKPOINT: 'the checkpoint is no longer stored',
  NO_COSIGNATURE: 'its answer is no cosignature of the checkpoint',
  NOT_TIMELY: 'the time of its cosignature is too far from the checkpoint’s',
};

export type PushedWitness = Witness & { readonly url: string };

export interface PushParts {
  readonly db: Queryable;
  readonly hashes: HashReader;
  /** For the connection that holds the lock while a request is under way. */
  readonly address: pg.ClientConfig;
  readonly log: Logger;
}

/** Starts to send checkpoints to each witness that has a URL. One that hangs delays no other. */
export function startWitnessPushes(
  parts: PushParts,
  witnesses: readonly Witness[],
): { stop(): Promise<void> } {
  const pushes = witnesses
    .filter((witness): witness is PushedWitness => witness.url !== null)
    .map((witness) => new WitnessPush(parts, witness));
  for (const push of pushes) push.start();
  return {
    stop: async () => {
      await Promise.all(pushes.map((push) => push.stop()));
    },
  };
}

/**
 * Sends checkpoints to one witness and stores its cosignatures (C2SP tlog-witness, `add-checkpoint`). Several processes may do it:
 * one at a time sends, and no checkpoint that the witness has cosigned. A failure is logged once a minute.
 */
export class WitnessPush extends RecurringJob {
  readonly #parts: PushParts;
  readonly #witness: PushedWitness;
  readonly #stopping = new AbortController();
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: PushParts, witness: PushedWitness) {
    super(parts.log, { everyMs: EVERY_MS, complaint: 'checkpoints were not sent to a witness' });
    this.#parts = parts;
    this.#witness = witness;
  }

  async run(): Promise<void> {
    try {
      await this.#pushAlone();
    } catch (error) {
      if (!this.isStopped) this.#complain(error);
    }
  }

  /** Ends a request under way. */
  override async stop(): Promise<void> {
    const stopped = super.stop();
    this.#stopping.abort();
    await stopped;
  }

  /** Does nothing while another process sends to this witness. */
  async #pushAlone(): Promise<void> {
    const client = new pg.Client({ ...this.#parts.address, application_name: 'fairtick witness' });
    // A connection that breaks meanwhile ends the lock; at worst two processes send the same checkpoint.
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query<{ got: boolean }>(
        'select pg_try_advisory_lock($1, hashtext($2)) as got',
        [LOCK, this.#witness.name],
      );
      if (rows[0]?.got) await this.#push();
    } finally {
      await client.end();
    }
  }

  async #push(): Promise<void> {
    const { db } = this.#parts;
    const note = await checkpointToCosign(db);
    const text = note === null ? null : splitNoteText(note);
    const size = text === null ? null : (parseCheckpoint(text)?.size ?? null);
    const [state] = await readWitnessStates(db, [this.#witness]);
    const knownSize = state?.size ?? 0;
    if (note === null || size === null || knownSize >= size) return;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    let answer = await this.#send({ note, oldSize: knownSize, size }, signal);
    if (answer.status === 409 && answer.type === 'text/x.tlog.size') {
      // The witness says which size it cosigned last.
      const oldSize = /^(0|[1-9]\d{0,15})\n?$/.exec(answer.text)?.[1];
      if (oldSize === undefined) throw new Error('it answers 409 without a size');
      if (Number(oldSize) > size)
        throw new Error(`it has cosigned ${oldSize} entries, more than the ${size} sent`);
      answer = await this.#send({ note, oldSize: Number(oldSize), size }, signal);
    }
    if (answer.status !== 200) throw new Error(STATUS_TEXTS[answer.status] ?? `it answers ${answer.status}`);
    const fault = await takeCosignatures(db, [this.#witness], `${text}\n${answer.text}`);
    if (fault !== null) throw new Error(FAULT_TEXTS[fault]);
  }

  async #send(
    { note, oldSize, size }: { note: string; oldSize: number; size: number },
    signal: AbortSignal,
  ): Promise<{ status: number; type: string | null; text: string }> {
    const proof = await consistencyProofFrom(this.#parts.hashes, oldSize, size, nativeSha256);
    const response = await fetch(`${this.#witness.url}/add-checkpoint`, {
      method: 'POST',
      body: [`old ${oldSize}`, ...proof.map(toBase64), '', note].join('\n'),
      redirect: 'error',
      signal,
    });
    const { status, headers } = response;
    return { status, type: headers.get('content-type'), text: await readShort(response) };
  }

  #complain(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.#complainedMs < COMPLAIN_EVERY_MS) return;
    this.#complainedMs = nowMs;
    this.log.warn({ err: error, witness: this.#witness.name }, 'a witness did not cosign the checkpoint');
  }
}

/** Reads an answer as text. @throws Error above {@link MOST_ANSWER}; the rest is not read */
async function readShort(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_ANSWER) throw new Error('its answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
