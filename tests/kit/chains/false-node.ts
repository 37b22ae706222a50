import { createServer } from 'node:http';
import { forFile } from '../fixtures/fixture.ts';
import { freePort } from '../processes/processes.ts';

/** An answer in place of the node's; `status`: of HTTP, without an answer; `isCut`: the connection breaks. */
export interface FalseAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly status?: number;
  readonly isCut?: true;
}

export type Lie = (method: string, params: any[], truth: () => Promise<any>) => Promise<FalseAnswer | null>;

export interface FalseNode {
  readonly url: string;
  /** Null: it tells the truth. */
  behave(lie: Lie | null): void;
}

/** The call of a request, and how its answer is written. */
interface Served {
  readonly method: string;
  readonly params: unknown[];
  readonly truth: () => Promise<FalseAnswer>;
  readonly write: (answer: FalseAnswer) => string;
  /** The status of HTTP of an answer with an error. */
  readonly faultStatus?: number;
}

/** A node over HTTP, whose answers a test may replace. */
export const servedNode = (read: (path: string, body: string) => Served): FalseNode =>
  forFile(
    async () => {
      const port = await freePort();
      let lie: Lie | null = null;
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const {
          method,
          params,
          truth,
          write,
          faultStatus = 200,
        } = read(request.url ?? '/', Buffer.concat(chunks).toString());
        const told = (await lie?.(method, params, async () => (await truth()).result)) ?? (await truth());
        if (told.isCut) return void request.socket.destroy();
        if (told.status) return void response.writeHead(told.status).end('no');
        response
          .writeHead(told.error ? faultStatus : 200, { 'content-type': 'application/json' })
          .end(write(told));
      });
      await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
      return {
        url: `http://127.0.0.1:${port}`,
        behave: (next: Lie | null) => {
          lie = next;
        },
        stop: () =>
          new Promise<void>((done) => {
            server.closeAllConnections();
            server.close(() => done());
          }),
      };
    },
    (own) => own.stop(),
  );

/** A provider before a node, which answers as a test tells it. */
export const falseNode = (node: { readonly url: string }): FalseNode =>
  servedNode((_path, body) => {
    const { id, method, params } = JSON.parse(body);
    return {
      method,
      params,
      truth: async () => {
        const headers = { 'content-type': 'application/json' };
        const { result, error } = await (await fetch(node.url, { method: 'POST', headers, body })).json();
        return error ? { error } : { result };
      },
      write: (answer) => JSON.stringify({ jsonrpc: '2.0', id, ...answer }),
    };
  });
