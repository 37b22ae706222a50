import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pictureKind } from '@fairtick/protocol/picture';
import { BoundedLines } from '../fairness/bounded-lines.ts';
import { OverloadError } from '../fairness/overload-error.ts';
import {
  DATA_KIBIBYTES,
  MAX_PICTURE_BYTES,
  type Picture,
  REFUSALS,
  type Refused,
  unpackPicture,
} from './image-format.ts';

const CHILD = fileURLToPath(new URL('./image-child.ts', import.meta.url));
/**
 * The limits apply where the system supports them; elsewhere the child checks its memory itself, and `TIME_MS` ends it. Its
 * low priority leaves the processor to prices and orders.
 */
const limited = (kibibytes: number, cpuSeconds: number) =>
  `ulimit -d ${kibibytes} 2>/dev/null; ulimit -t ${cpuSeconds} 2>/dev/null; exec nice -n 10 "$@"`;
const FLAGS = ['--max-old-space-size=64', '--disable-proto=throw', CHILD];
const AT_ONCE = 2;
const MAX_WAITING = 12;
/** CPU time of one picture, in s; wall time would also count other load on a busy machine. */
const CPU_SECONDS = 8;
const TIME_MS = 40_000;
/** The most bytes that the child writes: a picture in two sizes, with their header. */
const MAX_ANSWER = 2 * MAX_PICTURE_BYTES;

export const isRefused = (value: unknown): value is Refused => REFUSALS.includes(value as Refused);

/**
 * Re-encodes pictures, each in its own process with little memory, little time and an empty environment, so that a
 * decoder that fails, hangs or is taken over costs one picture. Few run at once, and few wait.
 */
export class ImageWorkshop {
  readonly #line = new BoundedLines({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING });
  readonly #children = new Set<ChildProcessWithoutNullStreams>();
  #isStopped = false;
  readonly #takesHeic: boolean;
  readonly #timeMs: number;
  readonly #script: string;

  /** Tests pass smaller limits. */
  constructor({
    takesHeic = true,
    timeMs = TIME_MS,
    cpuSeconds = CPU_SECONDS,
    dataKibibytes = DATA_KIBIBYTES,
  } = {}) {
    this.#takesHeic = takesHeic;
    this.#timeMs = timeMs;
    this.#script = limited(dataKibibytes, cpuSeconds);
  }

  /** @throws OverloadError when too many wait, or when the picture got too little of a busy processor */
  async remake(bytes: Uint8Array): Promise<Picture | Refused> {
    if (!this.#takesHeic && pictureKind(bytes) === 'heic') return 'heic';
    return this.#line.take('all pictures', async () => {
      // A child may also end because the machine is busy, so a picture has a second try before it counts as unreadable.
      let made = await this.#inChild(bytes);
      if ((made === null || made === 'late') && !this.#isStopped) made = await this.#inChild(bytes);
      if (made === 'late') throw new OverloadError('a picture got too little of the processor');
      return made ?? 'unreadable';
    });
  }

  /** Kills all running children; a killed one has no second try. */
  stop(): void {
    this.#isStopped = true;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  /**
   * @returns null if the child ended without a word: its processor time or memory ran out, or the decoder crashed; `late` if it had not
   *   used its processor time when the whole time was over, which says nothing of the picture
   */
  async #inChild(bytes: Uint8Array): Promise<Picture | Refused | 'late' | null> {
    const child = spawn('/bin/sh', ['-c', this.#script, 'sh', process.execPath, ...FLAGS], {
      env: {},
      cwd: '/',
    });
    this.#children.add(child);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, this.#timeMs);
    try {
      const { answer, said, status } = await conversation(child, bytes);
      if (status === 0) return unpackPicture(answer);
      if (isRefused(said)) return said;
      return isLate ? 'late' : null;
    } finally {
      clearTimeout(timer);
      child.kill('SIGKILL');
      this.#children.delete(child);
    }
  }
}

interface Ended {
  readonly answer: Buffer;
  readonly said: string;
  readonly status: number | null;
}

function conversation(child: ChildProcessWithoutNullStreams, bytes: Uint8Array): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const answer: Buffer[] = [];
    let length = 0;
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_ANSWER) child.kill('SIGKILL');
      else answer.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (said.length < 100) said += chunk.toString('latin1');
    });
    // A child that refuses or is killed does not read its input to the end.
    child.stdin.on('error', () => {});
    child.once('error', reject);
    child.once('close', (status) => resolve({ answer: Buffer.concat(answer), said, status }));
    child.stdin.end(bytes);
  });
}
