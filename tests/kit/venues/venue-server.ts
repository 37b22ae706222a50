import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * A venue on loopback. It says what the test tells it, to every connection or to those that come next, and misbehaves on command.
 */
export class VenueServer {
  /** Frames that clients sent, oldest first. */
  readonly heard: string[] = [];
  /** Connections that were opened so far. */
  opened = 0;
  /** What each new connection is told at once. */
  greeting: () => readonly string[] = () => [];
  /** Answers to a client's frame, such as a pong. */
  answer: (frame: string) => readonly string[] = () => [];
  /** The HTTP status that new connections get instead of a socket; null: they are taken. */
  refuses: { readonly status: number; readonly headers?: Record<string, string> } | null = null;
  readonly url: string;
  readonly #http: Server;
  readonly #sockets = new Set<WebSocket>();
  readonly #raw = new Set<Socket>();

  private constructor(http: Server, url: string) {
    this.#http = http;
    this.url = url;
    const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    http.on('connection', (socket) => {
      this.#raw.add(socket);
      socket.on('close', () => this.#raw.delete(socket));
    });
    http.on('upgrade', (request, socket, head) => {
      if (this.refuses) {
        const { status, headers = {} } = this.refuses;
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}content-length: 0\r\n\r\n`);
        return;
      }
      server.handleUpgrade(request, socket, head, (client) => this.#take(client));
    });
  }

  /** @param secrets with a certificate it speaks TLS alone */
  static async start({
    port = 0,
    secrets,
  }: {
    port?: number;
    secrets?: { cert: string; key: string };
  } = {}): Promise<VenueServer> {
    const http = secrets ? createSecureServer(secrets) : createServer();
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    const own = (http.address() as AddressInfo).port;
    return new VenueServer(http, `${secrets ? 'wss' : 'ws'}://127.0.0.1:${own}`);
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Says a frame on every open connection. */
  say(...frames: readonly (string | object)[]): void {
    for (const frame of frames) {
      const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
      for (const socket of this.#sockets) socket.send(text);
    }
  }

  /** Sends one frame of less than 64 KiB a byte at a time, each in a packet of its own. */
  async dribble(text: string): Promise<void> {
    const { length } = text;
    const head = length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 255];
    const frame = Buffer.concat([Buffer.from(head), Buffer.from(text)]);
    for (const byte of frame) {
      for (const socket of this.#raw) socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Pings of the protocol, which say nothing of prices. */
  ping(): void {
    for (const socket of this.#sockets) socket.ping();
  }

  /** Ends all connections without a farewell. */
  cut(): void {
    for (const socket of this.#raw) socket.destroy();
  }

  /** Keeps connections open and reads or answers nothing more: the other side is gone, and nobody says so. */
  freeze(): void {
    for (const socket of this.#raw) socket.pause();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  #take(client: WebSocket): void {
    this.opened += 1;
    this.#sockets.add(client);
    client.on('close', () => this.#sockets.delete(client));
    client.on('error', () => {});
    client.on('message', (data) => {
      const frame = data.toString();
      this.heard.push(frame);
      for (const text of this.answer(frame)) client.send(text);
    });
    for (const text of this.greeting()) client.send(text);
  }
}
