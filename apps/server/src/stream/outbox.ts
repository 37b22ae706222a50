/** What has frames to write at the end of this turn of the event loop. */
interface Sender {
  flush(): void;
}

/**
 * Readers that were sent something in this turn. A step of the log changes several topics at once; what one reader gets of
 * them leaves in one write, for the system's call costs more than all the rest of sending.
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
