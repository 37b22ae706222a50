import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pictureKind } from '@fairtick/protocol/picture';
import { BOUNDS } from '../fairness/bounds.ts';
import { Line } from '../fairness/line.ts';
import { OverloadError } from '../fairness/overload-error.ts';
import {
  DATA_KIBIBYTES,
  MAX_PICTURE_BYTES,
  type Picture,
  REFUSALS,
  type Refused,
  unpackPicture,
} from './picture-format.ts';

const run = promisify(execFile);
/** `killed`: by this process, because time or the answer's length was used up. */
type ChildError = Error & { stderr?: Buffer; killed?: boolean; code?: number | string | null };

const CHILD = fileURLToPath(new URL('./picture-child.ts', import.meta.url));
/** Where the system has no such limits, the child checks its memory itself. Its low priority leaves the processor to prices and orders. */
const limited = (kibibytes: number, cpuSeconds: number) =>
  `ulimit -d ${kibibytes} 2>/dev/null; ulimit -t ${cpuSeconds} 2>/dev/null; exec nice -n 10 "$@"`;
const FLAGS = ['--max-old-space-size=64', '--disable-proto=throw', CHILD];
/** Wall time would also count other load. */
const CPU_SECONDS = 8;
const TIME_MS = 40_000;
const MAX_ANSWER = 2 * MAX_PICTURE_BYTES;

export const isRefused = (value: unknown): value is Refused => REFUSALS.includes(value as Refused);

/** Each picture has a process of its own, so that a decoder that fails, hangs or is taken over costs one picture. */
export class PictureWorkshop {
  readonly #line = new Line(BOUNDS.pictures);
  readonly #stopping = new AbortController();
  readonly #takesHeic: boolean;
  readonly #timeMs: number;
  readonly #script: string;

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
    return this.#line.take({ kind: 'anyone', who: 'all pictures' }, async () => {
      // A child may also end because the machine is busy, so a picture has a second try before it counts as unreadable.
      let made = await this.#inChild(bytes);
      if ((made === null || made === 'late') && !this.#stopping.signal.aborted)
        made = await this.#inChild(bytes);
      if (made === 'late') throw new OverloadError('a picture got too little of the processor');
      return made ?? 'unreadable';
    });
  }

  stop(): void {
    this.#stopping.abort();
  }

  /**
   * @returns null if the child ended without a word: its processor time or memory ran out, or the decoder crashed; `late` if it had not
   *   used its processor time when the whole time was over, which says nothing of the picture
   */
  async #inChild(bytes: Uint8Array): Promise<Picture | Refused | 'late' | null> {
    const running = run('/bin/sh', ['-c', this.#script, 'sh', process.execPath, ...FLAGS], {
      env: {},
      cwd: '/',
      encoding: 'buffer',
      maxBuffer: MAX_ANSWER,
      timeout: this.#timeMs,
      killSignal: 'SIGKILL',
      signal: this.#stopping.signal,
    });
    // A child that refuses or is killed does not read its input to the end.
    running.child.stdin?.on('error', () => {}).end(bytes);
    const answer = await running.then(
      ({ stdout }) => stdout,
      (error: ChildError) => {
        const said = String(error.stderr ?? '');
        if (isRefused(said)) return said;
        return error.killed === true && error.code === null ? 'late' : null;
      },
    );
    return Buffer.isBuffer(answer) ? unpackPicture(answer) : answer;
  }
}
