import { WebSocket } from 'ws';
import { PATIENCE_MS, seen } from '../waiting/until.ts';

/** Untyped: tests read any kind of message. */
export type Message = any;

/** A reader of the stream that keeps all messages. */
export class StreamClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  closed: { readonly code: number; readonly atMs: number } | null = null;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data))));
    socket.on('close', (code) => {
      this.closed = { code, atMs: performance.now() };
    });
    socket.on('error', () => {});
  }

  /** Connects, and authenticates if a token is given. */
  static async open(
    origin: string,
    token?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StreamClient> {
    const address = `${origin.replace('http', 'ws')}/api/stream?lang=en`;
    const client = new StreamClient(new WebSocket(address, { headers }));
    // A refused reader gets a stream that opens and closes at once.
    await seen(() => client.socket.readyState === WebSocket.OPEN || client.closed !== null, {
      what: 'an open stream',
    });
    if (token !== undefined) {
      client.send({ op: 'auth', token, lang: 'en' });
      await client.next((message) => message.op === 'auth');
    }
    return client;
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Subscribes and returns the snapshot's data. */
  async sub(topic: string): Promise<Message> {
    const from = this.messages.length;
    this.send({ op: 'sub', topic });
    return (await this.next((message) => message.topic === topic && message.type === 'snapshot', { from }))
      .data;
  }

  /** The first message from place `from` on that matches. */
  next(
    isIt: (message: Message) => boolean,
    { from = 0, withinMs = PATIENCE_MS }: { from?: number; withinMs?: number } = {},
  ): Promise<Message> {
    return seen(() => this.messages.slice(from).find(isIt), {
      withinMs,
      what: `a message like ${isIt} among ${JSON.stringify(this.messages.slice(from).map((message) => message.topic ?? message))}`,
    });
  }

  /** All messages of a topic since its last snapshot, the snapshot first. */
  of(topic: string): Message[] {
    const all = this.messages.filter((message) => message.topic === topic && message.type);
    return all.slice(all.findLastIndex((message) => message.type === 'snapshot'));
  }

  /** The quotes of a product's topic, one for each tick: a quote is sent again when the product's state changes. */
  ticks(topic: string): Message['data'][] {
    const quotes = this.of(topic).map(({ data }) => data);
    return quotes.filter(({ n }, place) => n !== quotes[place - 1]?.n);
  }

  /** The code and time of the server's close. */
  async end(withinMs = PATIENCE_MS): Promise<{ readonly code: number; readonly atMs: number }> {
    return seen(() => this.closed, { withinMs, what: 'the end of the stream' });
  }

  async close(): Promise<void> {
    this.socket.close();
    await seen(() => this.closed);
  }
}
