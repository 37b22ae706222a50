/** An object with frames to write at the end of this turn of the event loop. */
interface Sender {
  flush(): void;
}

/**
 * Readers with frames to send in this turn. A step of the log changes several topics at once; one reader's frames leave in one
 * write, because the system call costs more than all the rest of sending.
 */
export class Outbox {
  #senders: Sender[] = [];

  add(sender: Sender): void {
    if (this.#senders.push(sender) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const senders = this.#senders;
    this.#senders = [];
    for (const sender of senders) sender.flush();
  }
}
