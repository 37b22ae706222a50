import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type Checkpoint,
  COSIGNATURE_TYPE,
  checkpointTime,
  fromBase64,
  generateNoteKey,
  type NoteSigner,
  type NoteVerifier,
  nobleVerifier,
  openNote,
  parseCheckpoint,
  signNote,
  splitNoteText,
  toHex,
  verifyConsistency,
  witnessSigner,
} from '@fairtick/proof';

export const keyOf = (name: string) => generateNoteKey(name, randomBytes(32), COSIGNATURE_TYPE);
export const textOf = (note: string) => splitNoteText(note) as string;
export const readNote = (note: string) => parseCheckpoint(textOf(note)) as Required<Checkpoint>;

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

/** A witness as C2SP tlog-witness describes it: it trusts one key of one log, and checks every consistency proof. */
export class HttpWitness {
  readonly key;
  readonly got: { old: string; size: number }[] = [];
  /** Makes its own answer of the right one; null: it has answered by itself. */
  spoil: (right: Answer, note: string, response: ServerResponse) => Answer | null = (right) => right;
  /** Difference of its clock to the checkpoint's time. */
  offMs = 0;
  last: Pick<Checkpoint, 'size' | 'root'> = { size: 0, root: new Uint8Array() };
  readonly #log: NoteVerifier;
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));

  constructor(name: string, logKey: string) {
    this.key = keyOf(name);
    this.#log = nobleVerifier(logKey) as NoteVerifier;
  }

  /** @returns its setting in `WITNESSES` */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `${this.key.verifierKey}=http://127.0.0.1:${port}/witness`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The signature line of a checkpoint's text. */
  cosign(body: string, signerKey = this.key.signerKey): string {
    const timeMs = (checkpointTime(parseCheckpoint(body) as Checkpoint) ?? 0) + this.offMs;
    return signNote(body, witnessSigner(signerKey, timeMs) as NoteSigner).slice(body.length + 1);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const note = body.slice(body.indexOf('\n\n') + 2);
    const right =
      `${request.method} ${request.url}` === 'POST /witness/add-checkpoint'
        ? this.#judge(body, note)
        : { status: 405 };
    const answer = this.spoil(right, note, response);
    if (answer === null) return;
    response.writeHead(answer.status, answer.type === undefined ? {} : { 'content-type': answer.type });
    response.end(answer.body ?? '');
  }

  #judge(body: string, note: string): Answer {
    const [old = '', ...proof] = body.slice(0, body.indexOf('\n\n')).split('\n');
    const { origin, size, root } = readNote(note);
    this.got.push({ old, size });
    if (origin !== this.#log.name) return { status: 404 };
    if (!openNote(note, [this.#log])) return { status: 403 };
    const { last } = this;
    if (old !== `old ${last.size}` || (size === last.size && toHex(root) !== toHex(last.root)))
      return { status: 409, type: 'text/x.tlog.size', body: `${last.size}\n` };
    const hashes = proof.map((line) => fromBase64(line) as Uint8Array);
    const claim = { oldSize: last.size, oldRoot: last.root, newSize: size, newRoot: root, proof: hashes };
    if (last.size === 0 ? hashes.length > 0 : !verifyConsistency(claim)) return { status: 422 };
    this.last = { size, root };
    return { status: 200, body: this.cosign(textOf(note)) };
  }
}
