import type { Logger } from 'pino';

/** Work that runs at intervals, never twice at once in one process. A failure is logged, and the next turn tries again. */
export abstract class RecurringJob {
  protected readonly log: Logger;
  readonly #everyMs: number;
  readonly #complaint: string;
  readonly #isAtOnce: boolean;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<unknown> | null = null;
  #isStopped = false;

  /** @param options `complaint` is the log's message for a failure; `isAtOnce` whether the first turn runs at the start */
  constructor(
    log: Logger,
    { everyMs, complaint, isAtOnce = true }: { everyMs: number; complaint: string; isAtOnce?: boolean },
  ) {
    this.log = log;
    this.#everyMs = everyMs;
    this.#complaint = complaint;
    this.#isAtOnce = isAtOnce;
  }

  static of(
    run: () => Promise<unknown>,
    ...options: ConstructorParameters<typeof RecurringJob>
  ): RecurringJob {
    return new (class extends RecurringJob {
      run = run;
    })(...options);
  }

  abstract run(): Promise<unknown>;

  start(): void {
    this.#timer = setInterval(() => this.ask(), this.#everyMs);
    if (this.#isAtOnce) this.ask();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  protected get isStopped(): boolean {
    return this.#isStopped;
  }

  ask(): void {
    this.#running ??= this.run()
      .catch((error: unknown) => this.log.warn({ err: error }, this.#complaint))
      .finally(() => {
        this.#running = null;
      });
  }
}
