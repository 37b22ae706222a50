import { execFileSync } from 'node:child_process';

type Way = 'requests' | 'answers';

const ip = (...args: readonly string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });
/** Nobody's: what is sent to it is dropped where it arrives, and its sender hears nothing of that. */
const NOBODY = '02:00:00:00:00:99';

/** A wire between this network and a namespace, which loses everything in either direction or both when told to. */
class Wire {
  readonly outer: string;
  readonly inner: string;
  readonly #namespace: string;
  readonly #device: string;

  constructor(namespace: string, number: number) {
    this.#namespace = namespace;
    this.#device = `ftw${number}`;
    this.outer = `10.79.${number}.1`;
    this.inner = `10.79.${number}.2`;
    const inside = ['-n', namespace];
    ip('link', 'add', this.#device, 'type', 'veth', 'peer', 'name', `${this.#device}i`, 'netns', namespace);
    ip('addr', 'add', `${this.outer}/24`, 'dev', this.#device);
    ip(...inside, 'addr', 'add', `${this.inner}/24`, 'dev', `${this.#device}i`);
    ip('link', 'set', this.#device, 'up');
    ip(...inside, 'link', 'set', `${this.#device}i`, 'up');
  }

  /** From now on these are lost, silently. Requests are what the namespace sends. */
  cut(...ways: readonly Way[]): void {
    for (const way of ways) this.#neighbour('replace', way, 'lladdr', NOBODY, 'nud', 'permanent');
  }

  heal(...ways: readonly Way[]): void {
    for (const way of ways) this.#neighbour('del', way);
  }

  #neighbour(verb: 'replace' | 'del', way: Way, ...more: readonly string[]): void {
    if (way === 'requests') {
      ip('-n', this.#namespace, 'neigh', verb, this.outer, 'dev', `${this.#device}i`, ...more);
    } else {
      ip('neigh', verb, this.inner, 'dev', this.#device, ...more);
    }
  }
}

/** A network of its own for a process, with a wire to the database and another one for its customers. */
export class Namespace {
  readonly toDatabase: Wire;
  readonly toCustomers: Wire;
  /** Runs the rest of its line in there. */
  readonly command: readonly string[];
  readonly #name: string;

  /** @param number of its own among those that are open at the same time */
  constructor(number: number) {
    this.#name = `fairtick${process.pid}n${number}`;
    ip('netns', 'add', this.#name);
    ip('-n', this.#name, 'link', 'set', 'lo', 'up');
    this.toDatabase = new Wire(this.#name, number * 2);
    this.toCustomers = new Wire(this.#name, number * 2 + 1);
    this.command = ['ip', 'netns', 'exec', this.#name];
  }

  /** Its wires go with it. */
  close(): void {
    ip('netns', 'del', this.#name);
  }
}
