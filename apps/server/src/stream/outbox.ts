interface Sender {
  flush(): void;
}

/** One reader's frames of a turn leave in one write: the system call costs more than all the rest of sending. */
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
