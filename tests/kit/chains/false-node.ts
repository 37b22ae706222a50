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

/** A provider before a node, which answers as a test tells it. */
export const falseNode = (node: { readonly url: string }): FalseNode =>
  forFile(
    async () => {
      const port = await freePort();
      let lie: Lie | null = null;
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks).toString();
        const { id, method, params } = JSON.parse(body);
        const truth = async () => {
          const answer = await fetch(node.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          });
          return (await answer.json()) as { result?: unknown };
        };
        const told = (await lie?.(method, params, async () => (await truth()).result)) ?? null;
        if (told?.isCut) return void request.socket.destroy();
        if (told?.status) return void response.writeHead(told.status).end('no');
        const answer = told === null ? await truth() : { jsonrpc: '2.0', id, ...told };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
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
