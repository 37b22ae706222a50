import type { Socket } from 'node:net';

/**
 * Idle connections, and those whose request is still arriving. None is refused: when all places are taken, the oldest connection of the
 * network with the most is closed. An honest request arrives within moments, so it is not the oldest for long.
 */
export class WaitingConnections {
  readonly #most: number;
  readonly #of = new Map<string, Set<Socket>>();
  readonly #networks = new Map<Socket, string>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket, network: string): void {
    if (socket.destroyed || this.#networks.has(socket)) return;
    if (this.#networks.size >= this.#most) this.#closeOldest(this.#largest());
    const sockets = this.#of.get(network) ?? new Set();
    this.#of.set(network, sockets.add(socket));
    this.#networks.set(socket, network);
  }

  remove(socket: Socket): void {
    const network = this.#networks.get(socket);
    if (network === undefined) return;
    this.#networks.delete(socket);
    const sockets = this.#of.get(network);
    sockets?.delete(socket);
    if (sockets?.size === 0) this.#of.delete(network);
  }

  #closeOldest(network: string): void {
    const [oldest] = this.#of.get(network) ?? [];
    if (!oldest) return;
    this.remove(oldest);
    oldest.destroy();
  }

  #largest(): string {
    let largest = '';
    let most = 0;
    for (const [network, { size }] of this.#of) {
      if (size > most) [largest, most] = [network, size];
    }
    return largest;
  }
}
