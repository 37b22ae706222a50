import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../processes/processes.ts';

/** What carries a venue's frames: a WebSocket, or an HTTP answer without an end, of JSON lines or of Server-Sent Events. */
type Carrier = 'socket' | 'lines' | 'events';

/** A connection to the venue, whatever carries it. */
interface Client {
  send(frame: string): void;
  /** What says nothing of prices: a ping, an empty line or a comment. */
  ping(): void;
}

/**
 * A venue on loopback. It says what the test tells it, to every connection or to those that come next, and misbehaves on command.
 */
export class VenueServer {
  /** Frames that clients sent, and the addresses and keys of HTTP requests, oldest first. */
  readonly heard: string[] = [];
  /** Connections that were opened so far. */
  opened = 0;
  /** Attempts to connect, those that were refused among them. */
  requests = 0;
  /** What each new connection is told at once. */
  greeting: () => readonly string[] = () => [];
  /** Answers to a client's frame, such as a pong. */
  answer: (frame: string) => readonly string[] = () => [];
  /** The HTTP status that new connections get instead of a socket; null: they are taken. */
  refuses: {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  } | null = null;
  /** Answers of its history, by address; null for any other, which is a stream's. */
  history: (url: URL) => { status: number; headers: Record<string, string>; body: string } | null = () =>
    null;
  readonly url: string;
  readonly carrier: Carrier;
  readonly #http: Server;
  readonly #clients = new Set<Client>();
  readonly #sockets = new Set<WebSocket>();
  readonly #raw = new Set<Socket>();

  private constructor(http: Server, { carrier, url }: { carrier: Carrier; url: string }) {
    this.#http = http;
    this.carrier = carrier;
    this.url = url;
    const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    http.on('connection', (socket) => {
      this.#raw.add(socket);
      socket.on('close', () => this.#raw.delete(socket));
    });
    http.on('upgrade', (request, socket, head) => {
      this.requests += 1;
      if (this.refuses) {
        const { status, headers = {}, body = '' } = this.refuses;
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const length = Buffer.byteLength(body);
        socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}content-length: ${length}\r\n\r\n${body}`);
        return;
      }
      server.handleUpgrade(request, socket, head, (client) => this.#takeSocket(client));
    });
    http.on('request', (request, response) => {
      const past = this.history(new URL(request.url ?? '/', 'http://venue.test'));
      if (past) {
        response.writeHead(past.status, past.headers).end(past.body);
        return;
      }
      this.requests += 1;
      if (!this.refuses) return this.#takeStream(request, response);
      const { status, headers = {}, body = '' } = this.refuses;
      response.writeHead(status, headers).end(body);
    });
  }

  /** @param secrets with a certificate it speaks TLS alone */
  static async start({
    carrier = 'socket',
    port,
    secrets,
  }: {
    carrier?: Carrier;
    port?: number;
    secrets?: { cert: string; key: string };
  } = {}): Promise<VenueServer> {
    const own = port ?? (await freePort());
    const http = secrets ? createSecureServer(secrets) : createServer();
    await new Promise<void>((resolve) => http.listen(own, '127.0.0.1', resolve));
    const protocol = `${carrier === 'socket' ? 'ws' : 'http'}${secrets ? 's' : ''}`;
    return new VenueServer(http, { carrier, url: `${protocol}://127.0.0.1:${own}` });
  }

  get open(): number {
    return this.#clients.size;
  }

  /** Says a frame on every open connection. */
  say(...frames: readonly (string | object)[]): void {
    for (const frame of frames) {
      const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
      for (const client of this.#clients) client.send(text);
    }
  }

  /** Sends one frame of less than 64 KiB a byte at a time, each in a packet of its own. */
  async dribble(text: string): Promise<void> {
    const { length } = text;
    const head = length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 255];
    const frame =
      this.carrier === 'socket'
        ? Buffer.concat([Buffer.from(head), Buffer.from(text)])
        : chunkOf(framed(text, this.carrier));
    for (const byte of frame) {
      for (const socket of this.#raw) socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Pings of the protocol, which say nothing of prices. */
  ping(): void {
    for (const client of this.#clients) client.ping();
  }

  /** Closes all WebSockets with a code and a reason. */
  farewell(code: number, reason: string): void {
    for (const socket of this.#sockets) socket.close(code, reason);
  }

  /** Ends all connections without a farewell. */
  cut(): void {
    for (const socket of this.#raw) socket.destroy();
  }

  /** Keeps connections open and reads or answers nothing more: the other side is gone, and nobody says so. */
  freeze(): void {
    for (const socket of this.#raw) socket.pause();
  }

  /** Reads again: a connection that its client gave up meanwhile is seen to be closed. */
  thaw(): void {
    for (const socket of this.#raw) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  #takeSocket(socket: WebSocket): void {
    this.#sockets.add(socket);
    const client = this.#take({
      send: (frame) => socket.send(frame),
      ping: () => socket.ping(),
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#clients.delete(client);
    });
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const frame = data.toString();
      this.heard.push(frame);
      for (const text of this.answer(frame)) client.send(text);
    });
  }

  #takeStream(request: IncomingMessage, response: ServerResponse): void {
    this.heard.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.flushHeaders();
    const client = this.#take({
      send: (frame) => response.write(framed(frame, this.carrier)),
      ping: () => response.write(this.carrier === 'events' ? ':\n\n' : '\n'),
    });
    response.on('close', () => this.#clients.delete(client));
    response.on('error', () => {});
  }

  #take(client: Client): Client {
    this.opened += 1;
    this.#clients.add(client);
    for (const text of this.greeting()) client.send(text);
    return client;
  }
}

const framed = (frame: string, carrier: Carrier): string =>
  carrier === 'events' ? `data:${frame}\n\n` : `${frame}\n`;

/** A part of an answer whose length isn't known ahead. */
const chunkOf = (text: string): Buffer =>
  Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
