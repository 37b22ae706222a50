import { execFileSync } from 'node:child_process';

type Way = 'requests' | 'answers';

const ip = (...args: readonly string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });
/** An unused MAC address: packets to it are dropped on arrival, and the sender is not told. */
const NOBODY = '02:00:00:00:00:99';

/** A link between this network and a namespace that can drop all packets in one or both directions. */
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

  /** Drops packets in these directions, silently. Requests are what the namespace sends. */
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

/** A network namespace for a process, with one link to the database and another to its customers. */
export class Namespace {
  readonly toDatabase: Wire;
  readonly toCustomers: Wire;
  /** Command prefix that runs the rest of its line in the namespace. */
  readonly command: readonly string[];
  readonly #name: string;

  /** @param number unique among the namespaces open at the same time */
  constructor(number: number) {
    this.#name = `fairtick${process.pid}n${number}`;
    ip('netns', 'add', this.#name);
    ip('-n', this.#name, 'link', 'set', 'lo', 'up');
    this.toDatabase = new Wire(this.#name, number * 2);
    this.toCustomers = new Wire(this.#name, number * 2 + 1);
    this.command = ['ip', 'netns', 'exec', this.#name];
  }

  /** Removes the namespace and its links. */
  close(): void {
    ip('netns', 'del', this.#name);
  }
}
