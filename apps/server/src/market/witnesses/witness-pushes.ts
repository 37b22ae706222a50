import {
  COSIGNED_WITHIN_S,
  consistencyProofFrom,
  type HashReader,
  parseCheckpoint,
  splitNoteText,
  toBase64,
} from '@fairtick/proof';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Witness } from '../../config/witness-setting.ts';
import { boundedText } from '../../platform/bounded-text.ts';
import type { Listener } from '../../platform/bus/listener.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type CosignFault, checkpointToCosign, readWitnessStates, takeCosignatures } from './witnesses.ts';

/** For all requests of one checkpoint: a cosignature that is made later does not count. */
const TIMEOUT_MS = COSIGNED_WITHIN_S * 1_000;
/** How long nothing is sent after a failure; each further one doubles it, up to the most. */
const WAIT_MS = 1_000;
const MOST_WAIT_MS = 30_000;
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
  NO_CHECKPOINT: 'its answer came too late',
  NO_COSIGNATURE: 'its answer is no cosignature of the checkpoint',
  NOT_TIMELY: 'the time of its cosignature is too far from the checkpoint’s',
};

export type PushedWitness = Witness & { readonly url: string };

export interface PushParts {
  readonly db: Queryable;
  readonly hashes: HashReader;
  /** For the connection that holds the lock. */
  readonly address: pg.ClientConfig;
  readonly log: Logger;
}

/** Starts to send checkpoints to each witness that has a URL, as they are signed. One that hangs delays no other. */
export function startWitnessPushes(
  parts: PushParts & { readonly listener: Listener },
  witnesses: readonly Witness[],
): { stop(): Promise<void> } {
  const pushes = witnesses
    .filter((witness): witness is PushedWitness => witness.url !== null)
    .map((witness) => new WitnessPush(parts, witness));
  for (const push of pushes) parts.listener.on('checkpoints', () => push.wake());
  return {
    stop: async () => {
      await Promise.all(pushes.map((push) => push.stop()));
    },
  };
}

/**
 * Sends the newest checkpoint to one witness and stores its cosignature (C2SP tlog-witness, `add-checkpoint`), one at a time: a slow
 * witness gets fewer. Of several processes one sends, until it ends. A failure is logged once a minute.
 */
export class WitnessPush {
  readonly #parts: PushParts;
  readonly #witness: PushedWitness;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #isAgain = false;
  /** The connection whose session holds the lock, or asks for it. */
  #client: pg.Client | null = null;
  #isAlone = false;
  #failures = 0;
  #waitsUntilMs = Number.NEGATIVE_INFINITY;
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: PushParts, witness: PushedWitness) {
    this.#parts = parts;
    this.#witness = witness;
  }

  /** Sends the newest checkpoint; call it when one was signed. */
  wake(): void {
    this.#isAgain = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Waits for the work under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Ends a request under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
    await this.#client?.end();
  }

  async #run(): Promise<void> {
    while (this.#isAgain && !this.#stopping.signal.aborted && performance.now() >= this.#waitsUntilMs) {
      this.#isAgain = false;
      try {
        if (await this.#demandLock()) await this.#push();
        this.#failures = 0;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#waitsUntilMs = performance.now() + Math.min(WAIT_MS * 2 ** this.#failures, MOST_WAIT_MS);
        this.#failures += 1;
        this.#complain(error);
        // Another process may reach the witness.
        this.#release();
      }
    }
  }

  /** @returns whether this process is the one that sends to this witness */
  async #demandLock(): Promise<boolean> {
    if (this.#isAlone) return true;
    const client = this.#client ?? (await this.#connect());
    const { rows } = await client.query<{ got: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as got',
      [LOCK, this.#witness.name],
    );
    this.#isAlone = this.#client === client && rows[0]?.got === true;
    return this.#isAlone;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...this.#parts.address,
      application_name: 'fairtick witness',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    this.#client = client;
    client.on('error', () => {});
    // The lock ends with the connection. At worst two processes send the same checkpoint once.
    client.on('end', () => {
      if (this.#client === client) this.#release();
    });
    await client.connect();
    // By default PostgreSQL keeps the lock of a machine that is gone for two hours.
    await client.query(
      'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 2',
    );
    return client;
  }

  #release(): void {
    this.#client?.end().catch(() => {});
    this.#client = null;
    this.#isAlone = false;
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
    const proof = await consistencyProofFrom(this.#parts.hashes, oldSize, size);
    const response = await fetch(`${this.#witness.url}/add-checkpoint`, {
      method: 'POST',
      body: [`old ${oldSize}`, ...proof.map(toBase64), '', note].join('\n'),
      redirect: 'error',
      signal,
    });
    const { status, headers } = response;
    const text = await boundedText(response, MOST_ANSWER);
    if (text === null) throw new Error('its answer is too long');
    return { status, type: headers.get('content-type'), text };
  }

  #complain(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.#complainedMs < COMPLAIN_EVERY_MS) return;
    this.#complainedMs = nowMs;
    const { name: witness } = this.#witness;
    this.#parts.log.warn({ err: error, witness }, 'a witness did not cosign the checkpoint');
  }
}
